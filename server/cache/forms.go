package cache

import (
	"container/list"
	"slices"
	"sync"

	"kubarium/server/storage"
)

// formOverhead is what keeping a form costs in addition to its bytes: map entry, list element, closure, rounded up.
const formOverhead = 256

// A formKey names one form of one version: a revision belongs to one object alone.
type formKey struct {
	revision storage.Revision
	name     string
}

// forms keeps encoded forms of objects, the least recently used at the end.
type forms struct {
	limit int64 // in bytes

	// mu guards the rest; nothing is built under it.
	mu    sync.Mutex
	of    map[storage.Revision][]*form // few of each
	order list.List                    // of *form, the latest used first
	bytes int64
}

type form struct {
	key   formKey
	build func() []byte // called at most once
	at    *list.Element // nil once it has left
	size  int64         // 0 until it is built
}

func newForms(limit int64) *forms {
	return &forms{limit: limit, of: map[storage.Revision][]*form{}}
}

func (fs *forms) get(k formKey, build func() []byte) []byte {
	f := fs.enter(k, build)
	b := f.build()
	if b == nil {
		fs.forget(f)
		return nil
	}
	fs.built(f, int64(len(b)))
	return b
}

// forget lets a form go that could not be built.
func (fs *forms) forget(f *form) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.at != nil {
		fs.remove(f)
	}
}

// enter returns the form with that key and makes it the latest used.
func (fs *forms) enter(k formKey, build func() []byte) *form {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.of[k.revision] {
		if f.key == k {
			fs.order.MoveToFront(f.at)
			return f
		}
	}
	f := &form{key: k, build: sync.OnceValue(build)}
	f.at = fs.order.PushFront(f)
	fs.of[k.revision] = append(fs.of[k.revision], f)
	return f
}

// built counts a form's bytes the first time, and lets the oldest go.
func (fs *forms) built(f *form, n int64) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.size > 0 || f.at == nil {
		return
	}
	f.size = n + formOverhead
	fs.bytes += f.size
	for fs.bytes > fs.limit && fs.order.Len() > 0 {
		fs.remove(fs.order.Back().Value.(*form))
	}
}

// drop drops the forms of a version that is no longer the newest of its object: hardly any reader needs it, and the
// forms would fill the room until newer ones push them out.
func (fs *forms) drop(version storage.Revision) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range slices.Clone(fs.of[version]) {
		fs.remove(f)
	}
}

func (fs *forms) remove(f *form) {
	fs.order.Remove(f.at)
	if rest := slices.DeleteFunc(fs.of[f.key.revision], func(other *form) bool { return other == f }); len(rest) > 0 {
		fs.of[f.key.revision] = rest
	} else {
		delete(fs.of, f.key.revision)
	}
	fs.bytes -= f.size
	f.at = nil
}

func (fs *forms) usage() (count int, bytes int64) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.order.Len(), fs.bytes
}
