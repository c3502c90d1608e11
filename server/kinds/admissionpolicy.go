package kinds

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
)

// validatingPolicy is the row of ValidatingAdmissionPolicy.
func validatingPolicy() *Kind {
	strategy := validatingadmissionpolicy.NewStrategy(nil, nil)
	return row{
		gvk:      gvk("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"),
		resource: "validatingadmissionpolicies", singular: "validatingadmissionpolicy", categories: extensions,
		strategy: strategy, status: validatingadmissionpolicy.NewStatusStrategy(strategy),
	}.kind()
}

// unresolved finds no resource of the kind of a policy's parameters. Strategies of bindings ask for it to authorize reading
// the parameters, which they do with an authorizer alone; without one everybody may read them.
type unresolved struct{}

// Resolve fulfils resolver.ResourceResolver.
func (unresolved) Resolve(gvk schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	return schema.GroupVersionResource{}, &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}
