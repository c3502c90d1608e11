package authn

import "sync"

// An afresh is something that remembers its decisions, and is made again after each restore (Options.Restored): the
// objects behind those decisions may not exist any more.
type afresh[T any] struct {
	build    func() T
	restored func() int64 // nil for no restores

	mu    sync.Mutex // guards the rest
	since int64
	built *T
}

// get returns the current one.
func (a *afresh[T]) get() T {
	var since int64
	if a.restored != nil {
		since = a.restored()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.built == nil || since > a.since {
		built := a.build()
		a.built, a.since = &built, since
	}
	return *a.built
}
