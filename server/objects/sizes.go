package objects

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs/outline"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// The places of cache.Object.Sizes: how many bytes an object has in Protobuf as an item of a list.
const (
	SizeStored    = iota // by the row in whose form it is kept
	SizeConverted        // by the other row that serves it; no object of Protobuf is served by three
	SizeMetadata         // its metadata alone, as a PartialObjectMetadata
)

// sizes measures an object by the row in whose form it is kept, since it is at hand. Its metadata is left to callers
// that read it alone: of an object that no encoder wrote that may give another size.
func sizes(obj runtime.Object, r storage.Revision) (s [cache.ManySizes]int32) {
	if m, ok := obj.(interface{ Size() int }); ok {
		Meta(obj).SetResourceVersion(FormatRevision(r))
		s[SizeStored] = int32(m.Size())
	}
	return s
}

// forms are how objects of built-in kinds are read without making them: of *outline.Form, by the kind in which they
// are kept.
var forms sync.Map

// formOf is how objects of a kind are read; nil if they must be made.
func formOf(k *kinds.Kind) *outline.Form {
	if k == nil || k.Dynamic {
		return nil
	}
	gvk := k.Stored().GroupVersionKind
	if f, ok := forms.Load(gvk); ok {
		return f.(*outline.Form)
	}
	f := outline.Of(k.Stored().New())
	forms.Store(gvk, f)
	return f
}

// read reads the outline of a stored object.
func read(k *kinds.Kind, r storage.Record) (o outline.Outline, ok bool) {
	f := formOf(k)
	if f == nil {
		return o, false
	}
	return f.Read(r.Value, FormatRevision(r.Revision))
}

// outlined are the sizes of an object whose outline was read. Metadata that hides an annotation must be made to be
// measured.
func outlined(k *kinds.Kind, o outline.Outline) (s [cache.ManySizes]int32) {
	s[SizeStored] = int32(o.Size)
	if k.Stored().Hidden == "" {
		s[SizeMetadata] = int32(o.Metadata)
	}
	return s
}

// Measure finds sizes of an object of a kind by its outline, if the outline is enough.
func Measure(k *kinds.Kind, o *cache.Object) {
	if found, ok := read(k, o.Record()); ok {
		for i, n := range outlined(k, found) {
			if n > 0 {
				o.Sizes[i].Store(n)
			}
		}
	}
}
