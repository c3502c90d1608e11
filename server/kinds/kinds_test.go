package kinds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"kubarium/codecs"
	"kubarium/server/kinds"
)

// mustKind returns the row of a kind.
func mustKind(t *testing.T, name string) *kinds.Kind {
	t.Helper()
	for _, k := range kinds.BuiltIn() {
		if k.Kind == name {
			return k
		}
	}
	t.Fatalf("no row for %s", name)
	return nil
}

// mustVersion returns the row of a kind in a group version.
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

// mustParse reads a YAML object into the kind's type.
func mustParse[T runtime.Object](t *testing.T, k *kinds.Kind, text string) T {
	t.Helper()
	obj := k.New()
	if err := yaml.UnmarshalStrict([]byte(text), obj); err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return obj.(T)
}

// enter does with obj what a create does before the store: defaults, preparation, checks.
func enter(k *kinds.Kind, obj runtime.Object) field.ErrorList {
	if k.Default != nil {
		k.Default(obj)
	}
	if k.PrepareForCreate != nil {
		k.PrepareForCreate(obj)
	}
	var errs field.ErrorList
	if k.Validate != nil {
		errs = k.Validate(obj)
	}
	if k.ValidateCreate != nil {
		errs = append(errs, k.ValidateCreate(obj)...)
	}
	return errs
}

// replace does with obj what an update of old does before the store.
func replace(k *kinds.Kind, obj, old runtime.Object) field.ErrorList {
	if k.Default != nil {
		k.Default(obj)
	}
	if k.PrepareForUpdate != nil {
		k.PrepareForUpdate(obj, old)
	}
	var errs field.ErrorList
	if k.Validate != nil {
		errs = k.Validate(obj)
	}
	if k.ValidateUpdate != nil {
		errs = append(errs, k.ValidateUpdate(obj, old)...)
	}
	return errs
}

// expectErrors compares messages with path, without order.
func expectErrors(t *testing.T, errs field.ErrorList, want []string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("errors:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Every row names a type that the API's scheme knows under that kind, with a list of its own, and names are unique.
func TestBuiltIn_Types(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds.BuiltIn() {
		gvks, _, err := codecs.Scheme().ObjectKinds(k.New())
		if err != nil || !slices.Contains(gvks, k.GroupVersionKind) {
			t.Errorf("%s: New makes %v, %v", k.Kind, gvks, err)
		}
		lists, _, err := codecs.Scheme().ObjectKinds(k.NewList())
		if want := k.GroupVersion().WithKind(k.Kind + "List"); err != nil || !slices.Contains(lists, want) {
			t.Errorf("%s: NewList makes %v, %v", k.Kind, lists, err)
		}
		plural, singular := meta.UnsafeGuessKindToResource(k.GroupVersionKind)
		if k.Resource != plural.Resource || k.Singular != singular.Resource {
			t.Errorf("%s: %s, %s; want %s, %s", k.Kind, k.Resource, k.Singular, plural.Resource, singular.Resource)
		}
		for _, name := range append([]string{k.Resource}, k.ShortNames...) {
			if seen[name] && k.StoredAs == nil {
				t.Errorf("%s: name %s is taken", k.Kind, name)
			}
			seen[name] = true
		}
	}
}

// withoutValue are the names by which may be selected though Fields has none of them.
var withoutValue = map[string][]string{"Pod": {"spec.host", "status.podIPs"}}

// The keys of Fields are those listed, even for an empty object, and cells go with columns.
func TestBuiltIn_FieldsAndCells(t *testing.T) {
	for _, k := range kinds.BuiltIn() {
		obj := k.New()
		if k.Fields != nil {
			got := slices.Clone(withoutValue[k.Kind])
			for key := range k.Fields(obj) {
				got = append(got, key)
			}
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(k.FieldNames)); !slices.Equal(got, want) {
				t.Errorf("%s: Fields has %v, FieldNames %v", k.Kind, got, want)
			}
		}
		if got, want := len(k.Printer.Cells(obj, time.Now())), len(k.Printer.Columns); got != want {
			t.Errorf("%s: %d cells for %d columns", k.Kind, got, want)
		}
		for _, c := range k.Printer.Columns {
			if c.Description == "" && k.Kind != "RuntimeClass" { // Kubernetes has none for its handler
				t.Errorf("%s: column %s has no description", k.Kind, c.Name)
			}
		}
	}
}

// Defaults that ran once change nothing when they run again.
func TestBuiltIn_DefaultIsIdempotent(t *testing.T) {
	objects := map[string]string{
		"Namespace":      `{metadata: {name: a}}`,
		"ConfigMap":      `{data: {a: b}}`,
		"Secret":         `{stringData: {a: b}, data: {c: ZA==}}`,
		"Service":        `{spec: {type: LoadBalancer, sessionAffinity: ClientIP, ports: [{port: 80}]}, status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}}`,
		"ServiceAccount": `{secrets: [{name: a}]}`,
		"Node":           `{spec: {podCIDR: 10.1.0.0/24}, status: {capacity: {cpu: 1m, memory: 1500m}}}`,
		"Event":          `{reason: a}`,
		"Lease":          `{spec: {holderIdentity: a}}`,
	}
	for name, text := range objects {
		k := mustKind(t, name)
		if k.Default == nil {
			continue
		}
		once := mustParse[runtime.Object](t, k, text)
		k.Default(once)
		twice := once.DeepCopyObject()
		k.Default(twice)
		if !equality.Semantic.DeepEqual(once, twice) {
			t.Errorf("%s: defaults are not idempotent:\n%v\n%v", name, once, twice)
		}
	}
}

// The names under which kinds are stored and spoken of.
func TestKind_StorageResource(t *testing.T) {
	if got := mustKind(t, "Lease").StorageResource(); got != "leases.coordination.k8s.io" {
		t.Errorf("Lease is stored as %s", got)
	}
	if got := mustKind(t, "ConfigMap").StorageResource(); got != "configmaps" {
		t.Errorf("ConfigMap is stored as %s", got)
	}
	want := schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	if got := mustKind(t, "Lease").GroupResource(); got != want {
		t.Errorf("Lease's group resource is %v", got)
	}
}

// Which doors each kind has.
func TestBuiltIn_Doors(t *testing.T) {
	type doors struct{ createOnUpdate, unconditional, status, namespaced bool }
	want := map[string]doors{
		"Namespace":      {false, true, true, false},
		"ConfigMap":      {false, true, false, true},
		"Secret":         {false, true, false, true},
		"Service":        {true, true, true, true},
		"ServiceAccount": {false, true, false, true},
		"Node":           {false, true, true, false},
		"Event":          {true, true, false, true},
		"Lease":          {true, false, false, true},
	}
	for name, w := range want {
		k := mustKind(t, name)
		if got := (doors{k.CreateOnUpdate, k.UnconditionalUpdate, k.Status, k.Namespaced}); got != w {
			t.Errorf("%s: %+v, want %+v", name, got, w)
		}
	}
	if !mustKind(t, "Node").StatusAtCreate {
		t.Error("a Node loses the status that its kubelet registers it with")
	}
}
