package decision

import (
	"strings"
	"testing"
	"time"

	"kubarium/flow"
)

func text(f *flow.Flow, width int, whole bool) string {
	var b strings.Builder
	for _, l := range Lines(f, width, whole) {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// The short form leaves out unimportant decisions.
func TestLines_Nothing(t *testing.T) {
	for name, f := range map[string]*flow.Flow{
		"the plain port": {Identity: &flow.Identity{By: flow.ByPlainPort, User: "system:admin"}},
		"system:masters": {Identity: &flow.Identity{By: flow.ByPlainPort},
			Rights: []flow.Right{{Decision: flow.Allowed, By: "system:masters"}}},
		"silent plugins": {Plugins: []flow.PluginMark{{Plugin: "ResourceQuota", Station: flow.Admit,
			Length: time.Millisecond}}},
		"a skipped part": {Plugins: []flow.PluginMark{{Plugin: "ValidatingAdmissionWebhook", Station: flow.Admit,
			Opinions: []flow.Opinion{{Kind: flow.WebhookPart, Name: "w", Said: flow.SaidSkipped}}}}},
		"nothing": {},
	} {
		if got := text(f, 100, false); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Each decision is one or a few lines, only from recorded facts.
func TestLines(t *testing.T) {
	role := flow.Reference{Kind: "ClusterRole", Name: "view"}
	binding := flow.Reference{Kind: "RoleBinding", Namespace: "shop", Name: "readers"}
	subject := flow.Reference{Kind: "User", Name: "bob"}
	alice := &flow.Identity{By: flow.ByStaticToken, User: "alice"}
	for _, c := range []struct {
		name string
		f    flow.Flow
		want string
	}{
		{"not authenticated", flow.Flow{Identity: &flow.Identity{Failure: "token expired"}},
			"authenticate ✗ not authenticated: token expired\n"},
		{"a name that may not be taken", flow.Flow{Identity: &flow.Identity{By: flow.ByStaticToken, User: "alice",
			Failure: "cannot impersonate bob"}},
			"authenticate ✗ alice (static token), without impersonation: cannot impersonate bob\n"},
		{"impersonation", flow.Flow{Identity: &flow.Identity{By: flow.ByImpersonation, User: "bob",
			Impersonator: alice}}, "authenticate bob, impersonated by alice (static token)\n"},
		{"an allowed path", flow.Flow{Identity: alice,
			Rights: []flow.Right{{Verb: "get", Path: "/metrics", Decision: flow.Allowed, By: "RBAC",
				Grant: &flow.Grant{Role: role, Binding: binding, Subject: subject, Index: 1}}}},
			"authorize    alice (static token) may get /metrics: rule 1 of ClusterRole view, by RoleBinding\n        " +
				"     shop/readers (User bob)\n"},
		{"a denial by one", flow.Flow{Identity: alice,
			Rights: []flow.Right{{Verb: "get", Resource: "pods", Subresource: "log", Name: "p", Namespace: "shop",
				Decision: flow.Denied, By: "Webhook", Reason: "not today"}}},
			"authorize    ✗ alice (static token) may not get pods/log p in shop: Webhook denies it, not today\n"},
		{"no binding", flow.Flow{Identity: alice,
			Rights: []flow.Right{{Verb: "list", Resource: "pods", Decision: flow.NoOpinion}}},
			"authorize    ✗ alice (static token) may not list pods: no binding names them or one of their groups\n"},
		{"a role that is missing", flow.Flow{Identity: alice,
			Rights: []flow.Right{{Verb: "list", Resource: "pods", Decision: flow.NoOpinion,
				Looked: []flow.Grant{{Role: role, Binding: binding, Subject: subject, Missing: true}}, More: 2}}},
			"authorize    ✗ alice (static token) may not list pods: none of the 3 bindings that apply gives such\n   " +
				"          a right\n" +
				"               checked ClusterRole view, by RoleBinding shop/readers (User bob): there is no such\n " +
				"                role\n               and 2 more\n"},
		{"a further question", flow.Flow{Identity: alice,
			Rights: []flow.Right{{For: flow.ForEscalation, Verb: "escalate", Group: "rbac.authorization.k8s.io",
				Resource: "roles", Decision: flow.NoOpinion, Reason: "no"}}},
			"authorize    ✗ alice (static token) may not escalate roles.rbac.authorization.k8s.io (to grant more\n   " +
				"          than they have): no\n"},
		{"a plugin that changes", flow.Flow{Plugins: []flow.PluginMark{{Plugin: "Priority", Station: flow.Mutate,
			Length: 40 * time.Microsecond, Changes: []flow.FieldChange{
				{Path: "spec.priority", After: flow.Bytes("0")}, {Path: "spec.x", Before: flow.Bytes("1")},
				{Path: "spec.y", Before: flow.Bytes("1"), After: flow.Bytes("2")}}}}},
			"mutate       Priority                   0.04  + spec.priority  - spec.x  ~ spec.y\n"},
		{"a plugin that refuses", flow.Flow{Plugins: []flow.PluginMark{{Plugin: "ResourceQuota", Station: flow.Admit,
			Refusal: "exceeded quota: q"}}},
			"admit        ✗ ResourceQuota                  exceeded quota: q\n"},
		{"a webhook that is away, and may be",
			flow.Flow{Plugins: []flow.PluginMark{{Plugin: "MutatingAdmissionWebhook", Station: flow.Mutate,
				Opinions: []flow.Opinion{{Kind: flow.WebhookPart, Name: "w", Said: flow.SaidIgnored,
					Message: "refused"}}}}},
			"mutate       → w                              failed, which its failurePolicy ignores: refused\n"},
		{"a converter", flow.Flow{Calls: []flow.Call{{Kind: flow.ConversionCall, Name: "fish.example.com",
			Station: "cache", Host: "https://h:1", Flow: &flow.Flow{Status: 200, Duration: 3 * time.Millisecond}}}},
			"cache        → fish.example.com          3.0  conversion https://h:1 200\n"},
		{"a server that is away", flow.Flow{Calls: []flow.Call{{Kind: flow.AggregatedCall, Name: "v1.example.com",
			Station: "proxy", Flow: &flow.Flow{Message: "refused"}}}},
			"proxy        → v1.example.com                 refused\n"},
	} {
		if got := text(&c.f, 100, false); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// The whole form has values, plugins without effect, and audit annotations.
func TestLines_Whole(t *testing.T) {
	f := &flow.Flow{
		Identity: &flow.Identity{By: flow.ByServiceAccount, User: "system:serviceaccount:shop:web", UID: "u1",
			Groups: []string{"a", "b"}, Extra: map[string][]string{"k": {"v"}}, Credential: "JTI=1"},
		Plugins: []flow.PluginMark{
			{Plugin: "AlwaysPullImages", Station: flow.Mutate},
			{Plugin: "ServiceAccount", Station: flow.Mutate, Annotations: map[string]string{"a/b": "c"},
				Changes: []flow.FieldChange{{Path: "spec.x", Before: flow.Bytes(`"1"`), After: flow.Bytes(`"2"`),
					Cut: true}}},
		},
	}
	want := `authenticate system:serviceaccount:shop:web (service account token)
               groups a, b
               uid u1
               k v
               credential JTI=1
mutate       ServiceAccount                   changed 1 field
               - spec.x: "1" …
               + spec.x: "2" …
               audit a/b: c
             nothing to say: AlwaysPullImages
`
	if got := text(f, 100, true); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}
