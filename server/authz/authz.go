package authz

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// An Authorizer says who may do what, and lists what a user may do. It is safe for concurrent use.
type Authorizer struct {
	authorizer.Authorizer
	authorizer.RuleResolver
	// masters is the first of them: it allows everything to the group system:masters.
	masters authorizer.Authorizer
	// always says that all users may do everything, so that no question is needed.
	always bool
}

// New returns an Authorizer of these modes, each of which is there once. It takes listers of roles and bindings from
// the factory, which may be nil without RBAC; the caller starts the factory afterwards. Until its informers have their
// objects, RBAC refuses everything except to system:masters.
func New(modes Modes, factory informers.SharedInformerFactory) (*Authorizer, error) {
	masters := authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)
	chain := []union.NamedAuthorizer{{AuthorizerName: "kubernetes.io/system-privileged-group", Authorizer: named{masters, mastersName}}}
	var resolvers []authorizer.RuleResolver
	for _, mode := range modes.orDefault() {
		a, err := authorizerOf(mode, factory)
		if err != nil {
			return nil, err
		}
		chain = append(chain, union.NamedAuthorizer{AuthorizerName: strings.ToLower(mode), Authorizer: named{a, mode}})
		resolvers = append(resolvers, a)
	}
	all, err := union.New(chain...)
	if err != nil {
		return nil, err
	}
	return &Authorizer{
		Authorizer: all, masters: masters, RuleResolver: union.NewRuleResolvers(resolvers...),
		always: slices.Equal(modes.orDefault(), []string{ModeAlwaysAllow}),
	}, nil
}

// A deciding authorizer is one that can also list its rules.
type deciding interface {
	authorizer.Authorizer
	authorizer.RuleResolver
}

func authorizerOf(mode string, factory informers.SharedInformerFactory) (deciding, error) {
	switch mode {
	case ModeAlwaysAllow:
		return authorizerfactory.NewAlwaysAllowAuthorizer(), nil
	case ModeAlwaysDeny:
		return authorizerfactory.NewAlwaysDenyAuthorizer(), nil
	case ModeRBAC:
		listers := factory.Rbac().V1()
		return newByRules(heard{
			&rbac.RoleGetter{Lister: listers.Roles().Lister()},
			&rbac.RoleBindingLister{Lister: listers.RoleBindings().Lister()},
			&rbac.ClusterRoleGetter{Lister: listers.ClusterRoles().Lister()},
			&rbac.ClusterRoleBindingLister{Lister: listers.ClusterRoleBindings().Lister()},
		}), nil
	}
	return nil, fmt.Errorf("authorization-mode %q is not a valid mode; say %s", mode, list(known))
}

// heard are the roles and bindings that informers have heard of.
type heard struct {
	*rbac.RoleGetter
	*rbac.RoleBindingLister
	*rbac.ClusterRoleGetter
	*rbac.ClusterRoleBindingLister
}

// AlwaysAllow returns the Authorizer of that mode alone, kube-apiserver's default.
var AlwaysAllow = sync.OnceValue(func() *Authorizer {
	a, err := New(nil, nil)
	if err != nil {
		panic(err) // the mode is known and there once
	}
	return a
})

// OrAlwaysAllow is a, or for nil the Authorizer that allows everything.
func (a *Authorizer) OrAlwaysAllow() *Authorizer {
	if a == nil {
		return AlwaysAllow()
	}
	return a
}
