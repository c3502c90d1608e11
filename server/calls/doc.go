// Package calls has what Kubernetes' own clients of webhooks share: a transport that records each call on the flow of
// its request, and one that bounds what is read whole of an answer, like a body, unpacked (Whole). What is handed on is
// not held.
package calls
