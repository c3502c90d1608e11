package objects

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/codecs/outline"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Index looks into a stored value for what the cache keeps next to it: labels, and the fields that selectors may ask
// for. k is the row in whose form it is stored, nil if there is none; s is what its writer said of it, nil if
// nothing. It also returns the object, in the form in which it is stored, where it had to decode it; else nil.
func Index(k *kinds.Kind, rec storage.Record, s *storage.Summary) (cache.Indexed, runtime.Object) {
	x, obj := look(k, rec, s)
	if p := codecs.FindPlace(rec.Value); x.Err == nil {
		x.Marks = [2]int32{p.Metadata, p.Version}
	}
	if at := outline.Find(rec.Value, x.Labels); at[1] > 0 {
		x.Labels, x.LabelsAt = nil, at
	}
	return x, obj
}

// look finds what selectors may ask for. Without selectable fields these are the labels, which the writer may have
// named in s.
func look(k *kinds.Kind, rec storage.Record, s *storage.Summary) (cache.Indexed, runtime.Object) {
	var obj runtime.Object
	var set fields.Set
	var err error
	if k != nil {
		if obj, set, err = k.Look(rec.Value); err != nil {
			return cache.Indexed{Err: Damaged(rec, err)}, nil
		}
	}
	if obj == nil && s != nil {
		return cache.Indexed{Labels: s.Labels}, nil
	}
	if o, ok := read(k, rec); obj == nil && ok {
		return cache.Indexed{LabelsAt: o.Labels, Sizes: outlined(k, o)}, nil
	}
	if obj == nil {
		var read struct {
			Metadata struct {
				Labels labels.Set `json:"labels"`
			} `json:"metadata"`
		}
		err := codecs.ReadStored(rec.Value, &read)
		return cache.Indexed{Labels: read.Metadata.Labels, Err: Damaged(rec, err)}, nil
	}
	return cache.Indexed{Labels: Meta(obj).GetLabels(), Fields: set, Sizes: sizes(obj, rec.Revision)}, obj
}
