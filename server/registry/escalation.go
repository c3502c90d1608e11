package registry

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// refuseEscalation refuses a role or a binding that would give away rights that its writer does not have. Other kinds pass. A
// nil old says that it is a create. It comes behind what changes the object and before what checks it.
func (r *Registry) refuseEscalation(ctx context.Context, q question, obj, old runtime.Object) error {
	if q.Kind.Group != rbacv1.GroupName {
		return nil
	}
	verb := "update"
	if old == nil {
		verb = "create"
	}
	return r.authorizer().RefuseEscalation(ctx, roles{r, q.Target}, r.attributes(verb, q.Target, q.WriteOptions), obj, old)
}

// authorizeCreate asks whether an update or a patch may create what is not there.
func (r *Registry) authorizeCreate(ctx context.Context, q question) error {
	if !q.further {
		return nil
	}
	return r.authorizer().CheckCreate(ctx, authorizer.AttributesRecord{
		User: q.who(), Verb: "create", ResourceRequest: true, APIGroup: q.Kind.Group, APIVersion: q.Kind.Version,
		Resource: q.Kind.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name,
	})
}
