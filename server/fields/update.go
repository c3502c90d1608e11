package fields

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// An Updater writes the managedFields of an update as a Manager does, at half of the cost, where all owners have
// written the object's own version: then each loses the fields that were removed or changed, and the manager of the
// write owns those that it changed or added. It is safe for concurrent use.
type Updater struct {
	kind        schema.GroupVersionKind
	subresource string
	types       managedfields.TypeConverter
	reset       fieldpath.Filter // nil leaves nothing alone
	creator     func() *Creator  // of the main resource; nil for others

	mu    sync.Mutex                // guards owned and bytes
	owned map[string]*fieldpath.Set // by the text of the fields; nil if a Manager would write another text
	bytes int                       // of the texts in owned
}

// An Updater remembers at most this many texts, of this many bytes each and together. The objects of a kind mostly have
// few different ones.
const (
	maxOwned      = 256
	maxOwnedText  = 32 << 10
	maxOwnedBytes = 512 << 10
)

// maxKept is the most owners by updates that a Manager leaves as they are; if there are more it joins the oldest
// (apimachinery, DefaultMaxUpdateManagers).
const maxKept = 10

// NewUpdater returns the Updater of a resource or subresource; creator is that of the resource, and is nil, or returns nil, where there is
// none.
func NewUpdater(o Options, creator func() *Creator) *Updater {
	return &Updater{creator: creator, kind: o.Kind, subresource: o.Subresource, types: o.Types, reset: o.reset(), owned: map[string]*fieldpath.Set{}}
}

// TryUpdate sets the managedFields of obj as they are after manager has written it over live; both state their kind. It
// returns false, and changes nothing, when that is not simple: there are no owners, the owners are of several versions
// or too many, or obj has other owners than live.
func (k *Updater) TryUpdate(live, obj runtime.Object, manager string) bool {
	was, err := meta.Accessor(live)
	if err != nil {
		return false
	}
	m, err := meta.Accessor(obj)
	if err != nil || live.GetObjectKind().GroupVersionKind() != k.kind || obj.GetObjectKind().GroupVersionKind() != k.kind {
		return false
	}
	entries, brought := was.GetManagedFields(), m.GetManagedFields()
	if !k.simple(entries) || brought != nil && !slices.EqualFunc(brought, entries, sameEntry) || !utf8.ValidString(manager) {
		return false
	}
	if after := k.same(live, obj, entries, manager); after != nil {
		m.SetManagedFields(after)
		return true
	}
	was.SetManagedFields(nil) // they have no owners, so they need not be compared
	m.SetManagedFields(nil)
	after, err := k.update(live, obj, entries, manager)
	was.SetManagedFields(entries)
	if err != nil {
		m.SetManagedFields(brought)
		return false
	}
	m.SetManagedFields(after)
	return true
}

// simple reports whether all entries are of this version and of different owners, and not too many.
func (k *Updater) simple(entries []metav1.ManagedFieldsEntry) bool {
	version := k.kind.GroupVersion().String()
	for i, e := range entries {
		switch {
		case e.APIVersion != version || e.FieldsType != "FieldsV1" || e.FieldsV1 == nil,
			e.Operation != metav1.ManagedFieldsOperationApply && e.Operation != metav1.ManagedFieldsOperationUpdate,
			slices.ContainsFunc(entries[:i], func(o metav1.ManagedFieldsEntry) bool { return sameOwner(o, e) }):
			return false
		}
	}
	return len(entries) > 0 && len(entries) < maxKept
}

// same returns the entries where the only owner writes an object of the same shape again: it keeps its fields. nil
// means that this is not the case.
func (k *Updater) same(live, obj runtime.Object, entries []metav1.ManagedFieldsEntry, manager string) []metav1.ManagedFieldsEntry {
	mine := updateEntry(k.kind, k.subresource, manager)
	if k.creator == nil || len(entries) != 1 || !sameOwner(entries[0], mine) {
		return nil
	}
	creator := k.creator()
	if creator == nil {
		return nil
	}
	was, is := outlineOf(live, creator.left), outlineOf(obj, creator.left)
	defer was.free()
	defer is.free()
	if was.broken || is.broken || !bytes.Equal(was.shape, is.shape) {
		return nil
	}
	if text, err := creator.fieldsOf(is, obj); err != nil || !bytes.Equal(text, entries[0].FieldsV1.GetRawBytes()) {
		return nil
	}
	after := slices.Clone(entries)
	if !bytes.Equal(was.content, is.content) {
		after[0].Time = mine.Time
	}
	return after
}

// errNotSettled means that a Manager would write an entry differently even if nothing changed.
var errNotSettled = errors.New("an entry is not as a manager writes it")

// update returns the entries as they are after manager's update.
func (k *Updater) update(live, obj runtime.Object, entries []metav1.ManagedFieldsEntry, manager string) ([]metav1.ManagedFieldsEntry, error) {
	before, err := k.types.ObjectToTyped(live, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	after, err := k.types.ObjectToTyped(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	difference, err := before.Compare(after)
	if err != nil {
		return nil, err
	}
	difference = difference.FilterFields(k.reset)
	won := difference.Modified.Union(difference.Added).Difference(unowned)
	lost := difference.Removed.Union(won)

	mine := updateEntry(k.kind, k.subresource, manager)
	if !slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return sameOwner(e, mine) }) {
		entries = append(slices.Clip(entries), mine)
	}
	var updated []metav1.ManagedFieldsEntry
	for _, e := range entries {
		owned := k.fieldsOf(e, before)
		if owned == nil {
			return nil, errNotSettled
		}
		left := owned.Difference(lost)
		if sameOwner(e, mine) && !won.Empty() {
			left, e.Time = left.Union(won), mine.Time
		}
		if left.Empty() {
			continue
		}
		if !left.Equals(owned) {
			if e.FieldsV1, err = fieldsV1(left); err != nil {
				return nil, err
			}
		}
		updated = append(updated, e)
	}
	slices.SortFunc(updated, compareEntries)
	return updated, nil
}

// fieldsOf reads the fields of an entry. They are nil if a Manager would write them differently: unless it
// has written them itself, by the present schema of the object.
func (k *Updater) fieldsOf(e metav1.ManagedFieldsEntry, object *typed.TypedValue) *fieldpath.Set {
	if e.FieldsV1 == nil {
		return new(fieldpath.Set) // it is new
	}
	raw := e.FieldsV1.GetRawBytes()
	if len(raw) > maxOwnedText {
		return readOwned(raw, object) // the value is read at once and not remembered
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	set, known := k.owned[string(raw)]
	if known {
		return set
	}
	if len(k.owned) >= maxOwned || k.bytes+len(raw) > maxOwnedBytes {
		clear(k.owned)
		k.bytes = 0
	}
	k.bytes += len(raw)
	set = readOwned(raw, object)
	k.owned[string(raw)] = set
	return set
}

// readOwned reads a text of an entry's fields; see fieldsOf.
func readOwned(raw []byte, object *typed.TypedValue) *fieldpath.Set {
	set := new(fieldpath.Set)
	if err := set.FromJSON(bytes.NewReader(raw)); err != nil || !settled(set, raw, object) {
		return nil
	}
	return set
}

// settled reports whether a set is what a Manager makes of its text and writes again.
func settled(set *fieldpath.Set, raw []byte, object *typed.TypedValue) bool {
	text, err := set.ToJSON()
	if err != nil || !bytes.Equal(text, raw) || set.Empty() || !set.Intersection(unowned).Empty() {
		return false
	}
	changed, err := typed.ReconcileFieldSetWithSchema(set, object)
	return err == nil && changed == nil
}

// sameOwner reports whether two entries of a version are of one owner.
func sameOwner(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
}

// sameEntry reports whether two entries are the same in every member.
func sameEntry(a, b metav1.ManagedFieldsEntry) bool { return SameButTime(a, b) && a.Time.Equal(b.Time) }

// SameButTime reports whether two entries say that the same owner has the same fields.
func SameButTime(a, b metav1.ManagedFieldsEntry) bool {
	return sameOwner(a, b) && a.APIVersion == b.APIVersion && a.FieldsType == b.FieldsType &&
		bytes.Equal(fieldsText(a), fieldsText(b))
}

// fieldsText is the set of fields as an entry has it; nil if it has none.
func fieldsText(e metav1.ManagedFieldsEntry) []byte {
	if e.FieldsV1 == nil {
		return nil
	}
	return e.FieldsV1.GetRawBytes()
}

// compareEntries is the order in which a Manager writes entries.
func compareEntries(a, b metav1.ManagedFieldsEntry) int {
	return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(seconds(a.Time), seconds(b.Time)),
		cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Subresource, b.Subresource))
}

func seconds(t *metav1.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}
