// Package aggregated shows Kubarium among real processes: k8s.io/sample-apiserver behind it, unchanged and on an etcd, and a
// webhook with TLS that it asks. It has tests only.
//
// The scripts in testdata are requests that are sent one after the other, by the steps of Kubernetes' end-to-end specs
// Aggregator and AdmissionWebhook, without their pods: servers are reached by a Service of type ExternalName, or by a URL.
// Beside each script are the answers of a real kube-apiserver, with which those of Kubarium are compared.
//
//	go test ./tests/aggregated                                               Kubarium answers as recorded
//	KUBARIUM_PEER=http://127.0.0.1:8001 go test ./tests/aggregated           a kube-apiserver does
//	KUBARIUM_PEER=http://127.0.0.1:8001 go test ./tests/aggregated -update   record its answers
//
// The peer needs RBAC, front-proxy certificates, and a client that is believed to be in system:masters; it must be new, and
// have no controllers beside it.
//
// A script reads like this:
//
//	# a comment
//	### what the step is about
//	POST /api/v1/namespaces/shop/configmaps
//	Content-Type: application/json     a header; this one if there is a body and nothing is said
//	Until: 403 `denied`                send it until the answer has this status and these texts; 30 s at most
//	Keep: version metadata.labels.v    let {{version}} be this field of the answer from now on
//	Only: wardle                       show those members of lists and of paths, definitions and groups that have this text
//
//	{kind: ConfigMap}                  the body, in YAML; it is sent as JSON
//
// And there are verbs that are none of HTTP: WATCH NAME PATH begins a watch, EVENTS NAME COUNT shows what came by it since,
// RUN and STOP begin and end a process.
package aggregated
