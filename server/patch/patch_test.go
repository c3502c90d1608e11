package patch_test

import (
	"encoding/json"
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
		result, err := patch.Apply(c.t, []byte(pod), []byte(c.body), &corev1.Pod{}, patch.Ignore)
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
		if err != nil || json.Unmarshal(result.After, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, result.After, c.want)
		}
	}
}

// A field that stands twice is told of where the request asks for it.
func TestApply_duplicateField(t *testing.T) {
	const body = `{"metadata":{"labels":{"x":"2","x":"3"}}}`
	if r, err := patch.Apply(types.MergePatchType, []byte(pod), []byte(body), nil, patch.Warn); err != nil || len(r.Strict) != 1 {
		t.Errorf("Warn: %v %v", r.Strict, err)
	}
	if r, err := patch.Apply(types.MergePatchType, []byte(pod), []byte(body), nil, patch.Ignore); err != nil || len(r.Strict) != 0 {
		t.Errorf("Ignore: %v %v", r.Strict, err)
	}
	if _, err := patch.Apply("application/other", []byte(pod), []byte(body), nil, patch.Ignore); err == nil {
		t.Errorf("an unknown patch type was applied: %d", http.StatusUnsupportedMediaType)
	}
}

// FuzzApply: no patch breaks the process.
func FuzzApply(f *testing.F) {
	f.Add(`[{"op":"add","path":"/a/-","value":1}]`)
	f.Add(`{"spec":{"containers":[{"$patch":"replace"}]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, pt := range []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType} {
			r, err := patch.Apply(pt, []byte(pod), []byte(body), &corev1.Pod{}, patch.Warn)
			if err == nil && !json.Valid(r.After) {
				t.Fatalf("%s %q gave %q", pt, body, r.After)
			}
		}
	})
}
