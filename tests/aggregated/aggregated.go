// Package aggregated tests Kubarium with real other processes: an unchanged k8s.io/sample-apiserver on etcd, to which
// Kubarium forwards requests, and a webhook with TLS that it calls. It has tests only.
//
// The scripts in testdata are requests in sequence, with the steps of Kubernetes' end-to-end specs Aggregator and
// AdmissionWebhook, without their pods: servers are reached by a Service of type ExternalName, or by a URL. Next to
// each script are the answers of a real kube-apiserver, with which Kubarium's are compared.
//
//	go test ./tests/aggregated                                               Kubarium answers as recorded
//	KUBARIUM_PEER=http://127.0.0.1:8001 go test ./tests/aggregated           a kube-apiserver does
//	KUBARIUM_PEER=http://127.0.0.1:8001 go test ./tests/aggregated -update   record its answers
//
// The peer needs RBAC, front-proxy certificates, and a client that is in system:masters; it must be new, and have no
// controllers.
//
// A script reads like this:
//
//	# a comment
//	### what the step is about
//	POST /api/v1/namespaces/shop/configmaps
//	Content-Type: application/json     a header; this is the default if there is a body
//	Until: 403 `denied`                send it until the answer has this status and these texts; 30 s at most
//	Keep: version metadata.labels.v    {{version}} means this field of the answer from now on
//	Only: wardle                       show only members of lists and of paths, definitions and groups with this text
//
//	{kind: ConfigMap}                  the body, in YAML; it is sent as JSON
//
// Further verbs are not HTTP's: WATCH NAME PATH begins a watch, EVENTS NAME COUNT shows its next events, RUN and STOP
// begin and end a process.
package aggregated
