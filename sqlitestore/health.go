package sqlitestore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"kubarium/server/storage"
)

// A health is how a store as a whole is.
type health struct {
	ended   atomic.Pointer[storage.Failure] // damaged or detached, until the store is opened again
	failing atomic.Pointer[storage.Failure] // full, read-only or failing: until a write succeeds

	mu    sync.Mutex // guards the rest
	said  map[string]*said
	tried time.Duration // when a write was last tried, as Options.Elapsed
}

// said is what was logged of one thing that goes wrong.
type said struct {
	at       time.Duration // the last time
	withheld int           // how often it happened since
}

// Healthy implements storage.Engine. The store looks several times a second.
func (s *Store) Healthy() error {
	if f := s.health.ended.Load(); f != nil {
		return f
	}
	if f := s.health.failing.Load(); f != nil {
		return f
	}
	return nil
}

// unwritable is why nothing may be written any more; nil if it may.
func (s *Store) unwritable() error {
	if f := s.health.ended.Load(); f != nil {
		return f
	}
	return nil
}

// unreadable is why nothing may be read from the files any more; nil if it may.
func (s *Store) unreadable() error {
	if f := s.health.ended.Load(); f != nil && errors.Is(f, storage.ErrDetached) {
		return f
	}
	return nil
}

// explain turns an error of the driver into one of the contract, in one line that says what was being done. When it
// says that the store as a whole fails, that is noted and logged.
func (s *Store) explain(doing string, err error) error {
	f := s.failure(err)
	if f == nil {
		return explain(doing, err)
	}
	s.fail(f)
	return f
}

// failure is what an error says of the store as a whole, nil for nothing. Files that others have replaced look damaged;
// what was done to them is the better answer.
func (s *Store) failure(err error) *storage.Failure {
	if err == nil {
		return nil
	}
	if ended := s.health.ended.Load(); ended != nil && errors.Is(ended, storage.ErrDetached) {
		return ended
	}
	f := failure(s.Path, err)
	if f != nil && s.files != nil && !errors.Is(f, storage.ErrDetached) {
		var looked *storage.Failure
		if errors.As(s.files.look(), &looked) {
			return looked
		}
	}
	return f
}

// fail notes that the store as a whole fails. The writer, which looks soon, cares for files that are no longer the
// store's.
func (s *Store) fail(f *storage.Failure) {
	before := s.Healthy()
	switch {
	case errors.Is(f, storage.ErrDetached):
		s.health.ended.Store(f)
	case errors.Is(f, storage.ErrDamaged):
		s.health.ended.CompareAndSwap(nil, f)
	default:
		s.health.failing.Store(f)
	}
	if now := s.Healthy(); before == nil || before.Error() != now.Error() {
		s.tellHealth()
	}
	s.say(f.Err.Error(), f.Text)
}

func (s *Store) tellHealth() {
	if s.Health != nil {
		s.Health()
	}
}

// report logs what went wrong in the background.
func (s *Store) report(doing string, err error) {
	if err == nil || isBusy(err) {
		return
	}
	if f := s.failure(err); f != nil {
		s.fail(f)
		return
	}
	s.say(doing, oneLine(doing+": "+err.Error()))
}

// say logs a text, unless it has logged the same matter within a minute; then the next line says how often.
func (s *Store) say(matter, text string) {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	now := s.Elapsed()
	last := h.said[matter]
	if last != nil && now-last.at < logEvery {
		last.withheld++
		return
	}
	if h.said == nil {
		h.said = map[string]*said{}
	}
	h.said[matter] = &said{at: now}
	if last != nil && last.withheld > 0 {
		s.Logger.Error("database", "error", text, "notLogged", last.withheld)
		return
	}
	s.Logger.Error("database", "error", text)
}

// recovered notes that something was written.
func (s *Store) recovered() {
	if s.health.failing.Load() == nil {
		return
	}
	s.health.failing.Store(nil)
	s.tellHealth()
	s.Logger.Warn("database: writes succeed again")
}

// failed explains an error of a read; what the contract names and the context's own error pass as they are.
func (s *Store) failed(ctx context.Context, doing string, err error) error {
	var revision *storage.RevisionError
	if err == nil || errors.As(err, &revision) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.explain(doing, err)
}

const (
	logEvery = time.Minute // for what goes wrong again and again
	tryEvery = time.Second // how often a store that could not write tries to
)
