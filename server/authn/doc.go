// Package authn finds the user of a request. It joins Kubernetes' own authenticators in kube-apiserver's order: the
// token of the server's own loops, client certificates, tokens, tokens in subprotocols of WebSockets; then, on HTTPS,
// the anonymous user. On the plain port, which listens on the loopback interface only, a request without credentials is
// one of Admin.
//
// Impersonation is the official filter, on a copy of the request; what it would answer becomes the error of the line.
// The authenticated user (Identity.Requestor) and the user who acts (Identity.User) are kept apart. The request goes on
// without the headers of credentials and impersonation; the flow keeps those that were sent, and proof.go says by which
// authenticator the user was found.
//
// RequestHeaders are the front proxies that are trusted. Their headers are removed from every request, trusted or not.
//
// Tokens signs, checks and publishes the tokens of ServiceAccounts. The object that a token is bound to is looked up in
// its current state, by an official interface. The package knows neither registry nor store, nor who may do what,
// except for an authorizer that decides who may impersonate whom.
package authn
