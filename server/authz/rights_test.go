package authz_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/flow"
	"kubarium/server/authz"
)

// The flow notes who decided: the rule, the role and the binding that allowed, or the bindings that were tried in vain.
func TestAuthorizer_rights(t *testing.T) {
	rbac := mustRBAC(t)
	const configMaps = "/api/v1/namespaces/default/configmaps"
	for _, c := range []struct {
		a            *authz.Authorizer
		who          user.Info
		method, path string
		want         string
	}{
		{rbac, ann, "GET", configMaps + "/mine", "allowed by RBAC: rule 3 of 3 [get list watch] of Role default/some by RoleBinding default/ann for User ann"},
		{rbac, ann, "DELETE", configMaps + "/other", "allowed by RBAC: rule 1 of 3 [update patch delete] of Role default/some by RoleBinding default/ann for User ann"},
		{rbac, ann, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "allowed by RBAC: rule 1 of 2 [create] of ClusterRole system:basic-user by ClusterRoleBinding system:basic-user for Group system:authenticated"},
		{rbac, joe, "GET", configMaps, "no opinion by , looked at ClusterRole system:basic-user (2 rules) by ClusterRoleBinding system:basic-user, " +
			"ClusterRole system:discovery (1 rules) by ClusterRoleBinding system:discovery, " +
			"ClusterRole system:public-info-viewer (1 rules) by ClusterRoleBinding system:public-info-viewer"},
		{rbac, lost, "GET", configMaps, "Role default/gone (missing) by RoleBinding default/lost"},
		{authz.AlwaysAllow(), joe, "GET", configMaps, ""},
	} {
		rec := flow.NewLog(flow.Limits{}).Begin(nil)
		_ = c.a.CheckRequest(flow.With(context.Background(), rec), asked(t, c.method, c.path), c.who)
		var all []string
		for _, q := range rec.Flow.Rights {
			all = append(all, told(q))
		}
		if got := strings.Join(all, "; "); got != c.want && !(c.who == lost && strings.HasSuffix(got, c.want)) {
			t.Errorf("%s %s by %s: %s\nwant %s", c.method, c.path, c.who.GetName(), got, c.want)
		}
	}
}

// told is what a Right says, in a line.
func told(q flow.Right) string {
	s := string(q.Decision) + " by " + q.By
	if g := q.Grant; g != nil {
		s += fmt.Sprintf(": rule %d of %d %v of %s by %s for %s", g.Index, g.Rules, g.Rule.Verbs, g.Role, g.Binding, g.Subject)
	}
	slices.SortFunc(q.Looked, func(a, b flow.Grant) int { return cmp.Compare(a.Binding.String(), b.Binding.String()) }) // RBAC's informers have no order
	for i, g := range q.Looked {
		s += map[bool]string{true: ", looked at ", false: ", "}[i == 0]
		if g.Missing {
			s += fmt.Sprintf("%s (missing) by %s", g.Role, g.Binding)
		} else {
			s += fmt.Sprintf("%s (%d rules) by %s", g.Role, g.Rules, g.Binding)
		}
	}
	return s
}
