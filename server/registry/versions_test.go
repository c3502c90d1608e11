package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

func mustVersion(t *testing.T, groupVersion, kind string) *kinds.Kind {
	t.Helper()
	for _, k := range kinds.BuiltIn() {
		if k.GroupVersion().String() == groupVersion && k.Kind == kind {
			return k
		}
	}
	t.Fatalf("no row for %s in %s", kind, groupVersion)
	return nil
}

func autoscaler(version string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": "HorizontalPodAutoscaler",
		"metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": spec}}
}

// Who applied a field in one version of a kind owns it in the other too: one who sets it there meets a conflict.
func TestManagers_Versions(t *testing.T) {
	ms := registry.NewManagers(codecs.Scheme())
	v1, v2 := mustVersion(t, "autoscaling/v1", "HorizontalPodAutoscaler"), mustVersion(t, "autoscaling/v2", "HorizontalPodAutoscaler")
	first, err := ms.Apply(v1, "", &autoscalingv1.HorizontalPodAutoscaler{}, autoscaler("autoscaling/v1", map[string]any{"maxReplicas": int64(3)}), "one", false)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := v1.ToStored(first)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ms.Apply(v2, "", stored.DeepCopyObject(), autoscaler("autoscaling/v2", map[string]any{"maxReplicas": int64(4)}), "two", false)
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "one": .spec.maxReplicas`) {
		t.Fatalf("got %v", err)
	}
	forced, err := ms.Apply(v2, "", stored, autoscaler("autoscaling/v2", map[string]any{"maxReplicas": int64(4)}), "two", true)
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{}
	for _, e := range forced.(*autoscalingv2.HorizontalPodAutoscaler).ManagedFields {
		owners[e.Manager+" "+e.APIVersion] = string(e.FieldsV1.Raw)
	}
	if len(owners) != 1 || owners["two autoscaling/v2"] != `{"f:spec":{"f:maxReplicas":{}}}` {
		t.Errorf("owners %v", owners)
	}
}

// An update in one group of an object that has owners in the other keeps them.
func TestManagers_Groups(t *testing.T) {
	ms := registry.NewManagers(codecs.Scheme())
	core, v1 := mustVersion(t, "v1", "Event"), mustVersion(t, "events.k8s.io/v1", "Event")
	event := mustConvert(t, v1.FromStored, ms.Update(core, "", core.New(), mustFill(t, core, `{"metadata":{"name":"a"},"message":"x","reason":"y"}`), "one"))
	changed := event.DeepCopyObject()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"note": "z", "reason": "y",
		"metadata": map[string]any{"name": "a"}}, changed); err != nil {
		t.Fatal(err)
	}
	got := ms.Update(v1, "", event, changed, "two").(metav1.Object).GetManagedFields()
	if len(got) != 2 || got[0].APIVersion != "v1" || got[1].APIVersion != "events.k8s.io/v1" || string(got[1].FieldsV1.Raw) != `{"f:note":{}}` {
		t.Errorf("owners %v", got)
	}
}

func mustConvert(t *testing.T, convert func(runtime.Object) (runtime.Object, error), obj runtime.Object) runtime.Object {
	t.Helper()
	out, err := convert(obj)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustFill(t *testing.T, k *kinds.Kind, text string) runtime.Object {
	t.Helper()
	obj := k.New()
	if err := json.Unmarshal([]byte(text), obj); err != nil {
		t.Fatal(err)
	}
	return obj
}
