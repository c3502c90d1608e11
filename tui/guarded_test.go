package tui

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
)

// ms are milliseconds.
func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// devs is what lets alice create Deployments.
var devs = flow.Grant{
	Binding: flow.Reference{Kind: "RoleBinding", Namespace: "shop", Name: "devs"}, Role: flow.Reference{Kind: "Role", Namespace: "shop", Name: "editor"},
	Subject: flow.Reference{Kind: "Group", Name: "devs"}, Index: 2, Rules: 3,
	Rule: &flow.Rule{Verbs: []string{"create", "update", "patch"}, APIGroups: []string{"apps"}, Resources: []string{"deployments"}},
}

// byAlice is a request of alice's for a Deployment, who proves herself by a certificate.
func (d *demo) byAlice(verb string, status int) *flow.Flow {
	f := d.request("k3", verb, "deployments", "", status, 11.6)
	f.Target.Namespace, f.Path = "shop", "/apis/apps/v1/namespaces/shop/deployments"
	f.RequestBody = flow.Keep([]byte(strings.Replace(deployment, "%d", "2", 1)))
	f.Identity = &flow.Identity{By: flow.ByCertificate, User: "alice", Groups: []string{"devs", "system:authenticated"}, Credential: "X509SHA256=2bd1"}
	f.Client.User = "alice"
	f.Rights = []flow.Right{{Verb: verb, Group: "apps", Resource: "deployments", Namespace: "shop", Decision: flow.Allowed, By: "RBAC", Grant: &devs}}
	f.Stations = nil
	at := time.Duration(0)
	for _, s := range []struct {
		name string
		took float64
	}{{"filters", 0.01}, {"route", 0.01}, {"authenticate", 0.06}, {"authorize", 0.09}, {"negotiate", 0.01}, {"decode", 0.3}, {"default", 0.1},
		{flow.Mutate, 8.4}, {"validate", 0.2}, {flow.Admit, 1.1}, {"store", 0.9}, {"encode", 0.2}, {"respond", 0.1}} {
		f.Stations = append(f.Stations, flow.Station{Name: s.name, Start: at, Length: ms(s.took)})
		at += ms(s.took)
	}
	f.Calls = []flow.Call{sidecarCall}
	f.Plugins = []flow.PluginMark{
		{Plugin: "NamespaceLifecycle", Station: flow.Mutate, Length: ms(0.02)},
		{Plugin: "MutatingAdmissionPolicy", Station: flow.Mutate, Length: ms(0.3), Opinions: []flow.Opinion{{
			Kind: flow.PolicyPart, Name: "team-label", By: "team-label", Said: flow.SaidChanged, Index: 1,
			Expression: `[JSONPatch{op: "add", path: "/metadata/labels/team", value: namespaceObject.metadata.labels.team}]`,
			Changes:    []flow.FieldChange{{Path: "metadata.labels.team", After: flow.Bytes(`"shop"`)}},
		}}},
		{Plugin: "MutatingAdmissionWebhook", Station: flow.Mutate, Length: ms(7.9), Opinions: []flow.Opinion{{
			Kind: flow.WebhookPart, Name: "sidecar.example.com", By: "sidecars", Said: flow.SaidChanged, Length: ms(7.8), Call: 1,
			Changes: []flow.FieldChange{{Path: "spec.template.spec.containers[1]", After: flow.Bytes(`{"image":"proxy:2","name":"proxy"}`)}},
		}}},
		{Plugin: "PodSecurity", Station: flow.Admit, Length: ms(0.05), Warnings: []string{`would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false`}},
		{Plugin: "ValidatingAdmissionPolicy", Station: flow.Admit, Length: ms(0.2), Opinions: []flow.Opinion{{
			Kind: flow.PolicyPart, Name: "replicas-max", By: "replicas-max", Params: "shop/limits", Said: flow.SaidAllowed, Expression: "object.spec.replicas <= int(params.data.max)", Index: 1,
		}}},
		{Plugin: "ResourceQuota", Station: flow.Admit, Length: ms(0.7)},
	}
	return f
}

// sidecarCall is the call of the webhook that adds a container.
var sidecarCall = flow.Call{
	Kind: flow.WebhookCall, Name: "sidecar.example.com", By: "sidecars", Station: flow.Mutate, Host: "https://127.0.0.1:9443",
	Flow: &flow.Flow{
		Start: noon, Duration: ms(7.8), Method: "POST", Path: "/inject", Query: "timeout=10s", Proto: "HTTP/1.1", Status: 200,
		RequestHeader: http.Header{"Content-Type": {"application/json"}}, ResponseHeader: http.Header{"Content-Type": {"application/json"}},
		RequestBody:  flow.Keep([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"e4b1","operation":"CREATE"}}`)),
		ResponseBody: flow.Keep(reviewAnswer),
	},
}

var reviewAnswer, _ = json.Marshal(map[string]any{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": map[string]any{
	"uid": "e4b1", "allowed": true, "patchType": "JSONPatch", "patch": []byte(`[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"proxy","image":"proxy:2"}}]`),
}})

// guards publishes what guards decided: one Deployment past all five, and a refusal by each.
func (d *demo) guards() {
	unknown := d.request("c3", "list", "pods", "", 401, 0.3)
	unknown.Reason, unknown.Message = "Unauthorized", "Unauthorized"
	unknown.Identity = &flow.Identity{Failure: "invalid bearer token"}
	unknown.Stations = []flow.Station{{Name: "filters", Length: ms(0.01)}, {Name: "route", Start: ms(0.01), Length: ms(0.01)}, {Name: "authenticate", Start: ms(0.02), Length: ms(0.2), Note: "invalid bearer token", Failed: true}}
	d.log.Publish(unknown)

	may := d.byAlice("delete", 403)
	may.Path, may.Target.Name = may.Path+"/web", "web"
	may.RequestBody, may.Plugins, may.Calls = flow.Body{}, nil, nil
	may.Reason, may.Message = "Forbidden", `deployments.apps "web" is forbidden: User "alice" cannot delete resource "deployments" in API group "apps" in the namespace "shop"`
	may.Stations = may.Stations[:4]
	may.Stations[3].Failed = true
	vain := devs
	vain.Index, vain.Rule = 0, nil
	may.Rights = []flow.Right{{Verb: "delete", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web", Decision: flow.NoOpinion, Looked: []flow.Grant{vain}}}
	d.log.Publish(may)

	policy := d.byAlice("create", 422)
	policy.Reason, policy.Message = "Invalid", `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'replicas-max' with binding 'replicas-max' denied request: at most 5 replicas`
	policy.Stations = policy.Stations[:10]
	policy.Stations[9].Failed = true
	policy.Plugins = policy.Plugins[:5]
	refused := &policy.Plugins[4]
	refused.Refusal = policy.Message
	refused.Opinions[0].Said, refused.Opinions[0].Message = flow.SaidDenied, "at most 5 replicas"
	d.log.Publish(policy)

	away := d.byAlice("create", 500)
	away.Reason, away.Message = "InternalError", `Internal error occurred: failed calling webhook "sidecar.example.com": connection refused`
	away.Stations = away.Stations[:8]
	away.Stations[7].Failed = true
	away.Plugins = away.Plugins[:3]
	lost := &away.Plugins[2]
	lost.Refusal = away.Message
	lost.Opinions[0].Said, lost.Opinions[0].Message, lost.Opinions[0].Changes = flow.SaidFailed, "connection refused", nil
	call := sidecarCall
	gone := *call.Flow
	gone.Status, gone.Message, gone.ResponseBody, gone.ResponseHeader = 0, "dial tcp 127.0.0.1:9443: connect: connection refused", flow.Body{}, nil
	call.Flow = &gone
	away.Calls = []flow.Call{call}
	d.log.Publish(away)

	d.passed()
}

// passed publishes a Deployment that all guards let pass.
func (d *demo) passed() {
	f := d.byAlice("create", 201)
	d.rv++
	f.Revision = d.rv
	c := flow.Commit{Revision: d.rv, Type: flow.Created, Resource: "deployments.apps", Namespace: "shop", Name: "web", At: d.at}
	f.Effects = []flow.Effect{{Commit: c, After: f.RequestBody.Kept}}
	d.log.Committed(c)
	d.log.Publish(f)
}

func init() {
	guarded := func(d *demo) { d.guards() }
	pageViews = append(pageViews,
		pageView{"guards-passed", guarded, []string{"G", "enter"}},
		pageView{"guards-stations", guarded, []string{"G", "enter", "]", "]", "]"}},
		pageView{"guards-call", guarded, []string{"G", "enter", "enter"}},
		pageView{"guards-call-response", guarded, []string{"G", "enter", "enter", "]", "]"}},
		pageView{"guards-forbidden", guarded, []string{"g", "j", "enter"}},
		pageView{"guards-policy", guarded, []string{"g", "j", "j", "enter"}},
		pageView{"guards-away", guarded, []string{"g", "j", "j", "j", "enter"}},
		pageView{"conflicts-guards", func(d *demo) { d.clashes(); d.guards() }, []string{"5", "G", "k"}},
	)
}

// What guards refuse is on the page of conflicts, counted apart.
func TestConflicts_Guards(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.clashes()
	d.guards()
	u, _ := testUI(d, "mono", 120, 36)
	var got []string
	for _, r := range u.conflicts().Rows {
		if r.Guard != nil {
			got = append(got, r.Guard.Guard+" at "+r.Guard.Station)
		}
	}
	want := "authentication at authenticate, authorization at authorize, policy replicas-max at admit, webhook sidecar.example.com at mutate"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if badge := u.conflicts().Tab().Badge; badge != "!4✗4" {
		t.Errorf("badge %q", badge)
	}
	u.keys("5")
	u.view()
	if badge := u.conflicts().Tab().Badge; badge != "" {
		t.Errorf("badge %q after a look", badge)
	}
}

// enter opens a call of the selected request, esc leads back to it, and another request shows none.
func TestCall(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.guards()
	u, _ := testUI(d, "mono", 120, 36)
	has := func(text string) {
		t.Helper()
		if shown := u.view(); !strings.Contains(shown, text) {
			t.Errorf("no %q in\n%s", text, shown)
		}
	}
	u.keys("G", "enter")
	has("rule 2 of Role shop/editor")
	u.keys("enter")
	has("→ webhook sidecar.example.com")
	has("It allows")
	u.keys("]")
	has("HTTP/1.1 to https://127.0.0.1:9443")
	u.keys("]")
	has("AdmissionReview")
	if shown := u.Shown(); shown.Path != "/inject" {
		t.Errorf("%s is shown", shown.Path)
	}
	u.keys("esc")
	if shown := u.Shown(); shown.Path == "/inject" {
		t.Error("the call is still shown")
	}
	u.keys("enter")
	u.keys("esc", "esc", "k")
	if c, _ := u.Call(); c != nil {
		t.Error("a call of a request that is not selected")
	}
}

// In plain mode a call is one more word of show.
func TestCallNamed(t *testing.T) {
	for _, c := range []struct {
		side  string
		calls int
		n     int
		rest  string
		err   string
	}{
		{"sql", 2, 0, "sql", ""},
		{" call 2 response", 2, 2, "response", ""},
		{"call 1", 2, 1, "", ""},
		{"call 3", 2, 0, "", "it has the calls 1 to 2: show 12 call 1 response"},
		{"call x", 2, 0, "", "it has the calls 1 to 2: show 12 call 1 response"},
		{"call 1", 0, 0, "", "the server called nobody for this request"},
	} {
		n, rest, err := callNamed(c.side, c.calls)
		if said := ""; err != nil {
			if said = err.Error(); said != c.err {
				t.Errorf("%q: %s", c.side, said)
			}
		} else if n != c.n || rest != c.rest || c.err != "" {
			t.Errorf("%q: %d %q", c.side, n, rest)
		}
	}
}

// The call to a server behind the server has the bodies of the request that it handed on.
func TestCall_shared(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "get", "flunders", "f", 200, 4)
	f.ResponseBody = flow.Keep([]byte(`{"kind":"Flunder"}`))
	f.Calls = []flow.Call{{Kind: flow.AggregatedCall, Name: "v1.wardle.example.com", Host: "https://127.0.0.1:6444", Shared: true, Flow: &flow.Flow{
		Method: "GET", Path: f.Path, Proto: "HTTP/2.0", Status: 200, ResponseHeader: http.Header{"Content-Type": {"application/json"}}, ResponseBody: flow.Body{Total: 18},
	}}}
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("G", "enter", "enter", "]", "]")
	if shown := u.view(); !strings.Contains(shown, `"kind": "Flunder"`) {
		t.Errorf("no body in\n%s", shown)
	}
	first, _ := u.Call()
	if second, _ := u.Call(); first != second {
		t.Error("another call each time")
	}
}
