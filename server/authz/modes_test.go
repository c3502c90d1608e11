package authz_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"kubarium/server/authz"
)

// The flag takes the modes that Kubarium knows, each once, and says which those are when it refuses another.
func TestModes_Set(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  []string
		err   string
	}{
		{[]string{"RBAC"}, []string{"RBAC"}, ""},
		{[]string{"RBAC,AlwaysAllow"}, []string{"RBAC", "AlwaysAllow"}, ""},
		{[]string{"RBAC", "AlwaysDeny"}, []string{"RBAC", "AlwaysDeny"}, ""},
		{[]string{""}, nil, "at least one authorization-mode must be passed"},
		{[]string{"Node,RBAC"}, nil, "authorization-mode Node is not supported by Kubarium; say AlwaysAllow, AlwaysDeny or RBAC"},
		{[]string{"Webhook"}, nil, "authorization-mode Webhook is not supported by Kubarium; say AlwaysAllow, AlwaysDeny or RBAC"},
		{[]string{"ABAC"}, nil, "authorization-mode ABAC is not supported"},
		{[]string{"rbac"}, nil, `authorization-mode "rbac" is not a valid mode; say AlwaysAllow, AlwaysDeny or RBAC`},
		{[]string{"RBAC,"}, nil, `authorization-mode "" is not a valid mode`},
		{[]string{"RBAC,RBAC"}, nil, `authorization-mode ["RBAC" "RBAC"] has mode specified more than once`},
		{[]string{"RBAC", "RBAC"}, []string{"RBAC"}, `authorization-mode ["RBAC" "RBAC"] has mode specified more than once`},
	} {
		var m authz.Modes
		var err error
		for _, text := range c.texts {
			err = m.Set(text)
		}
		if !slices.Equal(m, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v; want %v, %q", c.texts, m, err, c.want, c.err)
		}
		if want := strings.Join(c.want, ","); m.String() != want {
			t.Errorf("%q: shown as %q", c.texts, m.String())
		}
	}
}

// Modes decide in turn, and system:masters goes before all of them.
func TestNew(t *testing.T) {
	anybody := &user.DefaultInfo{Name: "joe"}
	master := &user.DefaultInfo{Name: "root", Groups: []string{user.SystemPrivilegedGroup}}
	for _, c := range []struct {
		modes   authz.Modes
		who     user.Info
		allowed bool
		reason  string
	}{
		{nil, anybody, true, ""},
		{authz.Modes{authz.ModeAlwaysAllow}, anybody, true, ""},
		{authz.Modes{authz.ModeAlwaysDeny}, anybody, false, "alwaysdeny: Everything is forbidden."},
		{authz.Modes{authz.ModeAlwaysDeny}, master, true, ""},
		{authz.Modes{authz.ModeAlwaysDeny, authz.ModeAlwaysAllow}, anybody, true, ""},
	} {
		a, err := authz.New(c.modes, nil)
		if err != nil {
			t.Fatal(err)
		}
		decision, reason, err := a.Authorize(context.Background(), authorizer.AttributesRecord{User: c.who, Verb: "get", Path: "/"})
		if (decision == authorizer.DecisionAllow) != c.allowed || reason != c.reason || err != nil {
			t.Errorf("%v, %s: %v %q %v", c.modes, c.who.GetName(), decision, reason, err)
		}
	}
	for _, modes := range []authz.Modes{{"Node"}, {"AlwaysAllow", "AlwaysAllow"}} {
		if _, err := authz.New(modes, nil); err == nil {
			t.Errorf("%v: taken", modes)
		}
	}
}

// Modes that kube-apiserver alone has are separated from the rest, which Set takes or refuses.
func TestKnown(t *testing.T) {
	for text, want := range map[string]string{
		"RBAC": "RBAC | ", "Node,RBAC,Webhook": "RBAC | Node,Webhook", "ABAC": " | ABAC", "rbac,Node": "rbac | Node", "": " | ",
	} {
		kept, missing := authz.Known(text)
		if got := kept + " | " + strings.Join(missing, ","); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
