// Package calls has what Kubernetes' own clients of webhooks share: a Way leads their requests through a further
// transport, such as one that records each call on the flow of its request.
//
// Whole bounds an answer that is read whole, like a body, unpacked. Limited bounds the answers of aggregated servers to
// Kubarium's own controllers and UI. What is handed on to a client is not held.
package calls
