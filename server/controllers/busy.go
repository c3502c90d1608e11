package controllers

import "sync"

// busy are the names of objects in work, so that each is worked on once at a time.
type busy struct {
	mu    sync.Mutex // guards names
	names map[string]bool
}

// take enters a name, and reports whether it was free.
func (b *busy) take(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names[name] {
		return false
	}
	if b.names == nil {
		b.names = map[string]bool{}
	}
	b.names[name] = true
	return true
}

// release frees a name.
func (b *busy) release(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.names, name)
}
