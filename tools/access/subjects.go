package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// namespace is where bindings of a namespace are, and the one that is asked about besides the whole cluster.
const namespace = "access-demo"

// A subject is a user with one role.
type subject struct {
	user      string
	role      rbacv1.RoleRef
	namespace string // of the binding; "" for one of the whole cluster
}

// clusterRoles are the default roles that are compared.
var clusterRoles = []string{
	"cluster-admin", "admin", "edit", "view", "system:discovery", "system:basic-user", "system:public-info-viewer", "system:monitoring",
	"system:node", "system:kube-controller-manager", "system:kube-scheduler", "system:controller:deployment-controller",
}

// subjects are a user for each of these roles, one who may edit a namespace, and one who may do something with one object.
func subjects() []subject {
	var all []subject
	for _, role := range clusterRoles {
		all = append(all, subject{user: "access-" + role, role: clusterRole(role)})
	}
	return append(all,
		subject{user: "access-edit-here", role: clusterRole("edit"), namespace: namespace},
		subject{user: "access-named", role: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: named.Name}, namespace: namespace},
		subject{user: "access-lost", role: clusterRole("access-there-is-none")},
	)
}

func clusterRole(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
}

// named is a role for one name, which RBAC also heeds where a request names none.
var named = &rbacv1.Role{
	ObjectMeta: metav1.ObjectMeta{Name: "access-named", Namespace: namespace},
	Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"configmaps", "*/status"}, ResourceNames: []string{object}, Verbs: []string{"*"}},
	},
}

// object is the name that questions ask about.
const object = "access-object"

// prepare makes the subjects on a server, and fills its aggregated roles.
func (s *server) prepare(ctx context.Context) error {
	if err := s.bootstrapped(ctx); err != nil {
		return err
	}
	_, err := s.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err := there(err); err != nil {
		return err
	}
	if err := s.aggregate(ctx); err != nil {
		return err
	}
	_, err = s.RbacV1().Roles(namespace).Create(ctx, named, metav1.CreateOptions{})
	if err := there(err); err != nil {
		return err
	}
	for _, one := range subjects() {
		if err := s.bind(ctx, one); err != nil {
			return fmt.Errorf("%s: bind %s: %w", s.name, one.user, err)
		}
	}
	return nil
}

func (s *server) bind(ctx context.Context, one subject) (err error) {
	meta := metav1.ObjectMeta{Name: one.user, Namespace: one.namespace}
	who := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: one.user}}
	if one.namespace == "" {
		_, err = s.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: one.role, Subjects: who}, metav1.CreateOptions{})
	} else {
		_, err = s.RbacV1().RoleBindings(one.namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: one.role, Subjects: who}, metav1.CreateOptions{})
	}
	return there(err)
}

// there forgives that something has been made by an earlier run.
func there(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// bootstrapped waits for the default roles, which a server makes after it is ready.
func (s *server) bootstrapped(ctx context.Context) error {
	for range 100 {
		missing := false
		for _, name := range clusterRoles {
			_, err := s.RbacV1().ClusterRoles().Get(ctx, name, metav1.GetOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			missing = missing || err != nil
		}
		if !missing {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s has no default roles", s.name)
}

// aggregate fills the roles that others are aggregated to, in the order of the others' names, as the controller of
// kube-controller-manager does.
func (s *server) aggregate(ctx context.Context) error {
	// edit takes the rules of view, and admin those of edit: so many rounds until the last has them all.
	for range 3 {
		list, err := s.RbacV1().ClusterRoles().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, role := range list.Items {
			if role.AggregationRule == nil {
				continue
			}
			role.Rules = nil
			for _, selector := range role.AggregationRule.ClusterRoleSelectors {
				parts, err := s.RbacV1().ClusterRoles().List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(&selector)})
				if err != nil {
					return err
				}
				for _, part := range parts.Items {
					role.Rules = joined(role.Rules, part.Rules)
				}
			}
			role.ResourceVersion = "" // a controller may have filled it, too
			if _, err := s.RbacV1().ClusterRoles().Update(ctx, &role, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// joined are rules with those of more that are not among them.
func joined(rules, more []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	for _, r := range more {
		if !slices.ContainsFunc(rules, func(have rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(have, r) }) {
			rules = append(rules, r)
		}
	}
	return rules
}
