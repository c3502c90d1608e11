package fields_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/server/fields"
)

var (
	configMap  = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	deployment = appsv1.SchemeGroupVersion.WithKind("Deployment")
	scheme     = mustScheme()
)

func mustScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, autoscalingv1.AddToScheme, coordinationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

func mustManager(t testing.TB, o fields.Options) *fields.Manager {
	t.Helper()
	m, err := fields.NewManager(completed(o))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// completed fills the ways between versions that o leaves out: those of a scheme in which the published version is the hub.
func completed(o fields.Options) fields.Options {
	if o.Types == nil {
		o.Types = fields.NewConverter(scheme)
	}
	if o.Convertor == nil {
		o.Convertor, o.Creater = runtime.UnsafeObjectConvertor(scheme), scheme
	}
	if o.Defaulter == nil {
		o.Defaulter = scheme
	}
	o.Hub = o.Kind.GroupVersion()
	return o
}

// except leaves members of the objects of a version alone.
func except(version string, members ...string) map[fieldpath.APIVersion]fieldpath.Filter {
	set := fieldpath.NewSet()
	for _, name := range members {
		set.Insert(fieldpath.MakePathOrDie(name))
	}
	return map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(version): fieldpath.NewExcludeSetFilter(set)}
}

// A defaulter is a function as runtime.ObjectDefaulter.
type defaulter func(obj runtime.Object)

func (d defaulter) Default(obj runtime.Object) { d(obj) }

func mustDecode(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := new(unstructured.Unstructured)
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func mustTyped(t testing.TB, text string, into runtime.Object) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// owner is what a test expects of one entry; times are checked to be there.
type owner struct{ manager, operation, subresource, fields string }

func checkOwners(t *testing.T, obj runtime.Object, want ...owner) {
	t.Helper()
	accessor, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	entries := accessor.GetManagedFields()
	if len(entries) != len(want) {
		t.Fatalf("%d entries, want %d: %v", len(entries), len(want), entries)
	}
	for i, e := range entries {
		got := owner{e.Manager, string(e.Operation), e.Subresource, string(e.FieldsV1.Raw)}
		if got != want[i] {
			t.Errorf("entry %d is\n%+v, want\n%+v", i, got, want[i])
		}
		if e.Time == nil || e.FieldsType != "FieldsV1" {
			t.Errorf("entry %d has time %v and type %q", i, e.Time, e.FieldsType)
		}
	}
}

// The steps of the recorded case crud-and-verbs/lifecycle: create with a label, replace without it, then a patch.
func TestManager_Update(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: configMap})
	created := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", Labels: map[string]string{"x": "1"}},
		Data:       map[string]string{"k": "v"},
	}
	live, err := m.Update(&corev1.ConfigMap{}, created, "golden")
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, live, owner{"golden", "Update", "", `{"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:x":{}}}}`})

	replaced := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n"}, Data: map[string]string{"k": "v2"}}
	live, err = m.Update(live, replaced, "golden")
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, live, owner{"golden", "Update", "", `{"f:data":{".":{},"f:k":{}}}`})

	patched := live.(*corev1.ConfigMap).DeepCopy()
	patched.Data["n"] = "1"
	live, err = m.Update(live, patched, "other")
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, live,
		owner{"golden", "Update", "", `{"f:data":{".":{},"f:k":{}}}`},
		owner{"other", "Update", "", `{"f:data":{"f:n":{}}}`})
}

// A field of another manager is a conflict that names it; force takes it over; what is no longer applied goes.
func TestManager_Apply(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: configMap})
	const patch = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}}`
	live, err := m.Apply(&corev1.ConfigMap{}, mustDecode(t, patch), "alice", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := live.(*corev1.ConfigMap); !ok {
		t.Fatalf("apply gave a %T", live)
	}
	checkOwners(t, live, owner{"alice", "Apply", "", `{"f:data":{"f:k":{}},"f:metadata":{"f:labels":{"f:x":{}}}}`})

	const other = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"other"}}`
	_, err = m.Apply(live.DeepCopyObject(), mustDecode(t, other), "bob", false)
	if !apierrors.IsConflict(err) {
		t.Fatalf("apply over alice's field gave %v", err)
	}
	status := err.(apierrors.APIStatus).Status()
	if want := `Apply failed with 1 conflict: conflict with "alice": .data.k`; status.Message != want {
		t.Errorf("message %q, want %q", status.Message, want)
	}

	live, err = m.Apply(live, mustDecode(t, other), "bob", true)
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, live,
		owner{"alice", "Apply", "", `{"f:metadata":{"f:labels":{"f:x":{}}}}`},
		owner{"bob", "Apply", "", `{"f:data":{"f:k":{}}}`})
	if got := live.(*corev1.ConfigMap).Data["k"]; got != "other" {
		t.Errorf("data.k is %q", got)
	}

	live, err = m.Apply(live, mustDecode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`), "alice", false)
	if err != nil {
		t.Fatal(err)
	}
	if labels := live.(*corev1.ConfigMap).Labels; len(labels) != 0 {
		t.Errorf("labels that no manager applies are still there: %v", labels)
	}
}

const web = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
	"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
	"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"protocol":"TCP"}]}]}}}}`

// Containers and ports are owned by their keys; each way in leaves the other's fields alone.
func TestManager_Update_Doors(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: deployment, Reset: except("apps/v1", "status")})
	created := new(appsv1.Deployment)
	mustTyped(t, web, created)
	created.Status.Replicas = 7
	live, err := m.Update(&appsv1.Deployment{}, created, "golden")
	if err != nil {
		t.Fatal(err)
	}
	main := owner{"golden", "Update", "", `{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},` +
		`"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},` +
		`"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{}}}}}}}`}
	checkOwners(t, live, main)

	s := mustManager(t, fields.Options{Kind: deployment, Subresource: "status", Reset: except("apps/v1", "spec", "metadata")})
	next := live.(*appsv1.Deployment).DeepCopy()
	next.Status.Replicas = 3
	next.Labels = map[string]string{"ignored": "here"}
	live, err = s.Update(live, next, "controller")
	if err != nil {
		t.Fatal(err)
	}
	// Entries are sorted by time in seconds before managers, and a second may have begun between the two.
	deployed := live.(*appsv1.Deployment)
	slices.SortFunc(deployed.ManagedFields, func(a, b metav1.ManagedFieldsEntry) int { return strings.Compare(a.Manager, b.Manager) })
	checkOwners(t, live, owner{"controller", "Update", "status", `{"f:status":{"f:replicas":{}}}`}, main)
}

// An entry of a version that is not served any more is dropped, and nothing fails.
func TestManager_Update_UnknownVersion(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: deployment})
	live := new(appsv1.Deployment)
	mustTyped(t, web, live)
	live.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "old", Operation: "Update", APIVersion: "apps/v1beta1",
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:replicas":{}}}`)}}}
	next := live.DeepCopy()
	next.Spec.Paused = true
	got, err := m.Update(live, next, "golden")
	if err != nil {
		t.Fatal(err)
	}
	checkOwners(t, got, owner{"golden", "Update", "", `{"f:spec":{"f:paused":{}}}`})
}

// Default runs on what an Apply gives, and what it fills has no owner.
func TestManager_Apply_Default(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: deployment, Defaulter: defaulter(func(obj runtime.Object) {
		obj.(*appsv1.Deployment).Spec.MinReadySeconds = 5
	})})
	live, err := m.Apply(&appsv1.Deployment{}, mustDecode(t, web), "alice", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := live.(*appsv1.Deployment).Spec.MinReadySeconds; got != 5 {
		t.Errorf("minReadySeconds is %d", got)
	}
	checkOwners(t, live, owner{"alice", "Apply", "", `{"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:a":{}}},` +
		`"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{` +
		`"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}}}}}}}}`})
}

// A patch that does not fit the schema is refused, naming the field.
func TestManager_Apply_BadType(t *testing.T) {
	m := mustManager(t, fields.Options{Kind: deployment})
	patch := mustDecode(t, web)
	patch.Object["spec"].(map[string]any)["replicas"] = "three"
	if _, err := m.Apply(&appsv1.Deployment{}, patch, "alice", false); err == nil {
		t.Error("replicas of a string were applied")
	}
}

func TestManagerName(t *testing.T) {
	for _, c := range []struct{ field, agent, want string }{
		{"alice", "kubectl/v1.37", "alice"},
		{"", "kubectl/v1.37 (linux/amd64)", "kubectl"},
		{"", "my\x00 tool", "my tool"},
		{"", "", ""},
	} {
		if got := fields.ManagerName(c.field, c.agent); got != c.want {
			t.Errorf("ManagerName(%q, %q) = %q, want %q", c.field, c.agent, got, c.want)
		}
	}
}

// Many writers may be the first to ask for a kind at the same time.
func TestConverter_Kind_Concurrent(t *testing.T) {
	c := fields.NewConverter(scheme)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, gvk := range []schema.GroupVersionKind{configMap, deployment} {
				if _, err := c.Kind(gvk); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestConverter_Kind_Unknown(t *testing.T) {
	_, err := fields.NewConverter(scheme).Kind(schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "K"})
	if !runtime.IsNotRegisteredError(err) {
		t.Errorf("got %v", err)
	}
}

// The first write of a kind waits for this: 2 ms for a ConfigMap and 40 ms for a Deployment are the limits.
func BenchmarkConverter_Kind(b *testing.B) {
	for _, gvk := range []schema.GroupVersionKind{configMap, deployment} {
		b.Run(gvk.Kind, func(b *testing.B) {
			for b.Loop() {
				if _, err := fields.NewConverter(scheme).Kind(gvk); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkManager_Update(b *testing.B) {
	m := mustManager(b, fields.Options{Kind: configMap})
	for b.Loop() {
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v", "l": "w"}}
		if _, err := m.Update(&corev1.ConfigMap{}, obj, "golden"); err != nil {
			b.Fatal(err)
		}
	}
}
