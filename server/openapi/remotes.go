package openapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/kube-openapi/pkg/aggregator"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A Remote is what another server publishes, that of an APIService. Its documents of OpenAPI v3 are there, and listed here; its
// swagger becomes part of ours.
type Remote struct {
	Name    string // of the APIService
	Version string // changes whenever what follows does

	// V2 is the swagger of what it answers for, as JSON; nil for none.
	V2 []byte
	// V3 says at which URLs, such as "/openapi/v3/apis/shop.example.com/v1?hash=0A1B", it has its documents, by the paths below
	// /openapi/v3/. nil for a server that does not know of OpenAPI v3.
	V3 map[string]string
	// Converted is its one document of a server that does not know of OpenAPI v3, at ConvertedPath, made of its swagger, as JSON; nil
	// for none.
	Converted     []byte
	ConvertedPath string
}

// A RemoteSource says what other servers publish now, the most important first. It is asked at every request, so it
// should have its answer ready. Its results must not change.
type RemoteSource func() []Remote

// V3Elsewhere returns the name of the APIService whose server has the document at a path; ok is false if none has one that is
// not here.
func (d *Documents) V3Elsewhere(path string) (name string, ok bool) {
	at, ok := d.current().elsewhere[path]
	return at.service, ok
}

// An elsewhere says where a document of another server is.
type elsewhere struct{ service, url string }

// sameRemotes reports whether other servers publish the same as before.
func sameRemotes(a, b []Remote) bool {
	return slices.EqualFunc(a, b, func(a, b Remote) bool { return a.Name == b.Name && a.Version == b.Version })
}

// takeRemotes lists what other servers have and this one has not.
func (e *edition) takeRemotes(remotes []Remote) {
	for _, r := range remotes {
		if r.Converted != nil && e.v3[r.ConvertedPath] == nil {
			text := func() []byte { return r.Converted }
			e.v3[r.ConvertedPath] = newDocument(text, text, protoV3)
		}
		for path, url := range r.V3 {
			if _, taken := e.elsewhere[path]; !taken && e.v3[path] == nil {
				e.elsewhere[path] = elsewhere{r.Name, url}
			}
		}
	}
}

// withRemotes is a swagger with those of other servers. All of it is parsed for as long as that takes.
func (d *Documents) withRemotes(own func() []byte, remotes []Remote) func() []byte {
	if len(remotes) == 0 {
		return own
	}
	return func() []byte {
		whole := new(spec.Swagger)
		mustUnmarshal(own(), whole)
		for _, r := range remotes {
			if err := mergeRemote(whole, r.V2); err != nil && d.Failed != nil {
				d.Failed(r, err)
			}
		}
		return mustMarshal(whole)
	}
}

// sourceOf is what decides how the documents of these servers read.
func sourceOf(remotes []Remote) []byte {
	var all []byte
	for _, r := range remotes {
		all = append(all, "\x00"+r.Name+"\x00"+r.Version...)
	}
	return all
}

// withSwagger are those that have one.
func withSwagger(remotes []Remote) []Remote {
	return slices.DeleteFunc(slices.Clone(remotes), func(r Remote) bool { return r.V2 == nil })
}

// mergeRemote adds the swagger of another server. Where both define another thing by one name, the new one is renamed. Official code
// panics at some that are not as Kubernetes' generators write them.
func mergeRemote(whole *spec.Swagger, text []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("merge a swagger: %v", v)
		}
	}()
	part := new(spec.Swagger)
	if err := json.Unmarshal(text, part); err != nil {
		return fmt.Errorf("read a swagger: %w", err)
	}
	return aggregator.MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters(whole, part)
}
