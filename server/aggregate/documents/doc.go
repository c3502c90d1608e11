// Package documents follows the discovery and OpenAPI documents of the servers behind APIServices, and merges them with
// Kubarium's own. They are asked for when an APIService comes or changes, and every minute from then on, in the
// background, as kube-apiserver's own users; these requests are no client's and are not on the screen.
//
// Discovery is followed by k8s.io/kube-aggregator's manager, which writes into a table of ours. Its order is that of
// all APIServices for plain documents, and that of built-in priorities and the APIServices that lead elsewhere for
// aggregated ones, as in kube-apiserver. A group version that is served here is listed whether or not it has its
// APIService.
//
// OpenAPI is kept as text: the official aggregators hold all documents parsed, and one server that does not answer
// keeps them from answering for the others. Swaggers are merged by kube-openapi's rules when a client asks for one; of
// OpenAPI v3 the package lists where documents are. A server that is away stays listed: its group version is stale, and
// its documents as they were. All answers are bounded (calls.Whole).
package documents
