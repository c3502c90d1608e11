package registry

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"kubarium/server/authz"
)

// refuseEscalation refuses a role or a binding that would give away rights that its writer does not have. Other kinds
// pass. A nil old says that it is a create. It comes after what changes the object and before what checks it.
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

// roles reads roles and bindings as they are now, for the check that a user grants no rights that they do not have.
// The error for a missing role names the resource that is written, as kube-apiserver's does.
type roles struct {
	*Registry
	writes Target
}

var _ authz.Roles = roles{}

// The storage resources of RBAC.
const (
	roleResource               = "roles.rbac.authorization.k8s.io"
	roleBindingResource        = "rolebindings.rbac.authorization.k8s.io"
	clusterRoleResource        = "clusterroles.rbac.authorization.k8s.io"
	clusterRoleBindingResource = "clusterrolebindings.rbac.authorization.k8s.io"
)

// GetRole fulfils authz.Roles.
func (r roles) GetRole(ctx context.Context, namespace, name string) (*rbacv1.Role, error) {
	m, err := r.role(ctx, roleResource, namespace, name)
	if err != nil {
		return nil, err
	}
	return m.(*rbacv1.Role), nil
}

// GetClusterRole fulfils authz.Roles.
func (r roles) GetClusterRole(ctx context.Context, name string) (*rbacv1.ClusterRole, error) {
	m, err := r.role(ctx, clusterRoleResource, "", name)
	if err != nil {
		return nil, err
	}
	return m.(*rbacv1.ClusterRole), nil
}

func (r roles) role(ctx context.Context, resource, namespace, name string) (metav1.Object, error) {
	m, err := r.lookUp(ctx, resource, namespace, name)
	if apierrors.IsNotFound(err) {
		err = apierrors.NewNotFound(r.writes.resource(), name)
	}
	return m, err
}

// ListRoleBindings fulfils authz.Roles.
func (r roles) ListRoleBindings(ctx context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	return allServed[*rbacv1.RoleBinding](ctx, r.Registry, roleBindingResource, namespace+"/")
}

// ListClusterRoleBindings fulfils authz.Roles.
func (r roles) ListClusterRoleBindings(ctx context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	return allServed[*rbacv1.ClusterRoleBinding](ctx, r.Registry, clusterRoleBindingResource, "")
}
