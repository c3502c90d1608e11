package kinds

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/service"
)

// serviceRow is the row of Service. Its IPs and node ports, which are unique in the cluster, come from
// ServiceAllocator.
func serviceRow() *Kind {
	return row{
		gvk: gvk("", "v1", "Service"), resource: "services", singular: "service", shortNames: []string{"svc"}, categories: []string{"all"},
		key: "services/specs", strategy: serviceStrategy{service.Strategy}, status: service.StatusStrategy,
		attributes: service.GetAttrs, returnDeleted: true, actions: []Action{proxy("ServiceProxyOptions")},
	}.kind()
}

// A declarativeStrategy is a Strategy with all optional methods of built-in kinds.
type declarativeStrategy interface {
	Strategy
	rest.ResetFieldsStrategy
	rest.DeclarativeValidationStrategy
}

// serviceStrategy is the official one, with the changes that kube-apiserver's storage makes to every Service that it
// returns.
type serviceStrategy struct{ declarativeStrategy }

// Canonicalize fulfils rest.RESTCreateStrategy: an ExternalName has no traffic that a policy could be for.
func (s serviceStrategy) Canonicalize(obj runtime.Object) {
	s.declarativeStrategy.Canonicalize(obj)
	if svc := obj.(*core.Service); svc.Spec.Type == core.ServiceTypeExternalName {
		svc.Spec.InternalTrafficPolicy = nil
	}
}
