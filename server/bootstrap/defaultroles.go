package bootstrap

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// DefaultRoles are all roles and bindings that every cluster has from its start, by their resources. The caller may
// change them: they are copies, as the policy itself returns the same namespaced ones to all callers in the process.
func DefaultRoles() map[schema.GroupResource][]runtime.Object {
	return map[schema.GroupResource][]runtime.Object{
		rbacv1.Resource("clusterroles"):        objects(slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles())),
		rbacv1.Resource("clusterrolebindings"): objects(slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings())),
		rbacv1.Resource("roles"):               objects(slices.Concat(slices.Collect(maps.Values(bootstrappolicy.NamespaceRoles()))...)),
		rbacv1.Resource("rolebindings"):        objects(slices.Concat(slices.Collect(maps.Values(bootstrappolicy.NamespaceRoleBindings()))...)),
	}
}

// objects are copies of the items of a list.
func objects[T any, P interface {
	*T
	runtime.Object
}](items []T) []runtime.Object {
	all := make([]runtime.Object, len(items))
	for i := range items {
		all[i] = P(&items[i]).DeepCopyObject()
	}
	return all
}
