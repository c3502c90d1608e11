package program_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// mustDecide starts a server on which roles decide, and lets the group devs create ConfigMaps. alice, who is one of them, has the client.
func mustDecide(t *testing.T) (p *program.Program, admin, alice kubernetes.Interface) {
	t.Helper()
	p = programtest.MustStartConfig(t, program.Config{
		Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All(), Modes: authz.Modes{authz.ModeRBAC},
	})
	admin = kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
	alice = kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1, Impersonate: rest.ImpersonationConfig{UserName: "alice", Groups: []string{"devs"}}})
	must[*rbacv1.Role](t)(admin.RbacV1().Roles("default").Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "writer"}, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"secrets"}},
		{Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"configmaps"}},
	}}, metav1.CreateOptions{}))
	must[*rbacv1.RoleBinding](t)(admin.RbacV1().RoleBindings("default").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "devs"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "writer"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "devs"}},
	}, metav1.CreateOptions{}))
	return p, admin, alice
}

// mustBound installs a ValidatingAdmissionPolicy "few" and a MutatingAdmissionPolicy "team", each with one expression and a binding.
func mustBound(t *testing.T, admin kubernetes.Interface) {
	t.Helper()
	api, match := admin.AdmissionregistrationV1(), &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: programtest.Rules(admissionregistrationv1.Create)[0]}}}
	fail := admissionregistrationv1.Fail
	must[*admissionregistrationv1.ValidatingAdmissionPolicy](t)(api.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "few"}, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: match, Validations: []admissionregistrationv1.Validation{{Expression: "size(object.data) <= 2", Message: "at most 2"}},
		},
	}, metav1.CreateOptions{}))
	must[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](t)(api.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "few-here"}, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "few", ValidationActions: []admissionregistrationv1.ValidationAction{"Deny"}},
	}, metav1.CreateOptions{}))
	must[*admissionregistrationv1.MutatingAdmissionPolicy](t)(api.MutatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "team"}, Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: match, FailurePolicy: &fail, ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			Mutations: []admissionregistrationv1.Mutation{{PatchType: admissionregistrationv1.PatchTypeApplyConfiguration, ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{
				Expression: `Object{metadata: Object.metadata{labels: {"team": "shop"}}}`,
			}}},
		},
	}, metav1.CreateOptions{}))
	must[*admissionregistrationv1.MutatingAdmissionPolicyBinding](t)(api.MutatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "team-here"}, Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: "team"},
	}, metav1.CreateOptions{}))
	full := labelled("full", "none")
	full.Data = map[string]string{"a": "", "b": "", "c": ""}
	programtest.Eventually(t, "the policies are followed", func() bool {
		made, err := admin.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("tried", "none"), metav1.CreateOptions{DryRun: []string{"All"}})
		_, refused := admin.CoreV1().ConfigMaps("default").Create(t.Context(), full, metav1.CreateOptions{DryRun: []string{"All"}})
		return err == nil && made.Labels["team"] == "shop" && refused != nil
	})
}

// mustFlow is the flow of a client's last request with this verb, for a resource.
func mustFlow(t *testing.T, p *program.Program, user, verb, resource string) *flow.Flow {
	t.Helper()
	var found *flow.Flow
	programtest.Eventually(t, user+"'s "+verb+" is recorded", func() bool {
		flows, _ := p.Log.Since(0, 0)
		for _, f := range slices.Backward(flows) {
			if f.Client.User == user && f.Target.Verb == verb && f.Target.Resource == resource {
				found = f
				return true
			}
		}
		return false
	})
	return found
}

// opinion is what a part of a plugin said to a request.
func opinion(t *testing.T, f *flow.Flow, plugin, name string) flow.Opinion {
	t.Helper()
	for _, m := range f.Plugins {
		for _, o := range m.Opinions {
			if m.Plugin == plugin && o.Name == name {
				return o
			}
		}
	}
	t.Fatalf("%s says nothing of %s: %+v", plugin, name, f.Plugins)
	return flow.Opinion{}
}

// One object's way through five guards: who came, which rule let it pass, what a policy and a webhook changed, who was away, who was passed
// over, and which policy had nothing against it.
func TestDecided(t *testing.T) {
	p, admin, alice := mustDecide(t)
	mustBound(t, admin)
	side := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return programtest.Patching("side", "yes")
	})
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	away := (&programtest.Hook{Server: gone}).Client()
	gone.Close()
	here := &metav1.LabelSelector{MatchLabels: map[string]string{"hook": "side"}}
	ignore := admissionregistrationv1.Ignore
	mustFollow(t, admin, mutating("side", side.Client(), nil),
		mutating("gone", away, func(w *admissionregistrationv1.MutatingWebhook) { w.ObjectSelector, w.FailurePolicy = here, &ignore }),
		mutating("never", away, func(w *admissionregistrationv1.MutatingWebhook) {
			w.ObjectSelector = here
			w.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "never", Expression: "object.metadata.name == 'x'"}}
		}))
	programtest.Eventually(t, "the role is followed", func() bool {
		_, err := alice.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("web", "side"), metav1.CreateOptions{})
		return err == nil
	})

	f := mustFlow(t, p, "alice", "create", "configmaps")
	if i := f.Identity; i == nil || i.By != flow.ByImpersonation || i.User != "alice" || i.Impersonator == nil || i.Impersonator.By != flow.ByPlainPort {
		t.Errorf("identity %+v", i)
	}
	at := slices.IndexFunc(f.Rights, func(q flow.Right) bool { return q.For == "" })
	if at < 0 {
		t.Fatalf("rights %+v", f.Rights)
	}
	q := f.Rights[at]
	if g := q.Grant; q.Decision != flow.Allowed || q.By != "RBAC" || g == nil || g.Index != 2 || g.Rules != 2 || g.Role.String() != "Role default/writer" ||
		g.Binding.String() != "RoleBinding default/devs" || g.Subject.String() != "Group devs" || !slices.Equal(g.Rule.Verbs, []string{"create"}) {
		t.Errorf("right %+v by %+v", q, g)
	}
	if o := opinion(t, f, "MutatingAdmissionPolicy", "team"); o.Said != flow.SaidChanged || o.By != "team-here" || len(o.Changes) != 1 || o.Changes[0].Path != "metadata.labels.team" || string(o.Changes[0].After) != `"shop"` || o.Expression == "" {
		t.Errorf("team %+v", o)
	}
	o := opinion(t, f, "MutatingAdmissionWebhook", "side.example.com")
	if o.Said != flow.SaidChanged || o.By != "m" || o.Length <= 0 || len(o.Changes) != 1 || o.Changes[0].Path != "data.side" || !slices.Equal(o.Warnings, []string{"seen by side"}) || o.Call == 0 {
		t.Fatalf("side %+v", o)
	}
	if c := f.Calls[o.Call-1]; c.Kind != flow.WebhookCall || c.Name != "side.example.com" || c.Host != side.URL || c.Flow.Status != 200 || !strings.Contains(string(c.Flow.RequestBody.Kept), `"AdmissionReview"`) || c.Flow.ResponseBody.Total == 0 {
		t.Errorf("call %+v of %+v", c.Flow, c)
	}
	if o := opinion(t, f, "MutatingAdmissionWebhook", "gone.example.com"); o.Said != flow.SaidIgnored || o.Message == "" {
		t.Errorf("gone %+v", o)
	}
	if o := opinion(t, f, "MutatingAdmissionWebhook", "never.example.com"); o.Said != flow.SaidSkipped || o.Call != 0 || o.Expression != "object.metadata.name == 'x'" {
		t.Errorf("never %+v", o)
	}
	if o := opinion(t, f, "ValidatingAdmissionPolicy", "few"); o.Said != flow.SaidAllowed || o.By != "few-here" || o.Expression != "size(object.data) <= 2" {
		t.Errorf("few %+v", o)
	}
}

// A refusal names who refused, and why: no rule of the roles that were looked at, a policy's expression, a webhook, and one that is away.
func TestDecided_refusals(t *testing.T) {
	p, admin, alice := mustDecide(t)
	mustBound(t, admin)
	no := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "not today"}}
	})
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	away := (&programtest.Hook{Server: gone}).Client()
	gone.Close()
	mustFollow(t, admin, mutating("no", no.Client(), nil), mutating("gone", away, nil))
	maps := alice.CoreV1().ConfigMaps("default")
	full := labelled("full", "none")
	full.Data = map[string]string{"a": "", "b": "", "c": ""}
	create := func(m *corev1.ConfigMap) *flow.Flow {
		if _, err := maps.Create(t.Context(), m, metav1.CreateOptions{}); err == nil {
			t.Fatalf("%s was created", m.Name)
		}
		return mustFlow(t, p, "alice", "create", "configmaps")
	}
	programtest.Eventually(t, "the role is followed", func() bool {
		_, err := maps.Create(t.Context(), labelled("first", "none"), metav1.CreateOptions{})
		return err == nil
	})

	if err := maps.Delete(t.Context(), "first", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Fatal(err)
	}
	f := mustFlow(t, p, "alice", "delete", "configmaps")
	if q := f.Rights[len(f.Rights)-1]; q.Decision != flow.NoOpinion || len(q.Looked) == 0 || q.Looked[len(q.Looked)-1].Binding.Name != "devs" || q.Looked[len(q.Looked)-1].Rules != 2 {
		t.Errorf("right %+v", q)
	}
	if o := opinion(t, create(full), "ValidatingAdmissionPolicy", "few"); o.Said != flow.SaidDenied || o.Message != "at most 2" || o.Expression != "size(object.data) <= 2" || o.By != "few-here" {
		t.Errorf("few %+v", o)
	}
	if o := opinion(t, create(labelled("b", "no")), "MutatingAdmissionWebhook", "no.example.com"); o.Said != flow.SaidDenied || o.Message != "not today" || o.Call == 0 {
		t.Errorf("no %+v", o)
	}
	f = create(labelled("c", "gone"))
	if o := opinion(t, f, "MutatingAdmissionWebhook", "gone.example.com"); o.Said != flow.SaidFailed || o.Message == "" || o.Call == 0 || f.Calls[o.Call-1].Flow.Status != 0 {
		t.Errorf("gone %+v", o)
	}
}
