// Package outline reads from an object in JSON what long lists need, in one pass over the text and without making the
// object: how many bytes it has in Protobuf, since the length of a list comes before its first item, and where its
// labels are.
//
// It knows the fields of a Go type by their tags, from which the types' own Size methods were generated. It reads the
// text of an encoder, and refuses everything else: fields that the type does not have, the same field twice, members of
// a map out of order, white space, a value of another type. The caller decodes such an object.
package outline

import (
	"reflect"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
)

// A Form is how objects of one Go type are read. It is immutable.
type Form struct{ root *message }

// An Outline is what was read of an object.
type Outline struct {
	// Size is what the Size method of the object would return.
	Size int
	// Metadata is the same for a PartialObjectMetadata of it.
	Metadata int
	// Labels are the start and the end of the value of metadata.labels in the text, whose names and texts have no
	// escapes and are in the order of the names; zeros if there is none.
	Labels [2]int32
}

// Of is how objects of the type of obj, a pointer to a struct, are read. It is nil for one with fields whose size in Protobuf does
// not follow from what is known here.
func Of(obj runtime.Object) *Form {
	c := compiler{messages: map[reflect.Type]*message{}}
	root, ok := c.root(reflect.TypeOf(obj).Elem())
	if !ok {
		return nil
	}
	return &Form{root}
}

// Read reads an object, which has the given resourceVersion and none in its text. It is ok only if the official
// decoder would make an object of the text, of that size.
func (f *Form) Read(text []byte, resourceVersion string) (o Outline, ok bool) {
	if control(text) || !utf8.Valid(text) {
		return o, false
	}
	s := scanner{text: text, version: len(resourceVersion)}
	o.Size = f.root.read(&s)
	o.Metadata, o.Labels = s.metadata, s.labels
	return o, !s.bad && s.versioned && s.at == len(text)
}
