package authz

import (
	"context"
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"kubarium/flow"
)

// byRules is RBAC that reports to a witness which rule of which role allowed something, or which bindings it tried in
// vain. The witness concludes that from what RBAC reads: RBAC goes through bindings in their order, reads the role of
// each that applies, and ends at the first rule that allows.
type byRules struct {
	*rbac.RBACAuthorizer
	roles Roles
}

func newByRules(roles Roles) byRules {
	seen := seenRoles{roles}
	return byRules{rbac.New(seen, seen, seen, seen), roles}
}

// Authorize fulfils authorizer.Authorizer.
func (b byRules) Authorize(ctx context.Context, attrs authorizer.Attributes) (authorizer.Decision, string, error) {
	w := witnessOf(ctx)
	if w == nil {
		return b.RBACAuthorizer.Authorize(ctx, attrs)
	}
	w.roles = &lookup{of: b.roles}
	d, reason, err := b.RBACAuthorizer.Authorize(ctx, attrs)
	if d == authorizer.DecisionAllow {
		w.grant = w.roles.grant(attrs)
	}
	return d, reason, err
}

// A lookup is what RBAC read for one question.
type lookup struct {
	of      Roles
	cluster []*rbacv1.ClusterRoleBinding
	inside  bool // whether it came to the bindings of the namespace
	bound   []*rbacv1.RoleBinding
	role    flow.Reference // the last one that was read
	rules   []rbacv1.PolicyRule
}

// seenRoles are roles and bindings that report each read to the lookup in ctx.
type seenRoles struct{ Roles }

func lookupOf(ctx context.Context) *lookup {
	if w := witnessOf(ctx); w != nil {
		return w.roles
	}
	return nil
}

// GetRole fulfils validation.RoleGetter.
func (s seenRoles) GetRole(ctx context.Context, namespace, name string) (*rbacv1.Role, error) {
	role, err := s.Roles.GetRole(ctx, namespace, name)
	if l := lookupOf(ctx); l != nil && err == nil {
		l.role, l.rules = flow.Reference{Kind: "Role", Namespace: namespace, Name: name}, role.Rules
	}
	return role, err
}

// GetClusterRole fulfils validation.ClusterRoleGetter.
func (s seenRoles) GetClusterRole(ctx context.Context, name string) (*rbacv1.ClusterRole, error) {
	role, err := s.Roles.GetClusterRole(ctx, name)
	if l := lookupOf(ctx); l != nil && err == nil {
		l.role, l.rules = flow.Reference{Kind: "ClusterRole", Name: name}, role.Rules
	}
	return role, err
}

// ListClusterRoleBindings fulfils validation.ClusterRoleBindingLister.
func (s seenRoles) ListClusterRoleBindings(ctx context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	all, err := s.Roles.ListClusterRoleBindings(ctx)
	if l := lookupOf(ctx); l != nil {
		l.cluster = all
	}
	return all, err
}

// ListRoleBindings fulfils validation.RoleBindingLister.
func (s seenRoles) ListRoleBindings(ctx context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	all, err := s.Roles.ListRoleBindings(ctx, namespace)
	if l := lookupOf(ctx); l != nil {
		l.inside, l.bound = true, all
	}
	return all, err
}

// A binding is either of the two kinds.
type binding struct {
	flow.Reference
	role     rbacv1.RoleRef
	subjects []rbacv1.Subject
}

// bindings are those that were read, in RBAC's order; those of the namespace alone with inside.
func (l *lookup) bindings(inside bool) func(yield func(binding) bool) {
	return func(yield func(binding) bool) {
		for _, b := range l.cluster {
			if !inside && !yield(binding{flow.Reference{Kind: "ClusterRoleBinding", Name: b.Name}, b.RoleRef, b.Subjects}) {
				return
			}
		}
		for _, b := range l.bound {
			if !yield(binding{flow.Reference{Kind: "RoleBinding", Namespace: b.Namespace, Name: b.Name}, b.RoleRef, b.Subjects}) {
				return
			}
		}
	}
}

// grant is what allowed a question: a rule of the role that was read last. The binding is the first one to that role that applies.
func (l *lookup) grant(attrs authorizer.Attributes) *flow.Grant {
	for b := range l.bindings(l.inside) {
		if b.role.Kind != l.role.Kind || b.role.Name != l.role.Name {
			continue
		}
		by, ok := applies(attrs.GetUser(), b)
		if !ok {
			continue
		}
		g := &flow.Grant{Binding: b.Reference, Role: l.role, Subject: subject(b, by), Rules: len(l.rules)}
		if i := slices.IndexFunc(l.rules, func(r rbacv1.PolicyRule) bool { return rbac.RuleAllows(attrs, &r) }); i >= 0 {
			r := &l.rules[i]
			g.Index, g.Rule = i+1, &flow.Rule{
				Verbs: r.Verbs, APIGroups: r.APIGroups, Resources: r.Resources, ResourceNames: r.ResourceNames, NonResourceURLs: r.NonResourceURLs,
			}
		}
		return g
	}
	return nil
}

// looked returns the bindings that apply to the user and did not help, and how many more there are.
func (w *witness) looked(ctx context.Context, attrs authorizer.Attributes) (all []flow.Grant, more int) {
	if w.roles == nil || attrs.GetUser() == nil {
		return nil, 0
	}
	l := w.roles
	for b := range l.bindings(false) {
		by, ok := applies(attrs.GetUser(), b)
		switch {
		case !ok:
		case len(all) == flow.MaxLooked:
			more++
		default:
			g := flow.Grant{Binding: b.Reference, Role: flow.Reference{Kind: b.role.Kind, Name: b.role.Name}, Subject: subject(b, by)}
			if b.role.Kind == "Role" {
				g.Role.Namespace = b.Namespace
			}
			rules, err := validation.NewDefaultRuleResolver(l.of, l.of, l.of, l.of).GetRoleReferenceRules(ctx, b.role, b.Namespace)
			g.Rules, g.Missing = len(rules), err != nil
			all = append(all, g)
		}
	}
	return all, more
}

func subject(b binding, i int) flow.Reference {
	s := b.subjects[i]
	r := flow.Reference{Kind: s.Kind, Name: s.Name}
	if s.Kind == rbacv1.ServiceAccountKind {
		if r.Namespace = s.Namespace; r.Namespace == "" {
			r.Namespace = b.Namespace
		}
	}
	return r
}

// applies returns which subject of a binding the user is. RBAC's own resolver knows: it reads the role of a binding
// that applies.
func applies(u user.Info, b binding) (int, bool) {
	if !reads(u, b.Namespace, b.subjects) {
		return 0, false
	}
	for i := range b.subjects {
		if len(b.subjects) == 1 || reads(u, b.Namespace, b.subjects[i:i+1]) {
			return i, true
		}
	}
	return 0, false
}

// reads reports whether the resolver reads the role of a binding of these subjects.
func reads(u user.Info, namespace string, subjects []rbacv1.Subject) bool {
	p := &probe{subjects: subjects, namespace: namespace}
	validation.NewDefaultRuleResolver(p, p, p, p).VisitRulesFor(context.Background(), u, namespace, func(fmt.Stringer, *rbacv1.PolicyRule, error) bool { return true })
	return p.read
}

// A probe is the only binding, and notes whether its role is read.
type probe struct {
	namespace string // "" for a ClusterRoleBinding
	subjects  []rbacv1.Subject
	read      bool
}

var errProbed = errors.New("there are no roles")

// GetRole fulfils validation.RoleGetter.
func (p *probe) GetRole(context.Context, string, string) (*rbacv1.Role, error) { return nil, errProbed }

// GetClusterRole fulfils validation.ClusterRoleGetter.
func (p *probe) GetClusterRole(context.Context, string) (*rbacv1.ClusterRole, error) {
	p.read = true
	return nil, errProbed
}

// ListClusterRoleBindings fulfils validation.ClusterRoleBindingLister.
func (p *probe) ListClusterRoleBindings(context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	if p.namespace != "" {
		return nil, nil
	}
	return []*rbacv1.ClusterRoleBinding{{Subjects: p.subjects, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole"}}}, nil
}

// ListRoleBindings fulfils validation.RoleBindingLister.
func (p *probe) ListRoleBindings(context.Context, string) ([]*rbacv1.RoleBinding, error) {
	return []*rbacv1.RoleBinding{{Subjects: p.subjects, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole"}}}, nil
}
