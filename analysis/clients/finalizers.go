package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"kubarium/analysis/deletion"
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

// finalizers follows what the changes of a request mean for deletions: finalizers that it added, and objects that are
// terminating or gone. Of those that are terminating only ones with a finalizer matter after their DELETE.
func (r *Reader) finalizers(f *flow.Flow) {
	deletes, follow := classOf(&f.Target) == removals, false
	for i := range f.Effects {
		e := &f.Effects[i]
		at := bytes.Index(e.After, finalizersKey)
		if at >= 0 && !alike(e.Before, e.After[at:]) {
			r.added(f, e)
		}
		// In stored objects deletionTimestamp comes before finalizers.
		dying := at >= 0 && bytes.Contains(e.After[:at], []byte(`"deletionTimestamp"`))
		follow = follow || e.After == nil || (dying || deletes) && object.Terminating(e.After)
	}
	if !follow {
		return
	}
	r.deletions.Note(f)
	if r.deletions.Trim(0); r.deletions.Open() > maxOpen {
		r.deletions = deletion.NewLog()
	}
}

var finalizersKey = []byte(`"finalizers"`)

// alike reports whether the first list of finalizers is written in an object as at the beginning of a text. Few changes
// are about them, and the rest of a large object need not be read.
func alike(before, text []byte) bool {
	at := bytes.Index(before, finalizersKey)
	end := bytes.IndexByte(text, ']')
	return at >= 0 && end >= 0 && bytes.HasPrefix(before[at:], text[:end+1])
}

// added notes which finalizers a change added.
func (r *Reader) added(f *flow.Flow, e *flow.Effect) {
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
