package server

import "k8s.io/apimachinery/pkg/runtime/schema"

// Serves tells whether a resource is served, or, without its name, anything of the group version.
func (s *Server) Serves(gvr schema.GroupVersionResource) bool {
	if gvr.Resource == "" {
		return s.serves(gvr.Group, gvr.Version)
	}
	return s.o.Registry.Catalogue.Kind(gvr) != nil
}
