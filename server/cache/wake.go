package cache

import "runtime"

// wakeTogether is how many watchers are woken at once. When a thousand are, they come before the requests that make
// the next changes.
const wakeTogether = 16

// pokes wake the watchers of a resource that wait for its ring to grow. Cache.mu guards them.
type pokes struct {
	groups  []chan struct{} // of at most wakeTogether watchers, closed to wake them
	waiting int             // watchers in the groups
	waking  bool            // whether other groups are being woken
	again   bool            // whether the ring has grown since that began
}

// await returns what is closed when the ring has grown.
func (p *pokes) await() <-chan struct{} {
	if p.waiting%wakeTogether == 0 {
		p.groups = append(p.groups, make(chan struct{}))
	}
	p.waiting++
	return p.groups[len(p.groups)-1]
}

// take returns the groups, and forgets them.
func (p *pokes) take() []chan struct{} {
	groups := p.groups
	p.groups, p.waiting, p.again = nil, 0, false
	return groups
}

// wake wakes all watchers that wait: one group at once, several in turn. Those that wait again before all have had
// their turn get together the changes that come until then.
func (r *resource) wake() {
	p := &r.pokes
	switch {
	case p.waking:
		p.again = true
	case len(p.groups) == 1:
		close(p.take()[0])
	case len(p.groups) > 1:
		p.waking = true
		go r.wakeInTurn(p.take())
	}
}

// wakeInTurn wakes groups, one after the other, until no change waits for its watchers.
func (r *resource) wakeInTurn(groups []chan struct{}) {
	for len(groups) > 0 {
		for _, g := range groups {
			close(g)
			runtime.Gosched() // to the watchers, and to whatever else waits for the processor
		}
		groups = r.wokeAll()
	}
}

// wokeAll returns the groups to wake next; without any, nothing is being woken any more.
func (r *resource) wokeAll() (groups []chan struct{}) {
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	if r.pokes.again {
		groups = r.pokes.take()
	}
	r.pokes.waking = len(groups) > 0
	return groups
}
