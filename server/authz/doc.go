// Package authz decides who may do what, with Kubernetes' own authorizers, joined as in kube-apiserver: first the group
// system:masters, which may do everything, then the modes of --authorization-mode in their order. It also answers the
// reviews of authorization.k8s.io, asks the second question of requests that need more than one right, and refuses to
// let a user grant rights that the user does not have.
//
// RBAC reads roles and bindings through official informers, so it sees a change a moment later, as in kube-apiserver.
// Escalation is decided by the official storages of roles and bindings on top of a storage that writes nothing
// (escalation.go); they read roles from the cache. CheckRequest asks about a request line.
//
// Authorizer.Authorize notes each question on the flow (flow.Identity, flow.Rights), while it is decided, because roles
// may change afterwards. rules.go finds by which rule RBAC decided, from what it reads. Nothing is noted where
// everything is allowed.
//
// The package does not know how a request is served or how objects are stored, and it does not authenticate: each
// question names its user.
package authz
