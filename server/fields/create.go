package fields

import (
	"cmp"
	"sync"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A Creator writes the one entry of managedFields that a new object has: its manager owns all that it brings. It does
// the same as a Manager's Update at a create, when no field has an owner yet, at a third of the cost. It is safe for
// concurrent use.
type Creator struct {
	kind  schema.GroupVersionKind
	types managedfields.TypeConverter
	blank *typed.TypedValue // an empty object, which a new one is compared with
	reset fieldpath.Filter  // nil leaves nothing alone
	left  string            // the member that a write leaves alone: "status", or none

	mu    sync.Mutex        // guards known and bytes
	known map[string][]byte // the fields of objects, as an entry has them, by the objects' shapes
	bytes int               // of shapes and fields in known
}

// NewCreator returns the Creator for the main resource of a kind. blank is an empty object, which it keeps. The error is that
// of a kind whose schema cannot be understood.
func NewCreator(o Options, blank runtime.Object) (*Creator, error) {
	f := &Creator{kind: o.Kind, types: o.Types, reset: o.reset(), known: map[string][]byte{}}
	if o.Leaves("status") {
		f.left = "status"
	}
	blank.GetObjectKind().SetGroupVersionKind(o.Kind)
	var err error
	f.blank, err = f.types.ObjectToTyped(blank, typed.AllowDuplicates)
	return f, err
}

// TryCreate sets the managedFields of a new object, which states its kind, as they are after manager has created it. It
// returns false, and changes nothing, when that is not simple: the object has owners already, is of another kind, or
// does not match the schema.
func (f *Creator) TryCreate(obj runtime.Object, manager string) bool {
	m, err := meta.Accessor(obj)
	if err != nil || len(m.GetManagedFields()) > 0 || obj.GetObjectKind().GroupVersionKind() != f.kind || !utf8.ValidString(manager) {
		return false
	}
	like := outlineOf(obj, f.left)
	defer like.free()
	text, err := f.fieldsOf(like, obj)
	if err != nil {
		return false
	}
	m.SetManagedFields(nil)
	if len(text) > 0 {
		entry := updateEntry(f.kind, "", manager)
		entry.FieldsV1 = new(metav1.FieldsV1)
		entry.FieldsV1.SetRawBytes(text)
		m.SetManagedFields([]metav1.ManagedFieldsEntry{entry})
	}
	return true
}

// fieldsOf returns all fields of an object with that outline, in the form of an entry; nil if there are none. The text
// must not be changed.
func (f *Creator) fieldsOf(like *outline, obj runtime.Object) ([]byte, error) {
	f.mu.Lock()
	text, known := f.known[string(like.shape)]
	f.mu.Unlock()
	if known {
		return text, nil
	}
	text, err := f.read(obj)
	if size := len(like.shape) + len(text); err == nil && !like.broken && size <= maxOwnedText {
		f.mu.Lock()
		if len(f.known) >= maxOwned || f.bytes+size > maxOwnedBytes {
			clear(f.known)
			f.bytes = 0
		}
		f.known[string(like.shape)] = text
		f.bytes += size
		f.mu.Unlock()
	}
	return text, err
}

// read compares an object with an empty one.
func (f *Creator) read(obj runtime.Object) ([]byte, error) {
	object, err := f.types.ObjectToTyped(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	brought, err := f.blank.Compare(object)
	if err != nil {
		return nil, err
	}
	set := brought.Modified.Union(brought.Added)
	if f.reset != nil {
		set = f.reset.Filter(set)
	}
	if set = set.Difference(unowned); set.Empty() {
		return nil, nil
	}
	return set.ToJSON()
}

// updateEntry is the entry of an update through a resource or subresource, made now, without its fields.
func updateEntry(kind schema.GroupVersionKind, subresource, manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: cmp.Or(manager, "unknown"), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: kind.GroupVersion().String(),
		Time: &metav1.Time{Time: time.Now().UTC()}, FieldsType: "FieldsV1", Subresource: subresource,
	}
}

// fieldsV1 is a set of fields as an entry has it.
func fieldsV1(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	text, err := set.ToJSON()
	if err != nil {
		return nil, err
	}
	fields := new(metav1.FieldsV1)
	fields.SetRawBytes(text)
	return fields, nil
}

var unownedMetadata = []string{
	"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion",
}

// unowned are the fields without owners: apiVersion, kind, and the metadata that the server alone sets.
var unowned = func() *fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"))
	for _, name := range unownedMetadata {
		set.Insert(fieldpath.MakePathOrDie("metadata", name))
	}
	return set
}()
