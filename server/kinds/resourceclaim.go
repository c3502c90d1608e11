package kinds

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

// resourceClaimRow is the row of ResourceClaim, whose strategy checks whether the namespace allows access as an
// administrator.
func resourceClaimRow() *Kind {
	strategy := resourceclaim.NewStrategy(namespacesInContext{}, authorizerInContext{})
	return row{
		gvk: gvk("resource.k8s.io", "v1", "ResourceClaim"), resource: "resourceclaims", singular: "resourceclaim",
		strategy: strategy, status: resourceclaim.NewStatusStrategy(strategy), tableless: []string{"status"},
		returnDeleted: true,
	}.kind()
}

// namespacesInContext is a client of namespaces that reads them by the request's context. All requests share a
// strategy.
type namespacesInContext struct{ typedcorev1.NamespaceInterface }

// Get fulfils NamespaceInterface.
func (namespacesInContext) Get(ctx context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	get := attributesOf(ctx).GetNamespace
	if get == nil {
		return nil, fmt.Errorf("get namespace %s: the request has no way to it", name)
	}
	return get(ctx, name)
}
