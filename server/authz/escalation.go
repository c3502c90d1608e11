package authz

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	rbacapi "k8s.io/kubernetes/pkg/apis/rbac"
	clusterrole "k8s.io/kubernetes/pkg/registry/rbac/clusterrole/policybased"
	clusterrolebinding "k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding/policybased"
	role "k8s.io/kubernetes/pkg/registry/rbac/role/policybased"
	rolebinding "k8s.io/kubernetes/pkg/registry/rbac/rolebinding/policybased"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"

	"kubarium/server/kinds"
)

// Roles reads roles and bindings as they are now, as kube-apiserver does for this check. Its own authorizer reads what its
// informers have heard of.
type Roles interface {
	validation.RoleGetter
	validation.RoleBindingLister
	validation.ClusterRoleGetter
	validation.ClusterRoleBindingLister
}

// RefuseEscalation refuses with a 403 the write of a role, or of a binding to one, with rights that the user does not
// have, unless the user may escalate or bind. It allows other kinds. Where reading the role of a binding fails, the
// error is that of roles: a 404 if there is none.
//
// It comes after mutating admission: at a create before the strategy's checks, with a nil old; at an update or a patch
// before the resourceVersion is compared, and with an empty old where nothing was there. obj and old are in their
// internal form and stay as they are. at says who asks and what for, as kinds.Context takes it.
func (a *Authorizer) RefuseEscalation(ctx context.Context, roles Roles, at kinds.Attributes, obj, old runtime.Object) error {
	if at.Subresource != "" {
		return nil
	}
	storage := a.policyBased(at.Kind.GroupResource(), written{old: old}, roles)
	if storage == nil {
		return nil
	}
	if old == nil {
		at.Name = "" // the path of a create has none
		_, err := storage.Create(kinds.Context(ctx, at), obj, nil, &metav1.CreateOptions{})
		return err
	}
	_, _, err := storage.Update(kinds.Context(ctx, at), at.Name, rest.DefaultUpdatedObjectInfo(obj), nil, nil, false, &metav1.UpdateOptions{})
	return err
}

// policyBased is the official storage that checks writes of a resource before another does them; nil where there is none.
func (a *Authorizer) policyBased(of schema.GroupResource, s rest.StandardStorage, roles Roles) rest.CreaterUpdater {
	rules := validation.NewDefaultRuleResolver(roles, roles, roles, roles)
	switch of {
	case rbacapi.Resource("roles"):
		return role.NewStorage(s, a, rules)
	case rbacapi.Resource("rolebindings"):
		return rolebinding.NewStorage(s, a, rules)
	case rbacapi.Resource("clusterroles"):
		return clusterrole.NewStorage(s, a, rules)
	case rbacapi.Resource("clusterrolebindings"):
		return clusterrolebinding.NewStorage(s, a, rules)
	}
	return nil
}

// written is a storage that writes nothing, for the official checks that wrap a storage.
type written struct {
	rest.StandardStorage
	old runtime.Object
}

// Create fulfils rest.Creater: who is asked at all may create.
func (written) Create(_ context.Context, obj runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	return obj, nil
}

// Update fulfils rest.Updater. The checks of an update are made with the new object.
func (w written) Update(ctx context.Context, _ string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc, _ bool, _ *metav1.UpdateOptions) (runtime.Object, bool, error) {
	obj, err := info.UpdatedObject(ctx, w.old)
	return obj, false, err
}
