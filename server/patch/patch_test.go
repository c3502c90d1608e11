package patch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/server/patch"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"1"}},"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d","image":"j"}]}}`

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name string
		t    types.PatchType
		body string
		want string // the object, or with code the beginning of the message
		code int32
	}{
		{"json replace", types.JSONPatchType, `[{"op":"replace","path":"/metadata/labels/x","value":"2"}]`, strings.Replace(pod, `"x":"1"`, `"x":"2"`, 1), 0},
		{"json failed test", types.JSONPatchType, `[{"op":"test","path":"/metadata/labels/x","value":"2"}]`, "the server rejected our request", 422},
		{"json bad pointer", types.JSONPatchType, `[{"op":"remove","path":"/nothing/here"}]`, "the server rejected our request", 422},
		{"json no list", types.JSONPatchType, `{}`, "", 400},
		{"json too many", types.JSONPatchType, "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Pod"},`, 10000) + `{"op":"test","path":"/kind","value":"Pod"}]`,
			"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001", 413},
		{"merge null removes", types.MergePatchType, `{"metadata":{"labels":null}}`, strings.Replace(pod, `,"labels":{"x":"1"}`, "", 1), 0},
		{"merge broken", types.MergePatchType, `{`, "", 400},
		{"strategic merges by key", types.StrategicMergePatchType, `{"spec":{"containers":[{"name":"c","image":"i:2"}]}}`, strings.Replace(pod, "i:1", "i:2", 1), 0},
		{"strategic deletes by key", types.StrategicMergePatchType, `{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}`, strings.Replace(pod, `,{"name":"d","image":"j"}`, "", 1), 0},
		{"strategic broken", types.StrategicMergePatchType, `[`, "", 400},
	} {
		result, err := patch.Apply(t.Context(), c.t, []byte(pod), []byte(c.body), &corev1.Pod{}, patch.Ignore)
		if c.code != 0 {
			status := apierrors.APIStatus(nil)
			if s, ok := err.(apierrors.APIStatus); ok {
				status = s
			}
			if status == nil || status.Status().Code != c.code || !strings.HasPrefix(status.Status().Message, c.want) {
				t.Errorf("%s: got %v, want %d %s", c.name, err, c.code, c.want)
			}
			continue
		}
		var got, want any
		if err != nil || json.Unmarshal(mustJSON(t, result), &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, mustJSON(t, result), c.want)
		}
	}
}

// mustJSON is the object that a patch made, whichever patch it was.
func mustJSON(t *testing.T, r patch.Result) []byte {
	t.Helper()
	if r.Merged == nil {
		return r.After
	}
	text, err := json.Marshal(r.Merged)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A strategic merge becomes an object without JSON between, and errors speak of that.
func TestResult_Convert(t *testing.T) {
	for _, c := range []struct {
		body, unknown, err string
		s                  patch.Strictness
	}{
		{`{"spec":{"nodeName":"n"}}`, "", "", patch.Warn},
		{`{"spec":{"nodename":"n"}}`, `[unknown field "spec.nodename"]`, "", patch.Warn},
		{`{"spec":{"nodename":"n"}}`, "", "", patch.Ignore},
		{`{"metadata":{"annotations":"x"}}`, "", "cannot restore map from string", patch.Ignore},
	} {
		r, err := patch.Apply(t.Context(), types.StrategicMergePatchType, []byte(pod), []byte(c.body), &corev1.Pod{}, c.s)
		if err != nil {
			t.Fatal(err)
		}
		var obj corev1.Pod
		unknown, err := r.Convert(&obj, c.s)
		got, why := "", ""
		if len(unknown) > 0 {
			got = fmt.Sprint(unknown)
		}
		if err != nil {
			why = err.Error()
		}
		if got != c.unknown || why != c.err || err == nil && (obj.Name != "a" || len(obj.Spec.Containers) != 2) {
			t.Errorf("%s under %d: %v, unknown %q, error %q", c.body, c.s, obj, got, why)
		}
	}
}

// The configuration of an apply is the same in YAML, JSON and CBOR.
func TestConfiguration(t *testing.T) {
	for _, c := range []struct {
		t          types.PatchType
		body, want string
	}{
		{types.ApplyYAMLPatchType, "kind: Pod\nspec: {priority: 3}", "map[kind:Pod spec:map[priority:3]]"},
		{types.ApplyYAMLPatchType, `{"kind":"Pod","spec":{"priority":3}}`, "map[kind:Pod spec:map[priority:3]]"},
		{types.ApplyCBORPatchType, "\xd9\xd9\xf7\xa2DkindCPodDspec\xa1Hpriority\x03", "map[kind:Pod spec:map[priority:3]]"},
		{types.ApplyCBORPatchType, "\xa2DkindCPodDspec\xa1hpriority\x03", "map[kind:Pod spec:map[priority:3]]"},
		{types.ApplyCBORPatchType, "\xff", `error decoding patch: cbor: unexpected "break" code`},
		{types.ApplyCBORPatchType, "\xa2Aa\x01Aa\x02", `error decoding patch: cbor: found duplicate map key "a" at map element index 1`},
		{types.ApplyCBORPatchType, "\x80", "error decoding patch: cbor: cannot unmarshal array into Go value of type map[string]interface {}"},
	} {
		config, err := patch.Configuration(c.t, []byte(c.body), patch.Strict)
		if err == nil {
			err = config.Unfit
		}
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(config.Object.Object)
		}
		if got != c.want || err != nil && !apierrors.IsBadRequest(err) {
			t.Errorf("%s %q: %s", c.t, c.body, got)
		}
	}
	config, err := patch.Configuration(types.ApplyYAMLPatchType, []byte("a: 1\na: 2"), patch.Warn)
	if err != nil {
		t.Fatal(err)
	}
	if warnings, err := config.Judge(patch.Warn); err != nil || len(warnings) != 1 {
		t.Errorf("a key twice under Warn: %q, %v", warnings, err)
	}
}

// A field that occurs twice is reported where the request asks for it.
func TestApply_duplicateField(t *testing.T) {
	const body = `{"metadata":{"labels":{"x":"2","x":"3"}}}`
	if r, err := patch.Apply(t.Context(), types.MergePatchType, []byte(pod), []byte(body), nil, patch.Warn); err != nil || len(r.Strict) != 1 {
		t.Errorf("Warn: %v %v", r.Strict, err)
	}
	if r, err := patch.Apply(t.Context(), types.MergePatchType, []byte(pod), []byte(body), nil, patch.Ignore); err != nil || len(r.Strict) != 0 {
		t.Errorf("Ignore: %v %v", r.Strict, err)
	}
	if _, err := patch.Apply(t.Context(), "application/other", []byte(pod), []byte(body), nil, patch.Ignore); err == nil {
		t.Errorf("an unknown patch type was applied: %d", http.StatusUnsupportedMediaType)
	}
}

// FuzzApply: no patch breaks the process.
func FuzzApply(f *testing.F) {
	f.Add(`[{"op":"add","path":"/a/-","value":1}]`)
	f.Add(`{"spec":{"containers":[{"$patch":"replace"}]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, pt := range []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType} {
			r, err := patch.Apply(t.Context(), pt, []byte(pod), []byte(body), &corev1.Pod{}, patch.Warn)
			if err == nil && !json.Valid(mustJSON(t, r)) {
				t.Fatalf("%s %q gave %q", pt, body, mustJSON(t, r))
			}
			if err == nil && r.Merged != nil {
				_, _ = r.Convert(&corev1.Pod{}, patch.Warn)
			}
		}
	})
}
