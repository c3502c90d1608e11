// Package managers has the field manager of each resource and subresource, made when it is first used: who owns which
// fields after a write (Server-Side Apply, "Field management"). Package fields knows how; here is for which kind.
package managers

import (
	"fmt"
	"maps"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/fields"
	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// Managers are the field managers of all resources and subresources. They fulfil registry.FieldManagers.
type Managers struct {
	types *fields.Converter // of the kinds that have a Go type

	mu  sync.Mutex // guards all
	all map[resource]*manager
}

// A resource is a kind, or one of its subresources.
type resource struct {
	kind        schema.GroupVersionKind
	subresource string
}

// A manager is a resource's field manager, as long as the kind's row stays the same.
type manager struct {
	kind    *kinds.Kind
	full    *fields.Manager
	updater *fields.Updater
	creator func() *fields.Creator // of new objects, made when it is first asked for; nil except for the main resource
	// noSpec says that a write through here leaves the spec alone, so that no manager comes to own any of it.
	noSpec bool
}

// New returns the field managers of the kinds that scheme knows, and of custom resources.
func New(scheme *runtime.Scheme) *Managers {
	return &Managers{types: fields.NewConverter(scheme), all: map[resource]*manager{}}
}

// Update fulfils registry.FieldManagers.
func (ms *Managers) Update(k *kinds.Kind, subresource string, live, obj runtime.Object, name string) runtime.Object {
	m, err := ms.manager(k, subresource)
	if err != nil {
		return obj
	}
	if m.created(live, obj, name) || m.kept(live, obj, name) {
		return obj
	}
	return m.full.UpdateNoErrors(live, obj, name)
}

// created writes the owner of a new object, the short way where that is enough.
func (m *manager) created(live, obj runtime.Object, name string) bool {
	if was := objects.Meta(live); was.GetResourceVersion() != "" || len(was.GetManagedFields()) > 0 {
		return false // what is stored has a version
	}
	f := m.creator()
	if f == nil {
		return false
	}
	served, err := m.kind.Served(obj)
	if err != nil || !f.TryCreate(served, name) {
		return false
	}
	objects.Meta(obj).SetManagedFields(objects.Meta(served).GetManagedFields())
	return true
}

// kept writes the owners of an object that is there, the short way where that is enough.
func (m *manager) kept(live, obj runtime.Object, name string) bool {
	was, err := m.kind.Served(live)
	if err != nil {
		return false
	}
	is, err := m.kind.Served(obj)
	if err != nil {
		return false
	}
	if m.noSpec {
		was, is = withoutSpec(was), withoutSpec(is)
	}
	if !m.updater.TryUpdate(was, is, name) {
		return false
	}
	objects.Meta(obj).SetManagedFields(objects.Meta(is).GetManagedFields())
	return true
}

// Apply fulfils registry.FieldManagers.
func (ms *Managers) Apply(k *kinds.Kind, subresource string, live, patch runtime.Object, name string, force bool) (runtime.Object, error) {
	m, err := ms.manager(k, subresource)
	if err != nil {
		return nil, err
	}
	return m.full.Apply(live, patch, name, force)
}

// manager returns the manager of a resource. It fails for a custom resource whose schema cannot be understood.
func (ms *Managers) manager(k *kinds.Kind, subresource string) (*manager, error) {
	k = k.Row()
	ms.mu.Lock()
	defer ms.mu.Unlock()
	of := resource{k.GroupVersionKind, subresource}
	if m := ms.all[of]; m != nil && m.kind == k {
		return m, nil
	}
	m, err := ms.open(k, subresource)
	if err != nil {
		return nil, err
	}
	ms.all[of] = m
	return m, nil
}

func (ms *Managers) open(k *kinds.Kind, subresource string) (*manager, error) {
	o, err := k.Managed(subresource)
	if err != nil {
		return nil, err
	}
	if o.Types == nil {
		o.Types = ms.types.Of(k.Group == "")
	}
	full, err := fields.NewManager(o)
	if err != nil {
		return nil, fmt.Errorf("field manager of %s: %w", k.Kind, err)
	}
	creator := func() *fields.Creator { return nil }
	if subresource == "" {
		creator = sync.OnceValue(func() *fields.Creator {
			f, err := fields.NewCreator(o, objects.Blank(k))
			if err != nil {
				return nil // the manager has no types either, and leaves objects without owners
			}
			return f
		})
	}
	m := &manager{
		kind: k, full: full, updater: fields.NewUpdater(o, creator), creator: creator,
		noSpec: subresource == "status" && o.Leaves("spec"),
	}
	return m, nil
}

// withoutSpec is a copy of a served object without its spec, for what only looks at the rest. It shares what both have.
func withoutSpec(obj runtime.Object) runtime.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		rest := maps.Clone(u.Object)
		delete(rest, "spec")
		if metadata, ok := rest["metadata"].(map[string]any); ok {
			rest["metadata"] = maps.Clone(metadata)
		}
		return &unstructured.Unstructured{Object: rest}
	}
	rest := reflect.New(reflect.TypeOf(obj).Elem())
	rest.Elem().Set(reflect.ValueOf(obj).Elem())
	if spec := rest.Elem().FieldByName("Spec"); spec.IsValid() {
		spec.SetZero()
	}
	return rest.Interface().(runtime.Object)
}
