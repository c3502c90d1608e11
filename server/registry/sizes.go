package registry

import (
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// The places of cache.Object.Sizes: how many bytes an object has in Protobuf as an item of a list.
const (
	SizeStored    = iota // by the row in whose form it is kept
	SizeConverted        // by the other row that serves it; no object of Protobuf is served by three
	SizeMetadata         // its metadata alone, as a PartialObjectMetadata
)

// sizes measures an object by the row in whose form it is kept, since it is at hand. Its metadata is left to those who
// read it alone, which may give something else for an object that no encoder wrote.
func sizes(obj runtime.Object, r storage.Revision) (s [cache.ManySizes]int32) {
	if m, ok := obj.(interface{ Size() int }); ok {
		access(obj).SetResourceVersion(FormatRevision(r))
		s[SizeStored] = int32(m.Size())
	}
	return s
}
