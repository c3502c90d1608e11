package cache

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/codecs/outline"
	"kubarium/server/storage"
)

// An Object is one version of an object. It is immutable, and shared by the map, the snapshots and the events.
type Object struct {
	Key      storage.Key
	Revision storage.Revision // of the change that made this version
	Value    []byte           // JSON text without metadata.resourceVersion
	Fields   fields.Set       // as Options.Index gave them; not to be changed, others may share it
	Err      error            // not nil for a damaged value
	Marks    [2]int32         // as Options.Index gave them

	// Sizes are how many bytes the object takes in encodings that have the length of a list before its items; 0 until
	// it is measured. The encoders decide what each place is for. Only this part of an object is set after it was
	// made, and always to what follows from the rest.
	Sizes [ManySizes]atomic.Int32

	labelsAt int32      // where the labels begin in the value; 0 if they are not there
	labels   labels.Set // those that Options.Index gave otherwise, which others may share; nil for none

	forms *forms
}

// ManySizes is how many sizes are kept of an object.
const ManySizes = 3

// Record is the object as a store has it.
func (o *Object) Record() storage.Record {
	return storage.Record{Key: o.Key, Revision: o.Revision, Value: o.Value}
}

func (c *Cache) newObject(r storage.Record, s *storage.Summary) *Object {
	x := c.o.Index(r.Key.Resource, r, s)
	x.Labels, x.Fields = c.sets.share(x.Labels), c.sets.share(x.Fields)
	o := NewObject(r, x)
	o.forms = c.forms
	return o
}

// NewObject is an object of a record, such as one that was read from the history, with what Options.Index has found.
func NewObject(r storage.Record, x Indexed) *Object {
	o := &Object{
		Key:      r.Key,
		Revision: r.Revision,
		Value:    r.Value,
		Fields:   x.Fields,
		Err:      x.Err,
		Marks:    x.Marks,
		labelsAt: x.LabelsAt[0],
		labels:   x.Labels,
	}
	o.measured(x.Sizes)
	return o
}

// measured takes the sizes that Index has found.
func (o *Object) measured(sizes [ManySizes]int32) {
	for i, n := range sizes {
		o.Sizes[i].Store(n)
	}
}

// Form returns the object in an encoded form, which build makes, without side effects, of the object alone. While the
// form is kept, build is called at most once for the name, however many ask at the same time. The kept forms of all
// objects share Options.FormBytes; those used longest ago go first. nil, of a build that failed, is not kept. The
// bytes are not to be changed. An object that no cache made keeps no forms.
func (o *Object) Form(name string, build func(*Object) []byte) []byte {
	if o.forms == nil {
		return build(o)
	}
	return o.forms.get(formKey{o.Revision, name}, func() []byte { return build(o) })
}

// Labels returns the labels, for a label selector to match. Most are read where they are in the value: a map of two
// takes as much memory as a third of an object of 1 KB.
func (o *Object) Labels() labels.Labels {
	if o.labels != nil {
		return o.labels
	}
	return labelText{o}
}

type labelText struct{ o *Object }

// Lookup implements labels.Labels.
func (l labelText) Lookup(label string) (value string, exists bool) {
	if l.o.labelsAt == 0 {
		return "", false
	}
	return outline.Lookup(l.o.Value[l.o.labelsAt:], label)
}

// Has implements labels.Labels.
func (l labelText) Has(label string) bool {
	_, has := l.Lookup(label)
	return has
}

// Get implements labels.Labels.
func (l labelText) Get(label string) string {
	value, _ := l.Lookup(label)
	return value
}

// Selectable returns Fields together with metadata.name and metadata.namespace, for a field selector to match.
func (o *Object) Selectable() fields.Fields { return selectable{o} }

type selectable struct{ o *Object }

func (s selectable) Has(field string) bool {
	switch field {
	case "metadata.name":
		return true
	case "metadata.namespace":
		ns, _ := s.o.Key.Split()
		return ns != ""
	}
	return s.o.Fields.Has(field)
}

func (s selectable) Get(field string) string {
	ns, name := s.o.Key.Split()
	switch field {
	case "metadata.name":
		return name
	case "metadata.namespace":
		return ns
	}
	return s.o.Fields.Get(field)
}

// An Indexed is what the cache must know of a value.
type Indexed struct {
	// LabelsAt are where the labels begin and end in the value, as outline.Outline.Labels; zeros where there are
	// none, or where they are in Labels.
	LabelsAt [2]int32
	Labels   labels.Set
	// Fields are the selectable fields except metadata.name and metadata.namespace, which Object.Selectable takes
	// from the key; leaving these two out saves some 300 bytes an object.
	Fields fields.Set
	// Err, if not nil, marks a damaged value: the object stays in snapshots and events with it.
	Err error
	// Marks are two places in the value that Index has found, for its encoders, which know what they mean.
	Marks [2]int32
	// Sizes are those of Object.Sizes that Index has found on the way; 0 for others.
	Sizes [ManySizes]int32
}
