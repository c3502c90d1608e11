package fields_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"kubarium/server/fields"
)

// Whatever random writers do to an object by its subresources, a Updater that takes an update comes to the owners that the Manager
// comes to, and takes most updates.
func TestKeeper_Kept_likeManager(t *testing.T) {
	main := fields.Options{Kind: deployment, Reset: except("apps/v1", "status")}
	status := fields.Options{Kind: deployment, Subresource: "status", Reset: except("apps/v1", "spec", "metadata")}
	widget := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	custom := &fields.Custom{}
	for _, kind := range []struct {
		name  string
		fresh func() runtime.Object
		apply string
		ways  []fields.Options
		edit  func(obj runtime.Object, r *rand.Rand)
	}{
		{"ConfigMap", func() runtime.Object { return &corev1.ConfigMap{} }, `"data":{"k0":"applied"}`,
			[]fields.Options{{Kind: configMap}}, editConfigMap},
		{"Deployment", func() runtime.Object { return &appsv1.Deployment{} }, `"spec":{"replicas":9}`,
			[]fields.Options{main, status}, editDeployment},
		{"Widget", func() runtime.Object { return &unstructured.Unstructured{Object: map[string]any{}} }, `"spec":{"s0":"9"}`,
			[]fields.Options{{Kind: widget, Types: managedfields.NewDeducedTypeConverter(), Convertor: custom, Creater: custom, Unstructured: true}}, editWidget},
	} {
		t.Run(kind.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var ways []tracked
			for _, o := range kind.ways {
				ways = append(ways, newTracked(t, o))
			}
			takes := 0
			for range 60 {
				live := ways[0].create(kind.fresh(), kind.edit, r)
				for range 40 {
					d := ways[r.IntN(len(ways))]
					if r.IntN(12) == 0 {
						live = d.apply(t, live, kind.apply)
						continue
					}
					next, took := d.update(t, live, kind.edit, r)
					if took {
						takes++
					}
					live = next
				}
			}
			t.Logf("%d of 2400 updates taken", takes)
			if takes < 900 {
				t.Errorf("only %d updates were taken", takes)
			}
		})
	}
}

// A tracked is a resource with both ways to keep its owners.
type tracked struct {
	options fields.Options
	manager *fields.Manager
	updater *fields.Updater
}

func newTracked(t *testing.T, o fields.Options) tracked {
	m := mustManager(t, o)
	o = completed(o)
	if o.Subresource != "" {
		return tracked{o, m, fields.NewUpdater(o, nil)}
	}
	blank, err := o.Creater.New(o.Kind)
	if err != nil {
		t.Fatal(err)
	}
	creator, err := fields.NewCreator(o, blank)
	if err != nil {
		t.Fatal(err)
	}
	return tracked{o, m, fields.NewUpdater(o, func() *fields.Creator { return creator })}
}

var keptManagers = []string{"a", "b", ""}

func (d tracked) create(obj runtime.Object, edit func(runtime.Object, *rand.Rand), r *rand.Rand) runtime.Object {
	obj.GetObjectKind().SetGroupVersionKind(d.options.Kind)
	blank := obj.DeepCopyObject()
	accessor(obj).SetName("x")
	edit(obj, r)
	return stored(d.manager.UpdateNoErrors(blank, obj, "a"))
}

// stored gives an object what a stored one has; its owners have written a while ago.
func stored(obj runtime.Object) runtime.Object {
	m := accessor(obj)
	m.SetUID("u")
	m.SetResourceVersion("7")
	m.SetCreationTimestamp(metav1.Unix(1, 0))
	entries := slices.Clone(m.GetManagedFields())
	for i := range entries {
		if entries[i].Time != nil {
			entries[i].Time = &metav1.Time{Time: entries[i].Time.Add(-time.Minute).Truncate(time.Second)}
		}
	}
	m.SetManagedFields(entries)
	return obj
}

func (d tracked) apply(t *testing.T, live runtime.Object, body string) runtime.Object {
	text := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"x"},%s}`, d.options.Kind.GroupVersion(), d.options.Kind.Kind, body)
	next, err := d.manager.Apply(live, mustDecode(t, text), "b", true)
	if err != nil {
		t.Fatal(err)
	}
	return stored(next)
}

// update writes an object both ways and compares them.
func (d tracked) update(t *testing.T, live runtime.Object, edit func(runtime.Object, *rand.Rand), r *rand.Rand) (runtime.Object, bool) {
	next := live.DeepCopyObject()
	edit(next, r)
	bring(accessor(next), r)
	manager := keptManagers[r.IntN(len(keptManagers))]
	want := d.manager.UpdateNoErrors(live.DeepCopyObject(), next.DeepCopyObject(), manager)
	kept, got := live.DeepCopyObject(), next.DeepCopyObject()
	took := d.updater.TryUpdate(kept, got, manager)
	if !took {
		if describeOwners(got) != describeOwners(next) || describeOwners(kept) != describeOwners(live) {
			t.Fatal("an update that was left alone has changed")
		}
		return stored(want), false
	}
	if describeOwners(kept) != describeOwners(live) {
		t.Fatal("the live object has changed")
	}
	if g, w := describeOwners(got), describeOwners(want); g != w {
		t.Fatalf("%q updated\n%v\nto\n%v\nThe updater has\n%s\nthe manager\n%s", manager, live, next, g, w)
	}
	return stored(want), true
}

// bring lets a client send managedFields as it has read them, none, or others.
func bring(m metav1.Object, r *rand.Rand) {
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		m.SetManagedFields(nil)
	case 4:
		m.SetManagedFields([]metav1.ManagedFieldsEntry{})
	case 5:
		if entries := slices.Clone(m.GetManagedFields()); len(entries) > 0 {
			entries[0].Manager = "renamed"
			m.SetManagedFields(entries)
		}
	}
}

// describeOwners is the whole of managedFields; ages are rounded to half a minute, as two times taken now differ a
// little.
func describeOwners(obj runtime.Object) string {
	entries := accessor(obj).GetManagedFields()
	lines := []string{fmt.Sprint(entries == nil)}
	for _, e := range entries {
		ago := "ever"
		if e.Time != nil {
			ago = time.Since(e.Time.Time).Round(30 * time.Second).String()
		}
		lines = append(lines, fmt.Sprint(e.Manager, e.Operation, e.Subresource, e.APIVersion, e.FieldsType, ago, string(e.FieldsV1.GetRawBytes())))
	}
	return strings.Join(lines, "\n")
}

func accessor(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	return m
}

func editConfigMap(obj runtime.Object, r *rand.Rand) {
	c := obj.(*corev1.ConfigMap)
	if c.Data == nil {
		c.Data = map[string]string{"k0": "0", "k1": "0"}
	}
	key := fmt.Sprint("k", r.IntN(3))
	switch r.IntN(12) {
	case 0:
		delete(c.Data, key)
	case 1:
		c.Labels = map[string]string{"l": key}
	case 2:
		c.Labels = nil
	case 3:
		c.ResourceVersion, c.UID = "", ""
	case 4: // nothing
	default:
		if _, ok := c.Data[key]; ok || r.IntN(4) == 0 {
			c.Data[key] = fmt.Sprint(r.IntN(1000))
		}
	}
}

func editDeployment(obj runtime.Object, r *rand.Rand) {
	d := obj.(*appsv1.Deployment)
	if len(d.Spec.Template.Spec.Containers) == 0 {
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c"}, {Name: "d"}}
	}
	n := int32(r.IntN(1000))
	switch c := &d.Spec.Template.Spec.Containers[0]; r.IntN(10) {
	case 0, 1:
		d.Spec.Replicas = &n
	case 2, 3:
		c.Image = fmt.Sprint("i", n)
	case 4:
		c.Env = []corev1.EnvVar{{Name: fmt.Sprint("e", n%3), Value: fmt.Sprint(n)}}
	case 5:
		slices.Reverse(d.Spec.Template.Spec.Containers)
	case 6:
		d.Generation++
	default:
		d.Status.Replicas = n
	}
}

func editWidget(obj runtime.Object, r *rand.Rand) {
	u := obj.(*unstructured.Unstructured)
	field := []string{"spec", fmt.Sprint("s", r.IntN(3))}
	if r.IntN(5) == 0 {
		unstructured.RemoveNestedField(u.Object, field...)
	} else if err := unstructured.SetNestedField(u.Object, fmt.Sprint(r.IntN(1000)), field...); err != nil {
		panic(err)
	}
}

// A Updater leaves what names fields in other words than a Manager to the Manager, which puts them right.
func TestKeeper_Kept_foreignText(t *testing.T) {
	d := newTracked(t, fields.Options{Kind: configMap})
	for name, text := range map[string]string{
		"sound":    `{"f:data":{"f:k":{}}}`,
		"spaces":   `{"f:data": {"f:k":{}}}`,
		"unowned":  `{"f:data":{"f:k":{}},"f:metadata":{"f:name":{}}}`,
		"nothing":  `{}`,
		"no field": `{"data":1`,
	} {
		live := &corev1.ConfigMap{Data: map[string]string{"k": "1"}}
		live.SetGroupVersionKind(configMap)
		live.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "a", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1",
			Time: &metav1.Time{}, FieldsV1: &metav1.FieldsV1{Raw: []byte(text)}}}
		next := live.DeepCopy()
		next.Data["k"] = "2"
		if took := d.updater.TryUpdate(live, next, "a"); took != (name == "sound") {
			t.Errorf("%s: taken: %v", name, took)
		}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret"}}
	if d.updater.TryUpdate(u, u.DeepCopy(), "a") {
		t.Error("another kind was taken")
	}
}
