package kinds

import (
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/core/pod"
)

// podRow is the row of Pod. Its actions are in the packages registry and server.
func podRow() *Kind {
	return row{
		gvk: gvk("", "v1", "Pod"), resource: "pods", singular: "pod", shortNames: []string{"po"}, categories: []string{"all"},
		strategy: pod.Strategy, status: pod.StatusStrategy, attributes: pod.GetAttrs, index: "spec.nodeName",
		subresources: map[string]rest.RESTUpdateStrategy{
			"ephemeralcontainers": pod.EphemeralContainersStrategy,
			"resize":              pod.ResizeStrategy,
		},
		tableless: []string{"ephemeralcontainers", "resize"}, actions: podActions(), returnDeleted: true,
	}.kind()
}
