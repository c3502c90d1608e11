// Package server is HTTP, and only HTTP: it turns a request into a Request, follows it along one line through filters,
// route, authenticate, authorize, negotiate and decode to the registry, and writes the answer. What a verb does to an
// object is in package registry; what a body means is in package codecs.
//
// # The line
//
//	connection → filters → route → authenticate → authorize → negotiate → decode →
//	           → mutate → validate → admit → store → encode → respond
//
// ServeHTTP is the line. It makes one Request, begins its flow, and hands it from station to station; each marks its
// name, its time and a short note. Stations are marked in the order in which they happen: defaults belong to decoding,
// as in kube-apiserver. The handlers, a file a verb, are a few lines each; the table in handlers.go lists them. Package
// route reads what is asked for; package answer writes the answer, or package stream if it is a watch. The flow is
// published after the last byte.
//
// # Restores
//
// No request crosses a restore of the store. The line notes the newest revision before it reads anything (perform.go),
// and begins again from authenticate if the store was restored before the request wrote something. storage.Write.Since
// is checked in the transaction, so that no write that was judged before a restore commits after it. A controller names
// the revision at which it began to look in the header Kubarium-Since; its request after a restore is refused.
//
// # Aggregation and debugging
//
// aggregated.go hands requests on to servers behind APIServices, with the official proxy. Bodies are not held: the flow
// keeps what passes, up to its usual bounds. The request to the other server is a call in the flow. A watch there has a
// record, but no versions: another server's objects have nothing to do with this store.
//
// The paths below /debug/ offer what Kubernetes' paths cannot, to clients on the loopback interface. A browser may use
// them only from pages of this server.
package server
