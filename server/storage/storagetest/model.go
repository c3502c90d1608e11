package storagetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"kubarium/server/storage"
)

// A model is what a store should be: every version of every object, in memory, as the follower received them. It
// answers for any revision what a store must.
type model struct {
	mu      sync.Mutex // guards all below
	arrived *sync.Cond // head has grown
	changes []storage.Change
	objects map[storage.Key][]version
	head    storage.Revision
	faults  []string // what the follower received and cannot be

	asked storage.Revision // the highest compaction that was begun
	held  storage.Revision // the highest compaction that has returned
}

// A version is an object from a revision on; a nil value is one that is not there.
type version struct {
	from  storage.Revision
	value []byte
}

func newModel() *model {
	m := &model{objects: map[storage.Key][]version{}}
	m.arrived = sync.NewCond(&m.mu)
	return m
}

// follow is the store's follower.
func (m *model) follow(b storage.Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range b.Changes {
		m.check(c)
		m.changes = append(m.changes, c)
		m.objects[c.Key] = append(m.objects[c.Key], version{c.Revision, c.Value})
		m.head = c.Revision
	}
	m.arrived.Broadcast()
}

// check proves that a change follows from what the model has.
func (m *model) check(c storage.Change) {
	want := storage.Change{Revision: c.Revision, Type: storage.Created, Key: c.Key, Value: c.Value}
	if v := m.last(c.Key); v.value != nil {
		want.Type, want.Before, want.BeforeRevision = storage.Updated, v.value, v.from
		if c.Value == nil {
			want.Type = storage.Deleted
		}
	}
	have, expected := describeChanges([]storage.Change{c}), describeChanges([]storage.Change{want})
	if have != expected || c.Revision <= m.head {
		m.faults = append(m.faults, fmt.Sprintf("after %d came %swant %s", m.head, have, expected))
	}
}

func (m *model) last(k storage.Key) version {
	if v := m.objects[k]; len(v) > 0 {
		return v[len(v)-1]
	}
	return version{}
}

// await waits until the follower has had a revision.
func (m *model) await(at storage.Revision) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.head < at {
		m.arrived.Wait()
	}
}

// get returns the version of an object at a revision.
func (m *model) get(k storage.Key, at storage.Revision) version {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.getLocked(k, at)
}

func (m *model) getLocked(k storage.Key, at storage.Revision) version {
	found := version{}
	for _, v := range m.objects[k] {
		if v.from <= at {
			found = v
		}
	}
	return found
}

// between returns every version that an object was at from one revision to another.
func (m *model) between(k storage.Key, from, to storage.Revision) []version {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := []version{m.getLocked(k, from)}
	for _, v := range m.objects[k] {
		if v.from > from && v.from <= to {
			found = append(found, v)
		}
	}
	return found
}

// list answers a list at a revision; At must be set.
func (m *model) list(o storage.ListOptions) storage.Page {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := storage.Page{Revision: o.At}
	for k := range m.objects {
		v := m.getLocked(k, o.At)
		if k.Resource == o.Resource && strings.HasPrefix(k.Name, o.Prefix) && k.Name > o.After && v.value != nil {
			p.Records = append(p.Records, storage.Record{Key: k, Revision: v.from, Value: v.value})
		}
	}
	slices.SortFunc(p.Records, func(a, b storage.Record) int { return strings.Compare(a.Key.Name, b.Key.Name) })
	if o.Limit > 0 && len(p.Records) > o.Limit {
		p.Remaining, p.More = len(p.Records)-o.Limit, true
		p.Records = p.Records[:o.Limit]
	}
	return p
}

// since answers Changes as far as the model has come.
func (m *model) since(resource string, after storage.Revision, limit int) []storage.Change {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []storage.Change
	for _, c := range m.changes {
		if c.Revision > after && (resource == "" || resource == c.Key.Resource) && (limit == 0 || len(found) < limit) {
			found = append(found, c)
		}
	}
	return found
}

// boundaries returns the highest compaction that has returned and the highest that was begun.
func (m *model) boundaries() (held, asked storage.Revision) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, m.asked
}

func (m *model) headNow() storage.Revision {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head
}
