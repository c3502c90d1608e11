package fields_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/fields"
)

// A Creator takes new objects of its kind, and leaves to the Manager what names owners already, is of another kind, or
// comes from a manager whose name is not text.
func TestFounder_Found(t *testing.T) {
	f, err := fields.NewCreator(completed(fields.Options{Kind: configMap}), &corev1.ConfigMap{})
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *corev1.ConfigMap {
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"x": "y"}}, Data: map[string]string{"k": "v"}}
		obj.SetGroupVersionKind(configMap)
		return obj
	}
	obj := fresh()
	if !f.TryCreate(obj, "") {
		t.Fatal("a new object was left alone")
	}
	checkOwners(t, obj, owner{"unknown", "Update", "", `{"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:x":{}}}}`})
	owned, other := fresh(), fresh()
	owned.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "a"}}
	other.SetGroupVersionKind(deployment)
	if f.TryCreate(owned, "b") || f.TryCreate(other, "b") || f.TryCreate(fresh(), "b\xff") {
		t.Error("an object was taken that is not that simple")
	}
	if len(owned.ManagedFields) != 1 || owned.ManagedFields[0].Manager != "a" {
		t.Errorf("what was left alone has changed: %v", owned.ManagedFields)
	}
}
