package kinds

import "k8s.io/kubernetes/pkg/registry/core/endpoint"

// endpoints is the row of Endpoints, which EndpointSlice has replaced.
func endpoints() *Kind {
	k := row{
		gvk: gvk("", "v1", "Endpoints"), resource: "endpoints", singular: "endpoints", shortNames: []string{"ep"}, key: "services/endpoints",
		strategy: endpoint.Strategy,
	}.kind()
	k.Warnings = []string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
	return k
}
