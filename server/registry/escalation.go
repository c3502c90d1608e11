package registry

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// refuseEscalation refuses a role or a binding that would give away rights that its writer does not have. Other kinds pass. A
// nil old says that it is a create. It comes behind what changes the object and before what checks it.
func (r *Registry) refuseEscalation(ctx context.Context, t Target, o WriteOptions, obj, old runtime.Object) error {
	if t.Kind.Group != rbacv1.GroupName {
		return nil
	}
	verb := "update"
	if old == nil {
		verb = "create"
	}
	return r.authorizer().RefuseEscalation(ctx, roles{r, t}, r.attributes(verb, t, o), obj, old)
}
