package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/redact"
)

// marker is what must not be seen.
const marker = "s3same"

// holders are objects and patches with the marker in the place of secret data.
var holders = map[string]string{
	"data":               `{"metadata":{"name":"x"},"data":{"k":"s3same"}}`,
	"stringData":         `{"stringData":{"k":"s3same","l":"as3sameb"}}`,
	"last applied":       `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"k\":\"s3same\"}}"}}}`,
	"list":               `{"kind":"SecretList","items":[{"data":{"k":"s3same"}},{"data":{"l":"s3same"}}]}`,
	"table":              `{"kind":"Table","rows":[{"cells":["x"],"object":{"data":{"k":"s3same"}}}]}`,
	"JSON Patch":         `[{"op":"test","path":"/data/k","value":"s3same"},{"op":"add","path":"/data","value":{"k":"s3same"}}]`,
	"JSON Patch of name": `[{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration","value":"s3same"}]`,
	"merge patch":        `{"data":{"k":null,"l":"s3same"}}`,
	"wrong type":         `{"data":["s3same",{"k":"s3same"}],"stringData":"s3same"}`,
	"wrong case":         `{"Data":{"k":"s3same"},"stringdata":{"k":"s3same"}}`,
	"escaped name":       `{"d\u0061ta":{"k":"s3\u0073ame"}}`,
	"named twice":        `{"data":{"k":"s3same"},"data":{"k":"s3same"}}`,
	"YAML":               "data:\n  k: s3same\n",
	"cut":                `{"data":{"k":"s3same`,
	"too many braces":    `{"data":{"k":"s3same"}}}s3same`,
	"two documents":      `{"data":{"k":"s3same"}} {"data":{"k":"s3same"}}`,
	"bytes":              "k8s\x00s3same",
	"text":               "s3same",
}

// secretFlow is a request for a Secret with a text in all places where one of its objects can be.
func secretFlow(t *testing.T, text string) *flow.Flow {
	t.Helper()
	l := flow.NewLog(flow.Limits{})
	r := l.Begin(nil)
	r.Statement("INSERT INTO objects VALUES (?, ?, ?)", 1, 0, text, []byte(text), strings.Repeat("x", 130)+text)
	f := r.Flow
	f.Target = flow.Target{Verb: "update", Resource: "secrets", Namespace: "a", Name: "x"}
	f.RequestHeader = http.Header{"Authorization": {"Bearer " + marker}, "Cookie": {marker},
		"Sec-Websocket-Protocol": {"base64url.bearer.authorization.k8s.io." + marker}}
	f.ResponseHeader = http.Header{"Set-Cookie": {marker}}
	f.RequestBody, f.ResponseBody = flow.Keep([]byte(text)), flow.Body{Kept: []byte(text), Total: 900_000, Cut: true}
	f.Effects = []flow.Effect{{Before: []byte(text), After: []byte(text)}}
	f.Conflict = &flow.Conflict{Base: []byte(text), Object: []byte(text)}
	return &f
}

// No secret stays in a flow, in any place or form, and the flow itself is not changed.
func TestFlow(t *testing.T) {
	for name, text := range holders {
		f := secretFlow(t, text)
		if name == "YAML" || name == "bytes" || name == "text" {
			f.Statements = nil // the store binds JSON
		}
		before := mustJSON(t, f)
		if got := mustJSON(t, redact.Flow(f)); strings.Contains(got, marker) || !strings.Contains(got, redact.Hidden) {
			t.Errorf("%s: %s", name, got)
		}
		if mustJSON(t, f) != before {
			t.Errorf("%s: the flow has changed", name)
		}
	}
}

// Records of authentication, authorization and admission of a Secret are masked too: changes by plugins, requests and
// answers of webhooks, annotations, the proof of identity, and tokens in reviews.
func TestFlow_guards(t *testing.T) {
	call := func(kind flow.CallKind, text string) flow.Call {
		return flow.Call{Kind: kind, Flow: &flow.Flow{
			RequestHeader:  http.Header{"Authorization": {"Bearer " + marker}},
			ResponseHeader: http.Header{"Set-Cookie": {marker}},
			RequestBody:    flow.Keep([]byte(text)), ResponseBody: flow.Keep([]byte(text)),
		}}
	}
	const review = `{"request":{"object":{"data":{"k":"` + marker + `"}}},"response":{"patch":"` + marker + `"}}`
	changes := []flow.FieldChange{{Path: "data.k", Before: flow.Bytes(`"` + marker + `"`),
		After: flow.Bytes(`"` + marker + `"`)},
		{Path: "metadata.labels.a", After: flow.Bytes(`"seen"`)},
		{Path: "spec", After: flow.Bytes(`{"data":"` + marker + `"}`)}}
	patch := flow.Bytes(`[{"op":"add","path":"/data/k","value":"` + marker + `"}]`)
	for name, f := range map[string]*flow.Flow{
		"secret": {Target: flow.Target{Resource: "secrets"}, Calls: []flow.Call{call(flow.WebhookCall, review)},
			Plugins: []flow.PluginMark{{Changes: changes,
				Opinions: []flow.Opinion{{Changes: changes, Patch: patch}}}},
			Annotations: map[string]string{"patch.webhook.admission.k8s.io/round_0_index_0": marker,
				"patch.webhook.admission.k8s.io/round_0_index_1": marker, "seen": "seen"}},
		"token": {Target: flow.Target{Resource: "pods"},
			Calls: []flow.Call{call(flow.TokenCall, `{"seen":"seen","spec":{"token":"`+marker+`"}}`)}},
	} {
		before := mustJSON(t, f)
		if got := mustJSON(t, redact.Flow(f)); strings.Contains(got, marker) || !strings.Contains(got, "seen") {
			t.Errorf("%s: %s", name, got)
		}
		if mustJSON(t, f) != before {
			t.Errorf("%s: the flow has changed", name)
		}
	}
}

// In Protobuf, CBOR and YAML a Secret is hidden as a whole.
func TestFlow_encodings(t *testing.T) {
	s := &corev1.Secret{Data: map[string][]byte{"k": []byte(marker)}, StringData: map[string]string{"k": marker}}
	s.APIVersion, s.Kind, s.Name = "v1", "Secret", "x"
	for _, c := range []*codecs.Codec{codecs.Protobuf, codecs.CBOR, codecs.YAML, codecs.JSON} {
		var b bytes.Buffer
		if err := c.Encode(&b, s, false); err != nil {
			t.Fatal(err)
		}
		f := secretFlow(t, "{}")
		f.RequestBody = flow.Keep(b.Bytes())
		got := string(redact.Flow(f).RequestBody.Kept)
		if strings.Contains(got, marker) || strings.Contains(got, "czNzYW1l") || !strings.Contains(got, redact.Hidden) {
			t.Errorf("%s", got)
		}
	}
}

// Secrets are recognized by the resource, or by the changes of the request; everything else is shown, except headers.
func TestKeys(t *testing.T) {
	for name, c := range map[string]struct {
		flow flow.Flow
		want string
	}{
		"secrets": {flow.Flow{Target: flow.Target{Resource: "secrets"}}, "[data stringData]"},
		"token":   {flow.Flow{Target: flow.Target{Resource: "serviceaccounts", Subresource: "token"}}, "[token]"},
		"review": {flow.Flow{Target: flow.Target{Group: "authentication.k8s.io", Resource: "tokenreviews"}},
			"[token]"},
		"elsewhere": {flow.Flow{Target: flow.Target{Resource: "configmaps"},
			RequestBody: flow.Keep([]byte(`{"kind":"Secret"}`))}, "[data stringData]"},
		"a list": {flow.Flow{RequestBody: flow.Keep([]byte("kind: List\nitems: [{kind: Secret}]"))},
			"[data stringData]"},
		"broken": {flow.Flow{RequestBody: flow.Keep([]byte(`{"kind": "TokenReview", "spec": {"token": "a`))},
			"[token]"},
		"reference": {flow.Flow{RequestBody: flow.Keep([]byte(`{"kind":"Pod","imagePullSecrets":[{"kind":"Secret"}]}`))}, "[]"},
		"effect": {flow.Flow{Target: flow.Target{Resource: "pods"},
			Effects: []flow.Effect{{Commit: flow.Commit{Resource: "secrets"}}}}, "[data stringData]"},
		"others": {flow.Flow{Target: flow.Target{Resource: "configmaps"}, Path: "/debug/x"}, "[]"},
	} {
		if got := fmt.Sprint(redact.Keys(&c.flow)); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	f := secretFlow(t, holders["data"])
	f.Target.Resource = "configmaps"
	g := redact.Flow(f)
	if g.RequestHeader.Get("Authorization") != redact.Hidden || !bytes.Contains(g.RequestBody.Kept, []byte(marker)) ||
		!reflect.DeepEqual(g.Statements, f.Statements) {
		t.Errorf("%+v", g)
	}
	review := redact.Object([]byte(`{"spec":{"token":"s3same","audiences":["a"]},"status":{"token":"s3same"}}`),
		[]string{"token"})
	if bytes.Contains(review, []byte(marker)) || !bytes.Contains(review, []byte(`"audiences":["a"]`)) {
		t.Errorf("%s", review)
	}
}

// Secret fields are recognized by their paths too.
func TestField(t *testing.T) {
	secret := []string{"data", "stringData"}
	for path, want := range map[string]bool{"data": true, "data.k": true, "data[a.b]": true, "stringData.k": true,
		"metadata.annotations[a/b]": true,
		"metadata.labels.data":      false, "type": false, "database.x": false, "metadata.name": false} {
		if redact.Field(path, secret) != want || redact.Field(path, nil) {
			t.Errorf("%s: %v", path, !want)
		}
	}
	if !redact.Field("status.token", []string{"token"}) || !redact.Field("spec.token", []string{"token"}) ||
		redact.Field("spec.audiences", []string{"token"}) {
		t.Error("token")
	}
}

// The order of fields, other values, and lengths are kept.
func TestObject(t *testing.T) {
	keys := []string{"data", "stringData"}
	for text, want := range map[string]string{
		`{"z":1.50,"data":{"k":"abc","n":7,"b":true,"x":null,"l":["a"]},"a":"<&>"}`: `{"z":1.50,"data":{"k":"•••••• (3 characters)","n":"••••••","b":"••••••","x":null,"l":["•••••• (1 characters)"]},"a":"<&>"}`,
		``:    ``,
		`{}`:  `{}`,
		`{}x`: `•••••• 3 bytes of a Secret that are not JSON, or not all of it`,
	} {
		if got := string(redact.Object([]byte(text), keys)); got != want {
			t.Errorf("%s:\n %s, want\n %s", text, got, want)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Masking keeps the structure; under a secret name only null and masks are left, and all other values are kept.
func FuzzObject(f *testing.F) {
	for _, text := range holders {
		f.Add([]byte(text))
	}
	keys := []string{"data", "stringData"}
	f.Fuzz(func(t *testing.T, text []byte) {
		out := redact.Object(text, keys)
		var was, is any
		if json.Unmarshal(text, &was) != nil {
			if len(text) > 0 && !bytes.HasPrefix(out, []byte(redact.Hidden)) {
				t.Errorf("%q is shown as %q", text, out)
			}
			return
		}
		if err := json.Unmarshal(out, &is); err != nil {
			t.Fatalf("%q is shown as %q: %v", text, out, err)
		}
		compare(t, was, is, false)
	})
}

// compare checks that a masked value is the original, except for hidden values.
func compare(t *testing.T, was, is any, hidden bool) {
	switch was := was.(type) {
	case map[string]any:
		now, _ := is.(map[string]any)
		if len(now) != len(was) {
			t.Fatalf("%v became %v", was, is)
		}
		for key, v := range was {
			compare(t, v, now[key], hidden || strings.EqualFold(key, "data") || strings.EqualFold(key, "stringData") ||
				key == "value" || key == "kubectl.kubernetes.io/last-applied-configuration")
		}
	case []any:
		now, _ := is.([]any)
		if len(now) != len(was) {
			t.Fatalf("%v became %v", was, is)
		}
		for i := range was {
			compare(t, was[i], now[i], hidden)
		}
	default:
		s, _ := is.(string)
		switch {
		case was == nil && is == nil:
		case hidden && !strings.HasPrefix(s, redact.Hidden), !hidden && !reflect.DeepEqual(was, is) &&
			!strings.Contains(fmt.Sprint(was), ": "):
			t.Errorf("%v became %v", was, is)
		}
	}
}

// Bodies of requests below /debug/ that contain other requests or objects are hidden completely; other bodies are not.
func TestFlow_debug(t *testing.T) {
	for path, hidden := range map[string]bool{"/debug/flows": true, "/debug/held": true, "/debug/recording": true,
		"/debug/rows": true, "/debug/changes": true,
		"/debug/anything": true, "/debug/flows/moments": false, "/debug/gate": false, "/debug/snapshots": false,
		"/debugger": false} {
		g := redact.Flow(&flow.Flow{Path: path, RequestBody: flow.Keep([]byte(marker)),
			ResponseBody: flow.Keep([]byte(marker))})
		if strings.Contains(mustJSON(t, g), marker) == hidden || g.ResponseBody.Total != int64(len(marker)) {
			t.Errorf("%s: %+v", path, g)
		}
	}
}

// A credential in a query is masked, of a request, of a call and of a watch.
func TestFlow_query(t *testing.T) {
	const query = "token=" + marker + "&watch=true"
	f := &flow.Flow{Query: query, Calls: []flow.Call{{Flow: &flow.Flow{Query: query}}},
		Watch: flow.NewLog(flow.Limits{}).OpenWatch(flow.WatchInfo{Query: query})}
	if got := mustJSON(t, redact.Flow(f)); strings.Contains(got, marker) ||
		strings.Count(got, "token="+redact.Hidden) != 3 {
		t.Error(got)
	}
	if f.Query != query || f.Calls[0].Flow.Query != query {
		t.Error("the flow has changed")
	}
}

// The values of fields in a message are hidden, and the rest is kept.
func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		`Secret "x" is invalid: data[k]: Invalid value: "a\"s3same": too long`:                     `Secret "x" is invalid: data[k]: Invalid value: "••••••": too long`,
		`"" is invalid: patch: Invalid value: "{\"data\":\"s3same\"}": json: cannot unmarshal`:     `"" is invalid: patch: Invalid value: "••••••": json: cannot unmarshal`,
		`[type: Unsupported value: "x", data: Duplicate value: {"k":"s3same"}: no]`:                `[type: Unsupported value: "x", data: Duplicate value: "••••••"`,
		`[metadata.name: Invalid value: "Bad": no, metadata.annotations: Invalid value: "s3same"]`: `[metadata.name: Invalid value: "Bad": no, metadata.annotations: Invalid value: "••••••"]`,
		`Invalid value: "s3same": no`: `Invalid value: "••••••": no`,
		`secrets "x" already exists`:  `secrets "x" already exists`, "": "",
	} {
		f := &flow.Flow{Target: flow.Target{Resource: "secrets"}, Message: text,
			ResponseBody: flow.Keep([]byte(`{"message":` + mustJSON(t, text) + `}`))}
		g := redact.Flow(f)
		if g.Message != want || redact.Message(f) != want || strings.Contains(string(g.ResponseBody.Kept), marker) {
			t.Errorf("%s\nbecame %s, want\n       %s; the body %s", text, g.Message, want, g.ResponseBody.Kept)
		}
		if f.Target.Resource = "pods"; redact.Flow(f).Message != text {
			t.Errorf("%s is masked of a Pod", text)
		}
	}
}

// A text of a request is masked by the request's target, or by its own kind.
func TestText(t *testing.T) {
	for text, hidden := range map[string]bool{`{"data":{"a":"s3same"}}`: false,
		`{"kind":"Secret","data":{"a":"s3same"}}`: true, "kind: Secret\ndata: {a: s3same}": true} {
		if strings.Contains(redact.Text(flow.Target{Resource: "secrets"}, text), marker) ||
			strings.Contains(redact.Text(flow.Target{Resource: "pods"}, text), marker) == hidden {
			t.Error(text)
		}
	}
}
