// Package outline reads of an object in JSON what long lists ask for, in one pass over the text and without making the object:
// how many bytes it has in Protobuf, which tells the length of a list before its first item, and where its labels stand.
//
// It knows the fields of a Go type by their tags, from which the types' own Size methods were generated. It is for what an
// encoder wrote, and says so of everything else: fields that the type does not have, twice the same one, members of a map out
// of order, white space, a value of another type. Such an object is for those who make it.
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
	// Labels are from where to where in the text the value of metadata.labels stands, of names and texts without escapes in
	// the order of the names; zeros if there is none.
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

// Read reads an object, which has the given resourceVersion and none in its text. It is not ok unless the official decoder
// would make an object of the text, of the size that is told.
func (f *Form) Read(text []byte, resourceVersion string) (o Outline, ok bool) {
	if control(text) || !utf8.Valid(text) {
		return o, false
	}
	s := scanner{text: text, version: len(resourceVersion)}
	o.Size = f.root.read(&s)
	o.Metadata, o.Labels = s.metadata, s.labels
	return o, !s.bad && s.versioned && s.at == len(text)
}
