package fields

import (
	"encoding/binary"
	"encoding/json"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// An outline is an object without the values that do not matter to its owners. Who owns which fields depends on the
// names of the fields, on the keys of maps and, since items of lists may be identified by their content, on the content
// of lists; not on other values. Objects of one kind with the same shape have the same set of fields, and most objects
// of a kind have one of few shapes.
//
// The metadata that has no owners is left out: names, versions, times and managedFields; and so is the status where a
// write does not change it.
type outline struct {
	shape   []byte // names of fields and keys of maps
	content []byte // other values
	broken  bool   // the object cannot be encoded
	left    string // the member of the object that is left out; "" for none
}

// outlines are those that are free: an outline is as long as its object, and is looked at for a moment.
var outlines = sync.Pool{New: func() any { return new(outline) }}

// outlineOf is the outline of a served object without the member left. It is to be freed.
func outlineOf(obj runtime.Object, left string) *outline {
	o := outlines.Get().(*outline)
	*o = outline{shape: o.shape[:0], content: o.content[:0], left: left}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		o.document(u.Object)
	} else {
		o.object(reflect.ValueOf(obj).Elem())
	}
	return o
}

// free ends the use of an outline. One of a long object is not kept.
func (o *outline) free() {
	if cap(o.shape)+cap(o.content) <= 64<<10 {
		outlines.Put(o)
	}
}

// The marks of values. An empty value has none: members and keys come before their values.
const (
	markEnd byte = iota
	markScalar
	markNull
	markMap
	markList
	markPointer
	markOpaque
)

// scalar notes a value. The shape has only its presence, except within a list, where it has the value.
func (o *outline) scalar(within bool, text string) {
	o.shape = append(o.shape, markScalar)
	if within {
		o.shape = sized(o.shape, text)
		return
	}
	o.content = sized(o.content, text)
}

func (o *outline) number(within bool, n uint64) {
	o.shape = append(o.shape, markScalar)
	if within {
		o.shape = binary.LittleEndian.AppendUint64(o.shape, n)
		return
	}
	o.content = binary.LittleEndian.AppendUint64(o.content, n)
}

// opaque notes a value that encodes itself.
func (o *outline) opaque(v any) {
	text, err := json.Marshal(v)
	o.broken = o.broken || err != nil
	o.shape = sized(append(o.shape, markOpaque), text)
}

func sized[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
