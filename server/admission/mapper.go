package admission

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/catalogue"
)

// A mapper fulfils meta.RESTMapper by what is served at the moment: a policy finds the resource of its parameters as soon
// as their definition is established.
type mapper struct{ catalogue *catalogue.Catalogue }

// now is the mapper of this moment.
func (m mapper) now() meta.RESTMapper {
	kinds := m.catalogue.Kinds()
	served := meta.NewDefaultRESTMapper(m.catalogue.GroupVersions())
	for _, k := range kinds {
		scope := meta.RESTScopeRoot
		if k.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		gv := k.GroupVersion()
		served.AddSpecific(k.GroupVersionKind, gv.WithResource(k.Resource), gv.WithResource(k.Singular), scope)
	}
	return served
}

func (m mapper) KindFor(r schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	return m.now().KindFor(r)
}

func (m mapper) KindsFor(r schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return m.now().KindsFor(r)
}

func (m mapper) ResourceFor(r schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return m.now().ResourceFor(r)
}

func (m mapper) ResourcesFor(r schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return m.now().ResourcesFor(r)
}

func (m mapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return m.now().RESTMapping(gk, versions...)
}

func (m mapper) RESTMappings(gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	return m.now().RESTMappings(gk, versions...)
}

func (m mapper) ResourceSingularizer(resource string) (string, error) {
	return m.now().ResourceSingularizer(resource)
}
