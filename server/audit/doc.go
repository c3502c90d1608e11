// Package audit keeps the audit log of kube-apiserver: of each request that a policy names, one event for each stage
// that it reaches, with the user, the request, the decision, and, where the policy wants them, the objects in and out
// (Kubernetes documentation, "Auditing"). Policy, events, files and webhooks are Kubernetes' own; this package decides
// at which points of a request's way they are called.
//
// The order is: Begin, which gives the request its id, before anything is known of it; Receive or Refuse, once the user
// is known; then what the line learns, each part from where it is learned: the authorizer's decision, the plugins'
// annotations, the objects that the client sent, the answer; Complete at its end. A nil Event is that of a request that
// the policy does not log.
package audit
