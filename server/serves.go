package server

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/catalogue"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// Serves reports whether a resource is served, or, without its name, anything of the group version.
func (s *Server) Serves(gvr schema.GroupVersionResource) bool {
	if gvr.Resource == "" {
		return s.served.Serves(gvr.Group, gvr.Version)
	}
	return s.o.Registry.Catalogue.Kind(gvr) != nil
}

// Resources are all built-in resources that a catalogue and the server have: what can be withheld.
func Resources(c *catalogue.Catalogue) []schema.GroupVersionResource {
	all := []schema.GroupVersionResource{route.ComponentStatuses}
	for _, k := range c.Kinds() {
		if !k.Dynamic {
			all = append(all, k.GroupVersion().WithResource(k.Resource))
		}
	}
	for _, v := range registry.Virtuals() {
		all = append(all, v.GroupVersion().WithResource(v.Resource))
	}
	return all
}
