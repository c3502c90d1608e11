package role_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"kubarium/analysis/role"
	"kubarium/flow"
)

func asks(verb, group, resource, sub, namespace string) *flow.Flow {
	return &flow.Flow{Target: flow.Target{Verb: verb, Group: group, Resource: resource, Subresource: sub, Namespace: namespace}}
}

// Roles allow what was asked and no more: what all namespaces have is in no Role, and alike resources share a rule.
func TestRoles(t *testing.T) {
	create := asks("apply", "apps", "deployments", "", "shop")
	create.Rights = []flow.Right{
		{Verb: "patch", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web"},
		{Verb: "create", Group: "apps", Resource: "deployments", Namespace: "shop", For: flow.ForCreate},
		{Verb: "get", Resource: "secrets", Namespace: "shop", For: flow.ForAdmission},
		{Verb: "get", Path: "/version"},
	}
	uses := role.Uses([]*flow.Flow{
		asks("list", "", "pods", "", ""), asks("watch", "", "pods", "", ""), asks("list", "", "pods", "", "shop"),
		asks("list", "", "services", "", ""), asks("watch", "", "services", "", ""),
		asks("get", "", "pods", "log", "shop"), asks("get", "", "", "", ""), create,
		{Phase: flow.WatchClosed, Target: flow.Target{Verb: "watch", Resource: "events"}},
	})
	cluster, roles := role.Roles(uses, "keeper")
	var got string
	for _, o := range []any{cluster.Rules, roles[0].Namespace, roles[0].Rules} {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		got += string(text)
	}
	const want = `- apiGroups:
  - ""
  resources:
  - pods
  - services
  verbs:
  - list
  - watch
shop
- apiGroups:
  - ""
  resources:
  - pods/log
  verbs:
  - get
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - create
  - patch
`
	if got != want || len(roles) != 1 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What rules grant beyond the uses is named, by resource.
func TestUnused(t *testing.T) {
	uses := role.Uses([]*flow.Flow{asks("list", "", "pods", "", ""), asks("update", "apps", "deployments", "status", "shop")})
	for name, c := range map[string]struct {
		rule rbacv1.PolicyRule
		want []string
	}{
		"verbs":     {rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"watch", "list", "get"}}, []string{"get, watch of pods"}},
		"resources": {rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments", "*/status"}, Verbs: []string{"update"}}, []string{"update of deployments.apps"}},
		"all":       {rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}, nil},
		"none":      {rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"*"}, Verbs: []string{"*"}}, []string{"* of *.batch"}},
	} {
		if got := role.Unused([]rbacv1.PolicyRule{c.rule}, uses); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
