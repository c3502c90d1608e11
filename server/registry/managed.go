package registry

import (
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/fields"
	"kubarium/server/kinds"
)

// managers are the field managers of all doors, each made when it is first used. It fulfils FieldManagers.
type managers struct {
	scheme    *runtime.Scheme
	converter *fields.Converter

	mu    sync.Mutex // guards doors
	doors map[door]*openDoor
}

// A door is a kind, or one of its subresources.
type door struct {
	kind        schema.GroupVersionKind
	subresource string
}

// An openDoor is a door's manager, as long as the kind's row stays the same.
type openDoor struct {
	kind    *kinds.Kind
	manager *fields.Manager
	keeper  *fields.Keeper
	founder func() *fields.Founder // of new objects, made when it is first asked for; nil but at the main door
}

// NewManagers returns the field managers of the kinds that scheme knows, and of kinds of one's own.
func NewManagers(scheme *runtime.Scheme) FieldManagers {
	return &managers{scheme: scheme, converter: fields.NewConverter(scheme), doors: map[door]*openDoor{}}
}

// Update fulfils FieldManagers.
func (ms *managers) Update(k *kinds.Kind, subresource string, live, obj runtime.Object, manager string) runtime.Object {
	d, err := ms.door(k, subresource)
	if err != nil {
		return obj
	}
	live.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	if k.Custom == nil { // what a custom object calls itself is still to be checked
		obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	}
	if m := access(live); m.GetResourceVersion() == "" && len(m.GetManagedFields()) == 0 { // obj is new: what is stored has a version
		if f := d.founder(); f != nil && f.Found(obj, manager) {
			return obj
		}
	}
	if subresource != "status" {
		return d.update(live, obj, manager)
	}
	// This door leaves the spec alone, so nobody comes to own any of it: it need not be looked at.
	parts := k.Parts()
	managed := d.update(parts.WithoutSpec(live), parts.WithoutSpec(obj), manager)
	access(obj).SetManagedFields(access(managed).GetManagedFields())
	return obj
}

// update keeps the owners of an object that is there, the short way where that is enough.
func (d *openDoor) update(live, obj runtime.Object, manager string) runtime.Object {
	if d.keeper.Kept(live, obj, manager) {
		return obj
	}
	return d.manager.UpdateNoErrors(live, obj, manager)
}

// Apply fulfils FieldManagers.
func (ms *managers) Apply(k *kinds.Kind, subresource string, live, patch runtime.Object, manager string, force bool) (runtime.Object, error) {
	d, err := ms.door(k, subresource)
	if err != nil {
		return nil, err
	}
	live.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return d.manager.Apply(live, patch, manager, force)
}

// door returns a door that is open. It fails for a kind of one's own whose schema can not be understood.
func (ms *managers) door(k *kinds.Kind, subresource string) (*openDoor, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	d := door{k.GroupVersionKind, subresource}
	if open := ms.doors[d]; open != nil && open.kind == k {
		return open, nil
	}
	open, err := ms.open(k, subresource)
	if err != nil {
		return nil, err
	}
	ms.doors[d] = open
	return open, nil
}

func (ms *managers) open(k *kinds.Kind, subresource string) (*openDoor, error) {
	o, err := ms.options(k, subresource)
	if err != nil {
		return nil, err
	}
	m, err := fields.NewManager(o)
	if err != nil {
		return nil, fmt.Errorf("field manager of %s: %w", k.Kind, err)
	}
	open := &openDoor{kind: k, manager: m, keeper: fields.NewKeeper(o), founder: func() *fields.Founder { return nil }}
	if subresource == "" {
		open.founder = sync.OnceValue(func() *fields.Founder {
			f, err := fields.NewFounder(o, k.New())
			if err != nil {
				return nil // the manager has no types either, and leaves objects without owners
			}
			return f
		})
	}
	return open, nil
}

func (ms *managers) options(k *kinds.Kind, subresource string) (fields.Options, error) {
	o := fields.Options{Scheme: ms.scheme, Converter: ms.converter, Kind: k.GroupVersionKind, Subresource: subresource, Default: k.Default}
	switch {
	case subresource == "status" && (k.Custom != nil || k.StatusAlone):
		o.Reset = fields.AloneStatusReset()
	case subresource == "status":
		o.Reset = fields.StatusReset(k.GroupKind())
	case k.Doors[subresource] != nil:
		o.Reset = fields.Paths(k.Doors[subresource].Reset)
	case k.Status:
		o.Reset = append(fields.MainReset(), fields.Paths(k.Reset)...)
	}
	if k.Custom == nil {
		o.Versions = ms.versions(k)
		return o, nil
	}
	types, err := k.Custom.Converter()
	if err != nil {
		return o, err
	}
	o.Custom = &fields.Custom{Types: types, InVersion: k.Custom.InVersion}
	return o, nil
}

// keepManagedTimes gives entries of managedFields that differ from the old ones in nothing but their time the old time
// back, so that a write which changes nothing else is a no-op.
func keepManagedTimes(m, old metav1.Object) {
	before := old.GetManagedFields()
	after := slices.Clone(m.GetManagedFields())
	if !slices.EqualFunc(after, before, fields.SameButTime) {
		return
	}
	for i := range after {
		after[i].Time = before[i].Time
	}
	m.SetManagedFields(after)
}
