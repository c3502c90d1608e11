package registry

import (
	"fmt"
	"slices"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/fields"
	"kubarium/server/kinds"
)

// managers are the field managers of all doors, each made when it is first used. It fulfils FieldManagers.
type managers struct {
	scheme    *runtime.Scheme
	converter *fields.Converter

	mu    sync.Mutex // guards doors
	doors map[door]*fields.Manager
}

// A door is a kind, or one of its subresources.
type door struct {
	kind        *kinds.Kind
	subresource string
}

// NewManagers returns the field managers of the kinds that scheme knows.
func NewManagers(scheme *runtime.Scheme) FieldManagers {
	return &managers{scheme: scheme, converter: fields.NewConverter(scheme), doors: map[door]*fields.Manager{}}
}

// Update fulfils FieldManagers.
func (ms *managers) Update(k *kinds.Kind, subresource string, live, obj runtime.Object, manager string) runtime.Object {
	live.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return ms.door(k, subresource).UpdateNoErrors(live, obj, manager)
}

// Apply fulfils FieldManagers.
func (ms *managers) Apply(k *kinds.Kind, subresource string, live, patch runtime.Object, manager string, force bool) (runtime.Object, error) {
	live.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return ms.door(k, subresource).Apply(live, patch, manager, force)
}

func (ms *managers) door(k *kinds.Kind, subresource string) *fields.Manager {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	d := door{k, subresource}
	if m := ms.doors[d]; m != nil {
		return m
	}
	o := fields.Options{Scheme: ms.scheme, Converter: ms.converter, Kind: k.GroupVersionKind, Subresource: subresource, Default: k.Default}
	switch {
	case subresource == "status":
		o.Reset = fields.StatusReset(k.GroupKind())
	case k.Status:
		o.Reset = fields.MainReset()
	}
	m, err := fields.NewManager(o)
	if err != nil {
		panic(fmt.Sprintf("field manager of %s: %v", k.Kind, err)) // a row of the catalogue that its scheme does not know
	}
	ms.doors[d] = m
	return m
}

// keepManagedTimes gives entries of managedFields that differ from the old ones in nothing but their time the old time
// back, so that a write which changes nothing else is a no-op.
func keepManagedTimes(m, old metav1.Object) {
	before := old.GetManagedFields()
	after := slices.Clone(m.GetManagedFields())
	if len(after) != len(before) {
		return
	}
	for i := range after {
		e := after[i]
		e.Time = before[i].Time
		if !apiequality.Semantic.DeepEqual(e, before[i]) {
			return
		}
		after[i] = e
	}
	m.SetManagedFields(after)
}
