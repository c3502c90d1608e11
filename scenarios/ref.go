package scenarios

import (
	"net/url"
	"strings"
)

// A Ref names an object as the path of a request does, or a collection if it has no Name.
type Ref struct {
	Group, Version, Resource, Subresource, Namespace, Name string
}

// RefOf reads a path, escaped or not, with its query or without. Paths of no resource, such as /version, have no Ref.
func RefOf(path string) (r Ref, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		r.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.Group, r.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return Ref{}, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Subresource = strings.Join(parts[2:], "/")
	}
	return r, true
}

// GroupResource is the resource with its group, "deployments.apps"; of the core group it is the resource alone.
func (r Ref) GroupResource() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// String is the object as kubectl would name it: "deployments/pump", "deployments/pump/scale", "deployments".
func (r Ref) String() string {
	s := r.Resource
	for _, part := range []string{r.Name, r.Subresource} {
		if part != "" {
			s += "/" + part
		}
	}
	return s
}

// Same reports whether two Refs name one object: whatever version and subresource they name it by.
func (r Ref) Same(other Ref) bool {
	r.Version, r.Subresource = other.Version, other.Subresource
	return r == other
}
