// Package glass is a handler in front of any API server: requests are handed on with the credentials of a kubeconfig's
// context, answers come back as they are, and what both say becomes the same flows that Kubarium's own server records.
//
//	client ──► ServeHTTP: read the route, find the credentials
//	              └─► server/elsewhere ──► the server
//	              ◄── answer, frame by frame ──┘
//	              facts.go, list.go: what request and answer prove ──► flow.Log, seen.Store
//
// A proxy sees less than a server: stations and decisions inside the server, and its store, are not known. Revisions,
// managed fields, conflicts and pages are read off the wire; the object before a change is what went by of it last. No
// request is sent that no client sends, and no body is held: lists and events are read while they pass, and other facts
// from what the flow keeps, after the answer.
//
// A glass may have a gate (server/gate), for requests before they are handed on and before they are answered (gate.go),
// and for the events of watches (gatewatch.go). Then frames of watches are read whole, and so is a body that a rule holds
// or asks about.
package glass
