package registry

import (
	"bytes"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// hot are objects that were written a moment ago. The cache has decoded those of built-in kinds that have selectable
// fields, to read these; an object is often changed again soon, and a copy costs less than decoding it once more. Each
// slot has the latest object of it, and long ones are left out, so hot is bounded.
type hot [256]atomic.Pointer[hotObject]

// maxHot is the most bytes of a value whose object is kept.
const maxHot = 8 << 10

// A hotObject is an object in the form in which it is stored. It is copied, and never changed.
type hotObject struct {
	storage.Record
	obj runtime.Object
}

func (h *hot) slot(r storage.Revision) *atomic.Pointer[hotObject] {
	return &h[uint64(r)%uint64(len(h))]
}

// keep takes what was decoded of a record of kind k; nil for nothing. The schema of a custom resource may change, and
// with it what is decoded: they are left out.
func (h *hot) keep(k *kinds.Kind, r storage.Record, obj runtime.Object) {
	if obj != nil && !k.Dynamic && len(r.Value) <= maxHot {
		h.slot(r.Revision).Store(&hotObject{r, obj})
	}
}

// decode is objects.Decode.
func (h *hot) decode(k *kinds.Kind, r storage.Record) (runtime.Object, error) {
	kept := h.slot(r.Revision).Load()
	if kept == nil || kept.Revision != r.Revision || kept.Key != r.Key || !bytes.Equal(kept.Value, r.Value) {
		return objects.Decode(k, r)
	}
	obj, err := k.Stored().Internal(kept.obj.DeepCopyObject())
	if err != nil {
		return nil, objects.Damaged(r, err)
	}
	objects.Meta(obj).SetResourceVersion(objects.FormatRevision(r.Revision))
	return obj, nil
}
