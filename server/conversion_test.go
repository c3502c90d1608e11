package server_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kubarium/flow"
	"kubarium/server"
)

// A converter is a conversion webhook that keeps a box's size in spec.size in v1 and in spec.dimensions.size in v2.
type converter struct {
	*httptest.Server
	mu    sync.Mutex
	asked []review
	spoil func(*review) // changes an answer
}

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *question `json:"request,omitempty"`
	Response   *reply    `json:"response,omitempty"`
}

type question struct {
	UID               string                      `json:"uid"`
	DesiredAPIVersion string                      `json:"desiredAPIVersion"`
	Objects           []unstructured.Unstructured `json:"objects"`
}

type reply struct {
	UID              string                       `json:"uid"`
	ConvertedObjects []*unstructured.Unstructured `json:"convertedObjects"`
	Result           map[string]any               `json:"result"`
}

func newConverter(t *testing.T) *converter {
	c := &converter{}
	c.Server = httptest.NewTLSServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *converter) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var asked review
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Request == nil {
		http.Error(w, fmt.Sprint("no review: ", err), http.StatusBadRequest)
		return
	}
	c.asked = append(c.asked, asked)
	answer := review{APIVersion: asked.APIVersion, Kind: asked.Kind, Response: &reply{UID: asked.Request.UID, Result: map[string]any{"status": "Success"}}}
	for _, u := range asked.Request.Objects {
		answer.Response.ConvertedObjects = append(answer.Response.ConvertedObjects, converted(u.DeepCopy(), asked.Request.DesiredAPIVersion))
	}
	if c.spoil != nil {
		c.spoil(&answer)
	}
	_ = json.NewEncoder(w).Encode(answer) // the server's error tells of an answer that did not arrive
}

func converted(u *unstructured.Unstructured, to string) *unstructured.Unstructured {
	from := []string{"spec", "size"}
	into := []string{"spec", "dimensions", "size"}
	if to == "boxes.example.com/v1" {
		from, into = into, from
	}
	size, found, _ := unstructured.NestedFieldCopy(u.Object, from...)
	unstructured.RemoveNestedField(u.Object, from...)
	if found {
		_ = unstructured.SetNestedField(u.Object, size, into...) // both are objects
	}
	u.SetAPIVersion(to)
	u.SetAnnotations(map[string]string{"converted-to": to})
	return u
}

// spoilWith has the webhook change its answers; nil ends that.
func (c *converter) spoilWith(spoil func(*review)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoil = spoil
}

// reviews returns what was asked since the last call.
func (c *converter) reviews() []review {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked
	c.asked = nil
	return asked
}

// caBundle is what the webhook's certificate is checked against.
func (c *converter) caBundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
}

const (
	boxesV1     = "/apis/boxes.example.com/v1/namespaces/default/boxes"
	boxesV2     = "/apis/boxes.example.com/v2/namespaces/default/boxes"
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// serveBoxes is a server on which Boxes are established, which a webhook converts; change may change the definition.
func serveBoxes(t *testing.T, change func(*apiextensionsv1.CustomResourceDefinition)) (string, *converter) {
	t.Helper()
	url, hook, _ := serveBoxesAt(t, change)
	return url, hook
}

// serveBoxesAt is the same with the log of flows.
func serveBoxesAt(t *testing.T, change func(*apiextensionsv1.CustomResourceDefinition)) (string, *converter, *flow.Log) {
	t.Helper()
	hook := newConverter(t)
	url, log := mustServe(t, func(o *server.Options) {
		if err := o.Features.Set(""); err != nil {
			t.Fatal(err)
		}
	})
	mustSend(t, url, 201, post("/api/v1/namespaces", `{"metadata":{"name":"default"}}`))
	text := `{"metadata":{"name":"boxes.boxes.example.com"},"spec":{"group":"boxes.example.com","scope":"Namespaced",
		"names":{"plural":"boxes","singular":"box","kind":"Box","listKind":"BoxList"},"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{"size":{"type":"integer"},"color":{"type":"string","default":"red"}}}}}}},
		{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{"dimensions":{"type":"object","properties":{"size":{"type":"integer"}}},
				"color":{"type":"string"},"shape":{"type":"string","default":"cube"}}}}}}}]}}`
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
		ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: new(hook.URL + "/convert"), CABundle: hook.caBundle()},
		ConversionReviewVersions: []string{"v2", "v1", "v1beta1"},
	}}
	if change != nil {
		change(crd)
	}
	establish(t, url, crd)
	return url, hook, log
}

// mustSend sends a request that must be answered so, and returns the object of the answer.
func mustSend(t *testing.T, url string, want int, q request) *unstructured.Unstructured {
	t.Helper()
	if q.body != "" && q.contentType == "" {
		q.contentType = "application/json"
	}
	code, body := send(t, url, q)
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(body)); err != nil || code != want {
		t.Fatalf("%s %s: %d %s, %v; want %d", q.method, q.path, code, body, err, want)
	}
	return u
}

func get(path string) request { return request{method: "GET", path: path} }

func post(path, body string) request { return request{method: "POST", path: path, body: body} }

const box = `{"apiVersion":"boxes.example.com/%s","kind":"Box","metadata":{"name":"%s"},"spec":%s}`

// spec is an object's spec as JSON.
func specOf(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(u.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Objects are read and written in any version, and are stored in one. The version in which an object is stored gives its
// defaults when it is read, and the version of a request those of its body.
func TestServer_conversion(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	const asV1, asV2 = `{"color":"red","size":3}`, `{"color":"red","dimensions":{"size":3}}`

	if u := mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`))); specOf(t, u) != asV1 {
		t.Errorf("created %v", u)
	}
	if asked := hook.reviews(); len(asked) > 0 {
		t.Errorf("asked of what needs no conversion: %v", asked)
	}
	if u := mustSend(t, url, 200, get(boxesV2+"/a")); specOf(t, u) != asV2 || u.GetAPIVersion() != "boxes.example.com/v2" || u.GetResourceVersion() == "" {
		t.Errorf("got %v", u)
	}
	asked := hook.reviews()
	if len(asked) != 1 || asked[0].APIVersion != "apiextensions.k8s.io/v1" || asked[0].Request.DesiredAPIVersion != "boxes.example.com/v2" {
		t.Fatalf("asked %v", asked)
	}
	if sent := asked[0].Request.Objects[0]; sent.GetResourceVersion() != "" || sent.GetUID() == "" || specOf(t, &sent) != asV1 {
		t.Errorf("sent %v", sent)
	}
	mustSend(t, url, 200, get(boxesV2+"/a"))
	if asked := hook.reviews(); len(asked) != 0 {
		t.Errorf("asked again of an object that is as it was: %v", asked)
	}

	made := mustSend(t, url, 201, post(boxesV2, fmt.Sprintf(box, "v2", "b", `{"dimensions":{"size":5}}`)))
	if want := `{"color":"red","dimensions":{"size":5}}`; specOf(t, made) != want { // v1, in which it is kept, knows no shape
		t.Errorf("created %v, want %s", made, want)
	}
	if u := mustSend(t, url, 200, get(boxesV1+"/b")); specOf(t, u) != `{"color":"red","size":5}` {
		t.Errorf("got %v", u)
	}
	changed := mustSend(t, url, 200, request{method: "PATCH", path: boxesV2 + "/b", contentType: "application/merge-patch+json", body: `{"spec":{"dimensions":{"size":6}}}`})
	if specOf(t, changed) != `{"color":"red","dimensions":{"size":6}}` || changed.GetGeneration() != 2 || changed.GetUID() != made.GetUID() {
		t.Errorf("patched %v\nof %v", changed, made)
	}
	applied := mustSend(t, url, 200, request{method: "PATCH", path: boxesV2 + "/b?fieldManager=m&force=true", contentType: "application/apply-patch+yaml",
		body: fmt.Sprintf(box, "v2", "b", `{"dimensions":{"size":7}}`)})
	if specOf(t, applied) != `{"color":"red","dimensions":{"size":7}}` {
		t.Errorf("applied %v", applied)
	}

	list := mustSend(t, url, 200, get(boxesV2))
	if items := list.Object["items"].([]any); len(items) != 2 || items[0].(map[string]any)["apiVersion"] != "boxes.example.com/v2" {
		t.Errorf("listed %v", list)
	}
	_, frames := send(t, url, get(boxesV2+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1"))
	if !strings.Contains(frames, `"dimensions":{"size":7}`) || strings.Contains(frames, `"spec":{"color":"red","size"`) {
		t.Errorf("watched %s", frames)
	}
	for _, as := range []string{"Table", "PartialObjectMetadata"} {
		u := mustSend(t, url, 200, request{method: "GET", path: boxesV2 + "/a", header: http.Header{"Accept": {"application/json;as=" + as + ";v=v1;g=meta.k8s.io"}}})
		if text, _ := json.Marshal(u.Object); !strings.Contains(string(text), `"converted-to":"boxes.example.com/v2"`) {
			t.Errorf("as %s: %s", as, text)
		}
	}
	mustSend(t, url, 200, request{method: "DELETE", path: boxesV2 + "/b"})
}

// After the definition has another storage version, an object stays in the one in which it was stored until it is written.
func TestServer_conversionOfOldObjects(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	mustSend(t, url, 200, request{method: "PATCH", path: definitions + "/boxes.boxes.example.com", contentType: "application/json-patch+json",
		body: `[{"op":"replace","path":"/spec/versions/0/storage","value":false},{"op":"replace","path":"/spec/versions/1/storage","value":true}]`})
	hook.reviews()
	mustSend(t, url, 200, get(boxesV1+"/a"))
	if asked := hook.reviews(); len(asked) > 0 {
		t.Errorf("asked of an object in the version in which it is stored: %v", asked)
	}
	if u := mustSend(t, url, 200, get(boxesV2+"/a")); specOf(t, u) != `{"color":"red","dimensions":{"size":3}}` {
		t.Errorf("got %v", u)
	}
	mustSend(t, url, 200, request{method: "PATCH", path: boxesV1 + "/a", contentType: "application/merge-patch+json", body: `{"spec":{"size":4}}`})
	hook.reviews()
	if u := mustSend(t, url, 200, get(boxesV2+"/a")); specOf(t, u) != `{"color":"red","dimensions":{"size":4},"shape":"cube"}` {
		t.Errorf("got %v", u)
	}
	if asked := hook.reviews(); len(asked) > 0 {
		t.Errorf("asked of an object in the version in which it is stored: %v", asked)
	}
}

// An answer that is not what was asked for is refused in the official words, by reads and by writes, and does no harm: as
// soon as the webhook is well, everything is.
func TestServer_conversionRefused(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	on := func(change func(*unstructured.Unstructured)) func(*review) {
		return func(r *review) { change(r.Response.ConvertedObjects[0]) }
	}
	for name, c := range map[string]struct {
		spoil func(*review)
		said  string
	}{
		"failure":           {func(r *review) { r.Response.Result = map[string]any{"status": "Failure", "message": "too old"} }, "failed: too old"},
		"no word":           {func(r *review) { r.Response.Result = nil }, "failed: response.result.status was '', not 'Success'"},
		"no response":       {func(r *review) { r.Response = nil }, "failed: no response provided"},
		"another's":         {func(r *review) { r.Response.UID = "x" }, `failed: expected response.uid="`},
		"another review":    {func(r *review) { r.APIVersion = "apiextensions.k8s.io/v1beta1" }, "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"},
		"too few":           {func(r *review) { r.Response.ConvertedObjects = nil }, "returned 0 objects, expected 1"},
		"the wrong version": {on(func(u *unstructured.Unstructured) { u.SetAPIVersion("boxes.example.com/v3") }), "returned invalid object at index 0: invalid groupVersion (expected "},
		"another kind":      {on(func(u *unstructured.Unstructured) { u.SetKind("Crate") }), "returned invalid object at index 0: invalid kind (expected Box, received Crate)"},
		"another name":      {on(func(u *unstructured.Unstructured) { u.SetName("b") }), "returned invalid object: must have the same name: "},
		"another namespace": {on(func(u *unstructured.Unstructured) { u.SetNamespace("b") }), "returned invalid object: must have the same namespace: default != b"},
		"another uid":       {on(func(u *unstructured.Unstructured) { u.SetUID("b") }), "returned invalid object: must have the same UID: "},
		"a bad label":       {on(func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"-": "x"}) }), "returned invalid metadata: metadata.labels: Invalid value"},
	} {
		hook.spoilWith(c.spoil)
		for _, q := range []request{get(boxesV2 + "/a"), get(boxesV2), post(boxesV2, fmt.Sprintf(box, "v2", "c", `{"dimensions":{"size":5}}`))} {
			said := "conversion webhook for boxes.example.com/v1, Kind=Box " + c.said
			if q.method == "POST" {
				said = "conversion webhook for boxes.example.com/v2, Kind=Box " + c.said
			}
			if u := mustSend(t, url, 500, q); !strings.Contains(u.Object["message"].(string), said) {
				t.Errorf("%s: %s %s says %q, want %q", name, q.method, q.path, u.Object["message"], said)
			}
		}
		mustSend(t, url, 200, get(boxesV1+"/a"))
		hook.spoilWith(nil)
		mustSend(t, url, 200, get(boxesV2+"/a"))
		if items := mustSend(t, url, 200, get(boxesV2)).Object["items"].([]any); len(items) != 1 {
			t.Errorf("%s: left are %v", name, items)
		}
		mustSend(t, url, 200, request{method: "PATCH", path: boxesV1 + "/a", contentType: "application/merge-patch+json", body: `{"spec":{"color":"` + name + `"}}`})
	}
}

// What a read says of an object that its webhook does not convert is what kube-apiserver says of any that it cannot read.
func TestServer_conversionUnreachable(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	hook.Close()
	u := mustSend(t, url, 500, get(boxesV2+"/a"))
	begin := "Internal error occurred: StorageError: corrupt object, Code: 7, Key: "
	for _, said := range []string{begin, "object not decodable revision=", `conversion webhook for boxes.example.com/v1, Kind=Box failed: Post "` + hook.URL + `/convert?timeout=30s": dial tcp `, "connection refused"} {
		if !strings.Contains(u.Object["message"].(string), said) {
			t.Errorf("%q lacks %q", u.Object["message"], said)
		}
	}
	if l := mustSend(t, url, 500, get(boxesV2)); l.Object["reason"] != "StorageReadError" {
		t.Errorf("the list says %v", l)
	}
	if code, frames := send(t, url, get(boxesV2+"?watch=true&timeoutSeconds=30")); code != 200 || !strings.Contains(frames, `{"type":"ERROR","object":{"kind":"Status"`) || !strings.Contains(frames, "conversion webhook for") {
		t.Errorf("the watch says %d %s", code, frames)
	}
}

// The first version of ConversionReview that both sides know is spoken.
func TestServer_conversionBeta(t *testing.T) {
	url, hook := serveBoxes(t, func(crd *apiextensionsv1.CustomResourceDefinition) {
		crd.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1beta1", "v1"}
	})
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	if u := mustSend(t, url, 200, get(boxesV2+"/a")); specOf(t, u) != `{"color":"red","dimensions":{"size":3}}` {
		t.Errorf("got %v", u)
	}
	if asked := hook.reviews(); len(asked) != 1 || asked[0].APIVersion != "apiextensions.k8s.io/v1beta1" {
		t.Errorf("asked %v", asked)
	}
}

// A webhook behind a Service is found through what is written about the Service, or is not.
func TestServer_conversionService(t *testing.T) {
	url, hook := serveBoxes(t, func(crd *apiextensionsv1.CustomResourceDefinition) {
		c := crd.Spec.Conversion.Webhook.ClientConfig
		c.URL, c.Service = nil, &apiextensionsv1.ServiceReference{Namespace: "default", Name: "hook", Path: new("/convert")}
	})
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	fails := func(said string) {
		t.Helper()
		u := mustSend(t, url, 500, get(boxesV2+"/a"))
		if want := `failed: Post "https://hook.default.svc:443/convert?timeout=30s": ` + said; !strings.Contains(u.Object["message"].(string), want) {
			t.Errorf("%q lacks %q", u.Object["message"], want)
		}
	}
	const services = "/api/v1/namespaces/default/services"
	fails(`service "hook" not found`)
	mustSend(t, url, 201, post(services, `{"metadata":{"name":"hook"},"spec":{"ports":[{"port":80}]}}`))
	fails(`no service port 443 found for service "hook"`)
	mustSend(t, url, 200, request{method: "PATCH", path: services + "/hook", contentType: "application/json-patch+json", body: `[{"op":"replace","path":"/spec/ports/0/port","value":443}]`})
	fails(`no endpoints available for service "hook"`)
	mustSend(t, url, 201, post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
		`{"metadata":{"name":"hook","labels":{"kubernetes.io/service-name":"hook"}},"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],"conditions":{"ready":false}}],"ports":[{"name":"","port":8443}]}`))
	fails(`no endpoints available for service "hook"`)
	mustSend(t, url, 200, request{method: "DELETE", path: services + "/hook"})
	mustSend(t, url, 201, post(services, `{"metadata":{"name":"hook"},"spec":{"type":"ExternalName","externalName":"hook.invalid"}}`))
	fails(`dial tcp: lookup hook.invalid`)
	if asked := hook.reviews(); len(asked) > 0 {
		t.Errorf("the webhook was asked all the same: %v", asked)
	}
}

// What a request made a converter do is among its calls; one that needed no converter, or was answered from what is known, has none.
func TestServer_conversionCalls(t *testing.T) {
	url, hook, log := serveBoxesAt(t, nil)
	mustSend(t, url, 201, post(boxesV1, fmt.Sprintf(box, "v1", "a", `{"size":3}`)))
	mustSend(t, url, 200, get(boxesV2+"/a?n=1"))
	mustSend(t, url, 200, get(boxesV2+"/a?n=2"))
	mustSend(t, url, 201, post(boxesV2+"?n=3", fmt.Sprintf(box, "v2", "b", `{"dimensions":{"size":5}}`)))
	hook.Close()
	if code, body := send(t, url, request{method: "PATCH", path: boxesV2 + "/b?n=4", contentType: "application/merge-patch+json", body: `{"spec":{"dimensions":{"size":6}}}`}); code != 500 {
		t.Errorf("with no converter: %d %s", code, body)
	}
	of := func(query string) []flow.Call {
		return await(t, log, func(f *flow.Flow) bool { return f.Query == query }).Calls
	}
	first := of("n=1")
	if len(first) != 1 {
		t.Fatalf("%d calls of the first get", len(first))
	}
	c := first[0]
	if c.Kind != flow.ConversionCall || c.Name != "boxes.boxes.example.com" || c.Host != hook.URL || c.Flow.Path != "/convert" || c.Flow.Status != 200 {
		t.Errorf("%+v of %+v", c.Flow, c)
	}
	if sent, got := string(c.Flow.RequestBody.Kept), string(c.Flow.ResponseBody.Kept); !strings.Contains(sent, `"desiredAPIVersion":"boxes.example.com/v2"`) || !strings.Contains(got, `"dimensions":{"size":3}`) {
		t.Errorf("sent %s\ngot %s", sent, got)
	}
	if again := of("n=2"); len(again) != 0 {
		t.Errorf("calls for what was known: %+v", again)
	}
	if made := of("n=3"); len(made) == 0 {
		t.Error("no call of a create in another version")
	}
	lost := of("n=4")
	if len(lost) == 0 {
		t.Fatal("no call where the converter is away")
	}
	if f := lost[len(lost)-1].Flow; f.Status != 0 || f.Message == "" {
		t.Errorf("away: %+v", f)
	}
}
