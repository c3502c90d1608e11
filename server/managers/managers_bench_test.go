package managers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/calls"
	"kubarium/server/catalogue"
	"kubarium/server/customresource"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/objects"
	"kubarium/server/patch"
	"kubarium/server/registry"
	"kubarium/sqlitestore"
)

// BenchmarkManagedFields measures what writes of some kinds cost with managedFields and without, as dry runs: every
// station but the commit. The object has four managers already when it is updated, patched or applied. An apply is made of
// owners, so there is none without; compare it with the merge patch of the same fields.
//
//	go test ./server/registry -run '^$' -bench ManagedFields
func BenchmarkManagedFields(b *testing.B) {
	for _, w := range writtenKinds {
		k := mustRow(b, w)
		for _, managed := range []bool{true, false} {
			what := map[bool]string{true: "with", false: "without"}[managed]
			l := newLoad(b, k, w, managed)
			b.Run(k.Kind+"/create/"+what, l.create)
			b.Run(k.Kind+"/update/"+what, l.update)
			b.Run(k.Kind+"/patch/"+what, l.merge)
			if managed {
				b.Run(k.Kind+"/apply/"+what, l.apply)
			}
		}
	}
}

// A writtenKind is a kind with an object of the size that such objects have, and a change of it.
type writtenKind struct {
	resource, object, change string // change is a merge patch and, with a kind, an apply configuration
}

var writtenKinds = []writtenKind{
	{"configmaps", `"data":{"a":"1","b":"2","c":"` + strings.Repeat("x", 500) + `"}`, `"data":{"a":"3"}`},
	{"pods", `"spec":{"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"}},"volumeMounts":[{"name":"v","mountPath":"/v"}]}],"volumes":[{"name":"v","emptyDir":{}}]}`, `"metadata":{"name":"a","labels":{"l":"2"}}`},
	{"deployments", `"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]}}}`, `"spec":{"replicas":3}`},
	{"services", `"spec":{"type":"ClusterIP","selector":{"a":"b"},"ports":[{"name":"http","port":80,"targetPort":8080},{"name":"https","port":443,"targetPort":8443}]}`, `"spec":{"selector":{"a":"c"}}`},
	{"widgets", `"spec":{"size":1,"colour":"green","parts":[{"name":"p","count":1},{"name":"q","count":2}]}`, `"spec":{"size":4}`},
}

const widgetSchema = `{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},"colour":{"type":"string"},"parts":{
"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer"}}}}}}}}`

// mustRow is the row of a kind, of one's own for widgets.
func mustRow(b *testing.B, w writtenKind) *kinds.Kind {
	b.Helper()
	for _, k := range kinds.BuiltIn() {
		if k.Resource == w.resource {
			return k
		}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	names := apiextensionsv1.CustomResourceDefinitionNames{Plural: w.resource, Singular: "widget", Kind: "Widget", ListKind: "WidgetList"}
	crd.Name, crd.Spec.Group, crd.Spec.Names, crd.Status.AcceptedNames = w.resource+".example.com", "example.com", names, names
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{}}}}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	if err := json.Unmarshal([]byte(widgetSchema), crd.Spec.Versions[0].Schema.OpenAPIV3Schema); err != nil {
		b.Fatal(err)
	}
	value, err := json.Marshal(crd)
	if err != nil {
		b.Fatal(err)
	}
	d, err := customresource.Read(value, 1, nil, calls.Way{})
	if err != nil || d.Stored == nil {
		b.Fatal(err)
	}
	return d.Stored
}

// unmanaged keeps no owners.
type unmanaged struct{}

func (unmanaged) Update(_ *kinds.Kind, _ string, _, obj runtime.Object, _ string) runtime.Object {
	return obj
}

func (unmanaged) Apply(_ *kinds.Kind, _ string, live, _ runtime.Object, _ string, _ bool) (runtime.Object, error) {
	return live, nil
}

// A load is writes of one kind to a registry of its own.
type load struct {
	registry *registry.Registry
	target   registry.Target
	kind     writtenKind
	options  registry.WriteOptions
}

func newLoad(b *testing.B, k *kinds.Kind, w writtenKind, managed bool) *load {
	b.Helper()
	store, err := sqlitestore.Open(b.Context(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: unmanaged{}, Now: time.Now}
	if managed {
		r.Managers = managers.New(codecs.Scheme())
	}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		r.Cache.Close()
		_ = store.Close()
	})
	l := &load{registry: r, target: registry.Target{Kind: k, Namespace: "default"}, kind: w, options: registry.WriteOptions{Manager: "bench"}}
	l.plant(b)
	l.options.DryRun = true
	return l
}

// plant stores the object, which several managers have written.
func (l *load) plant(b *testing.B) {
	b.Helper()
	ns := registry.Target{Kind: mustRow(b, writtenKind{resource: "namespaces"})}
	obj := ns.Kind.New()
	if err := json.Unmarshal([]byte(`{"metadata":{"name":"default"}}`), obj); err != nil {
		b.Fatal(err)
	}
	obj, err := ns.Kind.Internal(obj)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := l.registry.Create(b.Context(), ns, obj, l.options); err != nil {
		b.Fatal(err)
	}
	if _, err := l.registry.Create(b.Context(), l.target, l.object(b, "a", l.kind.object), l.options); err != nil {
		b.Fatal(err)
	}
	for _, manager := range []string{"kubectl", "controller", "admin"} {
		o := l.options
		o.Manager = manager
		body := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/%s":"x"}}}`, manager)
		if err := l.patch(b, types.MergePatchType, body, o); err != nil {
			b.Fatal(err)
		}
	}
}

// object makes an object of the kind with its defaults.
func (l *load) object(b *testing.B, name, rest string) runtime.Object {
	k := l.target.Kind
	obj := k.New()
	text := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":"default","labels":{"l":"1"}},%s}`, k.GroupVersion(), k.Kind, name, rest)
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), obj); err != nil {
		b.Fatal(err)
	}
	k.Default(obj)
	obj, err := k.Internal(obj)
	if err != nil {
		b.Fatal(err)
	}
	return obj
}

func (l *load) create(b *testing.B) {
	b.ReportAllocs()
	obj := l.object(b, "new", l.kind.object)
	for b.Loop() {
		if _, err := l.registry.Create(b.Context(), l.target, obj.DeepCopyObject(), l.options); err != nil {
			b.Fatal(err)
		}
	}
}

func (l *load) update(b *testing.B) {
	b.ReportAllocs()
	named := l.target
	named.Name = "a"
	obj := l.object(b, "a", strings.Replace(l.kind.object, `1`, `2`, 1))
	found, err := l.registry.Get(b.Context(), named, "")
	if err != nil {
		b.Fatal(err)
	}
	access, err := meta.Accessor(obj)
	if err != nil {
		b.Fatal(err)
	}
	access.SetResourceVersion(objects.FormatRevision(found.Revision)) // kinds of ones own ask for it
	for b.Loop() {
		if _, _, err := l.registry.Update(b.Context(), named, obj.DeepCopyObject(), l.options); err != nil {
			b.Fatal(err)
		}
	}
}

func (l *load) merge(b *testing.B) { l.patches(b, types.MergePatchType, "{"+l.kind.change+"}") }

func (l *load) apply(b *testing.B) {
	k := l.target.Kind
	head := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,`, k.GroupVersion(), k.Kind)
	if !strings.Contains(l.kind.change, `"metadata"`) {
		head += `"metadata":{"name":"a"},`
	}
	l.patches(b, types.ApplyYAMLPatchType, head+l.kind.change+"}")
}

func (l *load) patches(b *testing.B, form types.PatchType, body string) {
	b.ReportAllocs()
	for b.Loop() {
		if err := l.patch(b, form, body, l.options); err != nil {
			b.Fatal(err)
		}
	}
}

func (l *load) patch(b *testing.B, form types.PatchType, body string, o registry.WriteOptions) error {
	named := l.target
	named.Name = "a"
	_, _, err := l.registry.Patch(b.Context(), named, registry.Patch{Type: form, Body: []byte(body), Force: true, Strict: patch.Ignore,
		Decode: func(k *kinds.Kind, patched patch.Result) (runtime.Object, []error, error) {
			obj := k.New()
			if err := kjson.UnmarshalCaseSensitivePreserveInts(patched.After, obj); err != nil {
				return nil, nil, err
			}
			obj, err := k.Internal(obj)
			return obj, nil, err
		}}, o)
	return err
}
