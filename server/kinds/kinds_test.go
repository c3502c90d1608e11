package kinds_test

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/meta"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	corefuzzer "k8s.io/kubernetes/pkg/apis/core/fuzzer"

	"kubarium/server/kinds"
)

func mustKind(t *testing.T, kind string) *kinds.Kind {
	t.Helper()
	all := kinds.BuiltIn()
	i := slices.IndexFunc(all, func(k *kinds.Kind) bool { return k.Kind == kind && k.StoredAs == nil })
	if i < 0 {
		t.Fatalf("no row of %s", kind)
	}
	return all[i]
}

func mustInternal(t *testing.T, k *kinds.Kind, served runtime.Object) runtime.Object {
	t.Helper()
	obj, err := k.Internal(served)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// Each row has what the registry takes for granted.
func TestBuiltIn(t *testing.T) {
	paths, keys := map[string]bool{}, map[string]bool{}
	for _, k := range kinds.BuiltIn() {
		path := k.GroupVersion().WithResource(k.Resource).String()
		if paths[path] || k.StoredAs == nil && keys[k.Key] || k.Key == "" || k.Singular == "" {
			t.Errorf("%s: path %s, key %q, singular %q", k.Kind, path, k.Key, k.Singular)
		}
		paths[path], keys[k.Key] = true, true
		for _, obj := range []runtime.Object{k.New(), k.NewInternal()} {
			if _, err := meta.Accessor(obj); err != nil {
				t.Errorf("%s: %v", k.Kind, err)
			}
		}
		if !meta.IsListType(k.NewList()) {
			t.Errorf("%s: the list is a %T", k.Kind, k.NewList())
		}
		if _, ok := k.Strategy.(rest.ResetFieldsStrategy); k.HasStatus() && !ok {
			t.Errorf("%s: the main resource leaves the status to everybody", k.Kind)
		}
		row, err := k.Printer.Row(k.NewInternal())
		if err != nil || len(row.Cells) < len(k.Printer.Empty().ColumnDefinitions) || len(row.Cells) == 0 { // an IPAddress has more
			t.Errorf("%s: %d cells in %d columns, %v", k.Kind, len(row.Cells), len(k.Printer.Empty().ColumnDefinitions), err)
		}
	}
}

// What is stored of an object is read again as the same object, in both forms, whatever it holds. Reading leaves what is
// stored alone, and an object that is encoded stays as it is.
func TestForms_Encode(t *testing.T) {
	fill := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, corefuzzer.Funcs), rand.NewSource(20261122), serializer.NewCodecFactory(kinds.Scheme))
	for _, k := range kinds.BuiltIn() {
		for range 10 {
			served := k.New()
			fill.Fill(served)
			k.Default(served)
			obj := mustInternal(t, k, served)
			before := mustJSON(t, obj)
			stored, err := k.Encode(obj)
			if err != nil {
				t.Fatal(k.Kind, err)
			}
			if mustJSON(t, obj) != before {
				t.Errorf("%s: encoding changed the object", k.Kind)
			}
			kept := bytes.Clone(stored)
			if _, _, err := k.Look(stored); err != nil {
				t.Errorf("%s: %v", k.Kind, err)
			}
			second := mustEncodeAgain(t, k, stored)
			if third := mustEncodeAgain(t, k, second); !bytes.Equal(third, second) || !bytes.Equal(stored, kept) {
				t.Errorf("%s:\n%s\nis read as\n%s", k.Kind, second, third)
			}
			shown, err := k.DecodeServed(stored)
			if err != nil {
				t.Fatal(k.Kind, err)
			}
			if k.AsStored() && mustJSON(t, shown) != string(kept) {
				t.Errorf("%s: served %s, stored %s", k.Kind, mustJSON(t, shown), kept)
			}
		}
	}
}

// mustEncodeAgain reads an object and encodes it. The first time an empty list or time may go, which JSON leaves out.
func mustEncodeAgain(t *testing.T, k *kinds.Kind, stored []byte) []byte {
	t.Helper()
	obj, err := k.Decode(stored)
	if err != nil {
		t.Fatal(k.Kind, err)
	}
	again, err := k.Encode(obj)
	if err != nil {
		t.Fatal(k.Kind, err)
	}
	return again
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Lists whose items official checks compare with each other are bounded, wherever a pod is described.
func TestBound(t *testing.T) {
	ports, items := make([]core.ContainerPort, 301), make([]core.KeyToPath, 2001)
	for name, pod := range map[string]core.PodSpec{
		"spec.containers: Too many: 301: must have at most 300 items": {
			Containers: []core.Container{{Ports: ports[:200]}}, InitContainers: []core.Container{{Ports: ports[:101]}}},
		"spec.topologySpreadConstraints: Too many: 2001: must have at most 2000 items": {
			TopologySpreadConstraints: make([]core.TopologySpreadConstraint, 2001)},
		"spec.volumes[0].secret.items: Too many: 2001: must have at most 2000 items": {
			Volumes: []core.Volume{{VolumeSource: core.VolumeSource{Secret: &core.SecretVolumeSource{Items: items}}}}},
		"spec.volumes[0].projected.sources: Too many: 2002: must have at most 2000 items": {
			Volumes: []core.Volume{{VolumeSource: core.VolumeSource{Projected: &core.ProjectedVolumeSource{Sources: []core.VolumeProjection{
				{ConfigMap: &core.ConfigMapProjection{Items: items[:1001]}}, {Secret: &core.SecretProjection{Items: items[:1001]}}}}}}}},
		"": {Containers: []core.Container{{Ports: ports[:300]}}},
	} {
		for _, c := range []struct {
			kind, at string
			obj      runtime.Object
		}{
			{"Pod", "", &core.Pod{Spec: pod}},
			{"Deployment", "spec.template.", &apps.Deployment{Spec: apps.DeploymentSpec{Template: core.PodTemplateSpec{Spec: pod}}}},
			{"CronJob", "spec.jobTemplate.spec.template.", &batch.CronJob{Spec: batch.CronJobSpec{JobTemplate: batch.JobTemplateSpec{Spec: batch.JobSpec{Template: core.PodTemplateSpec{Spec: pod}}}}}},
		} {
			want := name
			if want != "" {
				want = c.at + want
			}
			got := ""
			if errs := mustKind(t, c.kind).Bound(c.obj); len(errs) > 0 {
				got = errs[0].Error()
			}
			if got != want {
				t.Errorf("%s: %q, want %q", c.kind, got, want)
			}
		}
	}
}
