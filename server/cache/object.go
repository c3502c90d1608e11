package cache

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/server/storage"
)

// An Object is one version of an object. It is immutable, and shared by the map, the snapshots and the events.
type Object struct {
	Key      storage.Key
	Revision storage.Revision // of the change that made this version
	Value    []byte           // JSON text without metadata.resourceVersion
	Labels   labels.Set       // nil if there are none; not to be changed, others may share it
	Fields   fields.Set       // as Options.Index gave them, likewise
	Err      error            // not nil for a damaged value
	Marks    [2]int32         // as Options.Index gave them

	forms *forms
}

func (c *Cache) newObject(r storage.Record) *Object {
	x := c.o.Index(r.Key.Resource, r)
	return &Object{
		Key:      r.Key,
		Revision: r.Revision,
		Value:    r.Value,
		Labels:   c.sets.share(x.Labels),
		Fields:   c.sets.share(x.Fields),
		Err:      x.Err,
		Marks:    x.Marks,
		forms:    c.forms,
	}
}

// Form returns the object in an encoded form, which build makes, without side effects, of the object alone. While the
// form is kept, build is called at most once for the name, however many ask at the same time. The kept forms of all
// objects share Options.FormBytes; those used longest ago go first. The bytes are not to be changed. An object that no
// cache made keeps no forms.
func (o *Object) Form(name string, build func(*Object) []byte) []byte {
	if o.forms == nil {
		return build(o)
	}
	return o.forms.get(formKey{o.Revision, name}, func() []byte { return build(o) })
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
