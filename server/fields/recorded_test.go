package fields_test

import (
	"encoding/json"
	"net/url"
	"os"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/fields"
)

// A step is an apply request of a recorded case and what is kept of its answer.
type step struct {
	Method, Path string
	Body         map[string]any
	Response     struct {
		Status int
		Body   struct {
			Message  string
			Metadata struct{ ManagedFields []map[string]any }
		}
	}
}

// The recorded apply requests give the recorded owners and conflicts.
func TestManager_Recorded(t *testing.T) {
	data, err := os.ReadFile("testdata/server-side-apply.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name  string
			Steps []step
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var live runtime.Object
			for _, s := range c.Steps {
				if s.Method == "PATCH" {
					live = play(t, live, s)
				}
			}
		})
	}
}

// play applies a step to live, nil for an object that is not there, and returns what is live after it.
func play(t *testing.T, live runtime.Object, s step) runtime.Object {
	t.Helper()
	kind, empty := configMap, runtime.Object(&corev1.ConfigMap{})
	if s.Body["kind"] == "Deployment" {
		kind, empty = deployment, &appsv1.Deployment{}
	}
	if live == nil {
		live = empty
	}
	u, err := url.Parse(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	m := mustManager(t, fields.Options{Kind: kind})
	next, err := m.Apply(live.DeepCopyObject(), &unstructured.Unstructured{Object: s.Body}, query.Get("fieldManager"), query.Get("force") == "true")
	if s.Response.Status == 409 {
		if !apierrors.IsConflict(err) || err.Error() != s.Response.Body.Message {
			t.Errorf("got %v, want %s", err, s.Response.Body.Message)
		}
		return live
	}
	if err != nil {
		t.Fatal(err)
	}
	checkRecorded(t, next, s.Response.Body.Metadata.ManagedFields)
	return next
}

// checkRecorded compares the owners, except for their times, where the answer was recorded with them.
func checkRecorded(t *testing.T, obj runtime.Object, want []map[string]any) {
	t.Helper()
	if want == nil {
		return
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(accessor.GetManagedFields())
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, entries := range [][]map[string]any{got, want} {
		for _, e := range entries {
			delete(e, "time")
		}
	}
	if !reflect.DeepEqual(got, want) {
		w, _ := json.Marshal(want)
		t.Errorf("owners\n%s\nwant\n%s", data, w)
	}
}
