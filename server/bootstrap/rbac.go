package bootstrap

import (
	"context"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/auth/rbac/reconciliation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// roles makes the default roles and bindings, and completes those that are annotated with autoupdate.
func (b *Bootstrap) roles() *task {
	of := rbacv1.SchemeGroupVersion.WithResource
	return &task{
		name:  "roles",
		kinds: []schema.GroupVersionResource{of("clusterroles"), of("clusterrolebindings"), of("roles"), of("rolebindings")},
		ensure: func(ctx context.Context) error {
			for _, step := range []func(context.Context) error{b.clusterRoles, b.clusterRoleBindings, b.namespacedRoles, b.namespacedBindings} {
				if err := step(ctx); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// A modifier reads objects from a list and writes them over HTTP. It is a reconciliation.RuleOwnerModifier or a
// RoleBindingModifier.
type modifier[T any] struct {
	resource       string
	listed         map[types.NamespacedName]T
	create, update func(T) (T, error)
	remove         func(namespace, name string, precondition metav1.DeleteOptions) error
}

func (m modifier[T]) Get(namespace, name string) (T, error) {
	o, ok := m.listed[types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return o, apierrors.NewNotFound(rbacv1.Resource(m.resource), name)
	}
	return o, nil
}

func (m modifier[T]) Create(o T) (T, error) { return m.create(o) }

func (m modifier[T]) Update(o T) (T, error) { return m.update(o) }

func (m modifier[T]) Delete(namespace, name string, uid types.UID) error {
	return m.remove(namespace, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
}

func (b *Bootstrap) clusterRoles(ctx context.Context) error {
	api := b.api.RbacV1().ClusterRoles()
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	m := modifier[reconciliation.RuleOwner]{
		resource: "clusterroles", listed: map[types.NamespacedName]reconciliation.RuleOwner{},
		create: func(o reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
			r, err := api.Create(ctx, o.GetObject().(*rbacv1.ClusterRole), metav1.CreateOptions{})
			return reconciliation.ClusterRoleRuleOwner{ClusterRole: r}, err
		},
		update: func(o reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
			r, err := api.Update(ctx, o.GetObject().(*rbacv1.ClusterRole), metav1.UpdateOptions{})
			return reconciliation.ClusterRoleRuleOwner{ClusterRole: r}, err
		},
	}
	for _, r := range list.Items {
		m.listed[types.NamespacedName{Name: r.Name}] = reconciliation.ClusterRoleRuleOwner{ClusterRole: &r}
	}
	if err := keepRulesOfOldRoles(m); err != nil {
		return err
	}
	return each(ctx, slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()), func(_ context.Context, r rbacv1.ClusterRole) error {
		return reconcileRole(reconciliation.ClusterRoleRuleOwner{ClusterRole: &r}, m)
	})
}

// keepRulesOfOldRoles copies a role that was written before it became an aggregated one to the role that it aggregates,
// so that added rules stay.
func keepRulesOfOldRoles(m modifier[reconciliation.RuleOwner]) error {
	aggregated := bootstrappolicy.ClusterRolesToAggregate()
	for _, name := range slices.Sorted(maps.Keys(aggregated)) {
		target := types.NamespacedName{Name: aggregated[name]}
		old, ok := m.listed[types.NamespacedName{Name: name}]
		if _, there := m.listed[target]; there || !ok || old.GetAggregationRule() != nil {
			continue
		}
		role := old.DeepCopyRuleOwner().GetObject().(*rbacv1.ClusterRole)
		role.Name, role.ResourceVersion = target.Name, ""
		copied, err := m.create(reconciliation.ClusterRoleRuleOwner{ClusterRole: role})
		if err != nil {
			return err
		}
		m.listed[target] = copied
	}
	return nil
}

func (b *Bootstrap) namespacedRoles(ctx context.Context) error {
	list, err := b.api.RbacV1().Roles("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	m := modifier[reconciliation.RuleOwner]{
		resource: "roles", listed: map[types.NamespacedName]reconciliation.RuleOwner{},
		create: func(o reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
			r, err := b.api.RbacV1().Roles(o.GetNamespace()).Create(ctx, o.GetObject().(*rbacv1.Role), metav1.CreateOptions{})
			return reconciliation.RoleRuleOwner{Role: r}, err
		},
		update: func(o reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
			r, err := b.api.RbacV1().Roles(o.GetNamespace()).Update(ctx, o.GetObject().(*rbacv1.Role), metav1.UpdateOptions{})
			return reconciliation.RoleRuleOwner{Role: r}, err
		},
	}
	for _, r := range list.Items {
		m.listed[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = reconciliation.RoleRuleOwner{Role: &r}
	}
	return each(ctx, byNamespace(bootstrappolicy.NamespaceRoles()), func(_ context.Context, r rbacv1.Role) error {
		return reconcileRole(reconciliation.RoleRuleOwner{Role: &r}, m)
	})
}

func reconcileRole(r reconciliation.RuleOwner, m modifier[reconciliation.RuleOwner]) error {
	o := reconciliation.ReconcileRoleOptions{Role: r, Client: m, Confirm: true}
	_, err := o.Run()
	return err
}

func (b *Bootstrap) clusterRoleBindings(ctx context.Context) error {
	api := b.api.RbacV1().ClusterRoleBindings()
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	m := modifier[reconciliation.RoleBinding]{
		resource: "clusterrolebindings", listed: map[types.NamespacedName]reconciliation.RoleBinding{},
		create: func(o reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
			r, err := api.Create(ctx, o.GetObject().(*rbacv1.ClusterRoleBinding), metav1.CreateOptions{})
			return reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: r}, err
		},
		update: func(o reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
			r, err := api.Update(ctx, o.GetObject().(*rbacv1.ClusterRoleBinding), metav1.UpdateOptions{})
			return reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: r}, err
		},
		remove: func(_, name string, o metav1.DeleteOptions) error { return api.Delete(ctx, name, o) },
	}
	for _, r := range list.Items {
		m.listed[types.NamespacedName{Name: r.Name}] = reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &r}
	}
	if err := splitBindings(m); err != nil {
		return err
	}
	return each(ctx, slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()), func(_ context.Context, r rbacv1.ClusterRoleBinding) error {
		return reconcileBinding(reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &r}, m)
	})
}

// splitBindings makes the bindings that were once part of others, with whom those bind.
func splitBindings(m modifier[reconciliation.RoleBinding]) error {
	parts := bootstrappolicy.ClusterRoleBindingsToSplit()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part := parts[name]
		target := types.NamespacedName{Name: part.Name}
		old, ok := m.listed[types.NamespacedName{Name: name}]
		if _, there := m.listed[target]; there || !ok {
			continue
		}
		part.Subjects, part.Labels, part.Annotations = old.GetSubjects(), old.GetLabels(), old.GetAnnotations()
		made, err := m.create(reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &part})
		if err != nil {
			return err
		}
		m.listed[target] = made
	}
	return nil
}

func (b *Bootstrap) namespacedBindings(ctx context.Context) error {
	list, err := b.api.RbacV1().RoleBindings("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	m := modifier[reconciliation.RoleBinding]{
		resource: "rolebindings", listed: map[types.NamespacedName]reconciliation.RoleBinding{},
		create: func(o reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
			r, err := b.api.RbacV1().RoleBindings(o.GetNamespace()).Create(ctx, o.GetObject().(*rbacv1.RoleBinding), metav1.CreateOptions{})
			return reconciliation.RoleBindingAdapter{RoleBinding: r}, err
		},
		update: func(o reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
			r, err := b.api.RbacV1().RoleBindings(o.GetNamespace()).Update(ctx, o.GetObject().(*rbacv1.RoleBinding), metav1.UpdateOptions{})
			return reconciliation.RoleBindingAdapter{RoleBinding: r}, err
		},
		remove: func(namespace, name string, o metav1.DeleteOptions) error {
			return b.api.RbacV1().RoleBindings(namespace).Delete(ctx, name, o)
		},
	}
	for _, r := range list.Items {
		m.listed[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = reconciliation.RoleBindingAdapter{RoleBinding: &r}
	}
	return each(ctx, byNamespace(bootstrappolicy.NamespaceRoleBindings()), func(_ context.Context, r rbacv1.RoleBinding) error {
		return reconcileBinding(reconciliation.RoleBindingAdapter{RoleBinding: &r}, m)
	})
}

func reconcileBinding(r reconciliation.RoleBinding, m modifier[reconciliation.RoleBinding]) error {
	o := reconciliation.ReconcileRoleBindingOptions{RoleBinding: r, Client: m, Confirm: true}
	_, err := o.Run()
	return err
}

// byNamespace joins the objects of all namespaces, in the order of the namespaces' names.
func byNamespace[T any](of map[string][]T) []T {
	var all []T
	for _, namespace := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[namespace]...)
	}
	return all
}
