package controllers

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// A Switch pauses controllers that run, by their names. The zero Switch pauses none.
type Switch struct {
	mu      sync.Mutex // guards what follows
	running map[string]*running
	paused  map[string]int // by how many
	changed chan struct{}  // closed at the next change; nil if no controller waits for one
}

// A running controller.
type running struct {
	stop  context.CancelFunc
	ended chan struct{}
}

// Pause ends controllers, and returns when they have ended; those that do not run yet will not begin. They begin again with
// resume, which may be called more than once, unless there is another pause of them.
func (s *Switch) Pause(names []string) (resume func()) {
	s.mu.Lock()
	var ending []*running
	if s.paused == nil {
		s.paused = map[string]int{}
	}
	for _, name := range names {
		s.paused[name]++
		if r := s.running[name]; r != nil {
			r.stop()
			ending = append(ending, r)
		}
	}
	s.mu.Unlock()
	for _, r := range ending {
		<-r.ended
	}
	return sync.OnceFunc(func() { s.resume(names) })
}

func (s *Switch) resume(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.paused[name]--
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// State returns the names of the controllers that run here, and of those that are paused, sorted.
func (s *Switch) State() (runs, paused []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.paused {
		if n > 0 {
			paused = append(paused, name)
		}
	}
	slices.Sort(paused)
	return slices.Sorted(maps.Keys(s.running)), paused
}

// keep runs a controller until ctx ends, except while it is paused. A controller that ends by itself does not begin again.
func (s *Switch) keep(ctx context.Context, name string, run func(context.Context)) {
	for {
		r, running := s.begin(ctx, name)
		if r == nil {
			return
		}
		run(running)
		again := running.Err() != nil && ctx.Err() == nil
		r.stop()
		s.mu.Lock()
		delete(s.running, name)
		s.mu.Unlock()
		close(r.ended)
		if !again {
			return
		}
	}
}

// begin waits until a controller is not paused, and is nil if ctx ends first.
func (s *Switch) begin(ctx context.Context, name string) (*running, context.Context) {
	for {
		s.mu.Lock()
		if s.paused[name] == 0 {
			ctx, stop := context.WithCancel(ctx)
			r := &running{stop, make(chan struct{})}
			if s.running == nil {
				s.running = map[string]*running{}
			}
			s.running[name] = r
			s.mu.Unlock()
			return r, ctx
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}
