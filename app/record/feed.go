// Package record writes the run of a server to a file, or to its readers, while it goes on: the state at its start,
// and then each change, request and frame of a watch as they come. The server never waits for it; what comes too fast
// is missed, and said to be.
package record

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/server/storage"
)

// mostWaiting is how many bytes of changes may wait for one who records them.
const mostWaiting = 64 << 20

// A Feed hands on the changes of a store to all who record them. Its zero value has none.
type Feed struct {
	mu     sync.Mutex // held by those who come and go
	queues atomic.Pointer[[]*queue]
}

// Committed hands on a batch. It is called by the store's follower, and does not block.
func (f *Feed) Committed(b storage.Batch) {
	all := f.queues.Load()
	if all == nil {
		return
	}
	for _, q := range *all {
		q.add(b.Changes)
	}
}

func (f *Feed) change(edit func([]*queue) []*queue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var now []*queue
	if was := f.queues.Load(); was != nil {
		now = slices.Clone(*was)
	}
	now = edit(now)
	if len(now) == 0 {
		f.queues.Store(nil)
		return
	}
	f.queues.Store(&now)
}

func (f *Feed) open() *queue {
	q := &queue{}
	f.change(func(all []*queue) []*queue { return append(all, q) })
	return q
}

func (f *Feed) end(q *queue) {
	f.change(func(all []*queue) []*queue { return slices.DeleteFunc(all, func(o *queue) bool { return o == q }) })
}

// A queue has the changes that one recorder has not taken yet.
type queue struct {
	mu       sync.Mutex // guards what follows
	changes  []storage.Change
	bytes    int
	lostFrom storage.Revision // the first and the last of the changes for which there was no room; 0 for none
	lostTo   storage.Revision
}

func (q *queue) add(changes []storage.Change) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range changes {
		c := &changes[i]
		if q.bytes > mostWaiting || q.lostFrom > 0 { // after one that is lost, none is of use
			if q.lostFrom == 0 {
				q.lostFrom = c.Revision
			}
			q.lostTo = c.Revision
			continue
		}
		q.bytes += len(c.Value)
		q.changes = append(q.changes, *c)
	}
}

// take returns what waits, and which later changes are lost.
func (q *queue) take() (changes []storage.Change, lostFrom, lostTo storage.Revision) {
	q.mu.Lock()
	defer q.mu.Unlock()
	changes, lostFrom, lostTo = q.changes, q.lostFrom, q.lostTo
	q.changes, q.bytes, q.lostFrom, q.lostTo = nil, 0, 0, 0
	return changes, lostFrom, lostTo
}

// Recorded is a change as a recording has it.
func Recorded(c *storage.Change) *recording.Change {
	ns, name := c.Key.Split()
	return &recording.Change{
		Commit: flow.Commit{Revision: int64(c.Revision), Type: flow.ChangeType(c.Type), Resource: c.Key.Resource, Namespace: ns, Name: name, At: c.At, Outside: c.Outside},
		Before: int64(c.BeforeRevision), Value: c.Value,
	}
}

// Stored is a change of a recording as a store has it. Masked values of a Secret get the form of its values.
func Stored(c *recording.Change) storage.Change {
	value := c.Value
	if c.Resource == "secrets" {
		value = decodable(value)
	}
	return storage.Change{
		Revision: storage.Revision(c.Revision), Type: storage.ChangeType(c.Type), Key: storage.NewKey(c.Resource, c.Namespace, c.Name),
		Value: value, BeforeRevision: storage.Revision(c.Before), At: c.At, Outside: c.Outside,
	}
}

// decodable is a Secret with all of its data in base64.
func decodable(value []byte) []byte {
	var secret map[string]any
	if json.Unmarshal(value, &secret) != nil {
		return value
	}
	data, _ := secret["data"].(map[string]any)
	changed := false
	for k, v := range data {
		text, _ := v.(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			data[k], changed = base64.StdEncoding.EncodeToString([]byte(text)), true
		}
	}
	if !changed {
		return value
	}
	out, err := json.Marshal(secret)
	if err != nil {
		return value
	}
	return out
}
