package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A finalizer is one of an object.
type finalizer struct {
	object.Ref
	name string
}

// A putter is the request that added a finalizer.
type putter struct {
	tag string
	seq uint64
	at  time.Time
}

// finalizers notes which finalizers a change added.
func (r *Reader) finalizers(f *flow.Flow, e *flow.Effect) {
	if !bytes.Contains(e.After, []byte(`"finalizers"`)) {
		return
	}
	was, is := finalizersIn(e.Before), finalizersIn(e.After)
	if bytes.Equal(was, is) {
		return
	}
	var before, after []string
	// A value that cannot be read adds nothing.
	_ = json.Unmarshal(was, &before)
	_ = json.Unmarshal(is, &after)
	for _, name := range after {
		if !slices.Contains(before, name) {
			*r.putters.use(finalizer{object.RefOf(e.Commit), name}) = putter{f.Client.Tag, f.Seq, e.Commit.At}
		}
	}
}

func finalizersIn(obj []byte) []byte {
	return object.Member(object.Member(obj, "metadata"), "finalizers")
}

// deleted follows the deletions of a request.
func (r *Reader) deleted(f *flow.Flow) {
	for i := range f.Effects {
		if e := &f.Effects[i]; e.After == nil || object.Terminating(e.After) {
			r.deletions.Note(f)
			r.deletions.Trim(0)
			return
		}
	}
}
