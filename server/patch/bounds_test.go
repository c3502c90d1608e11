package patch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/server/patch"
)

func nested(n int, innermost string) string {
	return strings.Repeat(`{"a":`, n) + innermost + strings.Repeat("}", n)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func operations(n int, op string) string {
	return "[" + strings.Repeat(op+",", n-1) + op + "]"
}

func podOf(n int) string {
	p := corev1.Pod{}
	for i := range n {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i)})
	}
	return text(p)
}

// What would cost more than it says is refused before it is done; what is as large and costs little is done.
func TestApply_bounds(t *testing.T) {
	long := `{"a":[` + strings.Repeat("1,", 100_000) + `1]}`
	heavy := `"` + strings.Repeat("x", 100_000) + `"`
	for _, c := range []struct {
		name      string
		t         types.PatchType
		doc, body string
		code      int32 // 0 for a patch that is applied
		want      string
	}{
		{"copies that double", types.JSONPatchType, `{"a":{"b":"c"}}`, doublings(40), http.StatusUnprocessableEntity, "rejected our request"},
		{"fewer copies that double", types.JSONPatchType, `{"a":{"b":"c"}}`, doublings(16), http.StatusUnprocessableEntity, "the patched object: Request entity too large: limit is"},
		{"a deep merge", types.MergePatchType, nested(900, heavy), nested(900, heavy), 0, ""},
		{"too deep a merge", types.MergePatchType, `{"a":1}`, nested(1001, "1"), http.StatusRequestEntityTooLarge, "levels of nesting"},
		{"deep operations", types.JSONPatchType, nested(900, `{"x":`+heavy+`}`), `[{"op":"add","path":"` + strings.Repeat("/a", 900) + `/y","value":1}]`, http.StatusRequestEntityTooLarge, "too deep"},
		{"a deep value put in", types.JSONPatchType, `{}`, `[{"op":"add","path":"/a","value":` + nested(900, heavy) + `}]`, 0, ""},
		{"a deep value looked into", types.JSONPatchType, `{}`, `[{"op":"add","path":"/a","value":` + nested(900, heavy) + `},{"op":"remove","path":"` + strings.Repeat("/a", 900) + `"}]`, http.StatusRequestEntityTooLarge, "too deep"},
		{"a deep test", types.JSONPatchType, nested(900, heavy), `[{"op":"test","path":"","value":` + nested(900, heavy) + `}]`, http.StatusRequestEntityTooLarge, "too deep"},
		{"one insertion into a long list", types.JSONPatchType, long, `[{"op":"add","path":"/a/0","value":1}]`, 0, ""},
		{"insertions into a long list", types.JSONPatchType, long, operations(10_000, `{"op":"add","path":"/a/0","value":1}`), http.StatusRequestEntityTooLarge, "lists too long"},
		{"removals of a long list", types.JSONPatchType, long, operations(10_000, `{"op":"remove","path":"/a/0"}`), http.StatusRequestEntityTooLarge, "lists too long"},
		{"insertions into a short list", types.JSONPatchType, `{"a":[]}`, operations(5_000, `{"op":"add","path":"/a/0","value":1}`), 0, ""},
		{"members put in", types.JSONPatchType, `{"a":{}}`, `[` + numbered(9000, `{"op":"add","path":"/a/k%d","value":"v"}`) + `]`, 0, ""},
		{"containers merged", types.StrategicMergePatchType, podOf(500), podOf(1000), 0, ""},
		{"too many containers merged", types.StrategicMergePatchType, podOf(500), podOf(4000), http.StatusRequestEntityTooLarge, "pairs of items"},
		{"too long an order", types.StrategicMergePatchType, podOf(2), `{"spec":{"$setElementOrder/containers":[` + numbered(4000, `{"name":"c%d"}`) + `]}}`, http.StatusRequestEntityTooLarge, "pairs of items"},
		{"too many finalizers deleted", types.StrategicMergePatchType, podOf(2), `{"metadata":{"$deleteFromPrimitiveList/finalizers":[` + numbered(4000, `"c%d"`) + `]}}`, http.StatusRequestEntityTooLarge, "pairs of items"},
		{"too many objects", types.MergePatchType, `{"a":1}`, `{"a":[` + strings.Repeat("{},", 70_000) + `{}]}`, http.StatusRequestEntityTooLarge, "objects and lists"},
	} {
		_, err := patch.Apply(t.Context(), c.t, []byte(c.doc), []byte(c.body), &corev1.Pod{}, patch.Ignore)
		if c.code == 0 {
			if err != nil {
				t.Errorf("%s: %.300v", c.name, err)
			}
			continue
		}
		status := apierrors.APIStatus(nil)
		if !errors.As(err, &status) || status.Status().Code != c.code || !strings.Contains(text(status.Status()), c.want) {
			t.Errorf("%s: %.300v; want %d %s", c.name, err, c.code, c.want)
		}
	}
}

// numbered repeats a text with a number in it.
func numbered(n int, form string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(parts, ",")
}

// doublings copies a value into itself, under a new name each time.
func doublings(n int) string {
	return "[" + numbered(n, `{"op":"copy","from":"/a","path":"/a/k%d"}`) + "]"
}

// A patch whose client has gone is left.
func TestApply_cancelled(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	many := `{"a":{` + numbered(20_000, `"k%d":1`) + `}}`
	for _, c := range []struct {
		t    types.PatchType
		body string
	}{
		{types.MergePatchType, many}, {types.JSONPatchType, operations(2, `{"op":"add","path":"/b","value":1}`)}, {types.StrategicMergePatchType, many},
	} {
		if _, err := patch.Apply(gone, c.t, []byte(many), []byte(c.body), &corev1.Pod{}, patch.Ignore); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.t, err)
		}
	}
}
