package shown

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"kubarium/app/program"
	"kubarium/app/record"
	"kubarium/flow/recording"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A past is a server of the history in a recording. It starts at the first request, with what was read by then, and
// gets what is read later, until ctx ends.
type past struct {
	ctx     context.Context
	logger  *slog.Logger
	begin   sync.Once
	ready   chan struct{} // closed after the next three are set
	program *program.Program
	to      http.RoundTripper
	failed  error

	mu      sync.Mutex // guards what follows
	from    storage.Revision
	known   storage.Revision // changes up to this one are taken
	waiting []storage.Change
	alive   map[storage.Key]bool
	state   map[storage.Key]bool // of the segment that begins; nil after it
	upto    storage.Revision     // that the state is of
	objects bool
}

// take takes the objects of an entry.
func (p *past) take(e *recording.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Begin != nil:
		if p.objects = e.Begin.Objects; p.objects && p.from == 0 {
			p.from = storage.Revision(e.Begin.Revision)
		}
		p.state, p.upto = map[storage.Key]bool{}, storage.Revision(e.Begin.Revision)
	case !p.objects, e.Missed != nil: // also of objects of the state
	case e.State != nil:
		c := record.Stored(e.State)
		if p.state != nil { // a stranger's recording may have states anywhere
			p.state[c.Key] = true
		}
		p.change(c)
	default:
		p.begun()
		if e.Change != nil {
			p.change(record.Stored(e.Change))
		}
	}
}

// begun ends the state of a segment. Where changes are missing before it, objects that it does not have are gone.
func (p *past) begun() {
	if p.state == nil {
		return
	}
	if p.known > 0 && p.known < p.upto {
		for _, k := range slices.SortedFunc(maps.Keys(p.alive), func(a, b storage.Key) int { return cmp.Compare(a.String(), b.String()) }) {
			if !p.state[k] && p.known < p.upto {
				p.change(storage.Change{Revision: p.known + 1, Type: storage.Deleted, Key: k, At: time.Now()})
			}
		}
	}
	p.state = nil
}

func (p *past) change(c storage.Change) {
	if c.Revision <= p.known {
		return
	}
	p.known = c.Revision
	if p.alive == nil {
		p.alive = map[storage.Key]bool{}
	}
	if c.Type == storage.Deleted {
		delete(p.alive, c.Key)
	} else {
		p.alive[c.Key] = true
	}
	p.waiting = append(p.waiting, c)
}

// start starts the server with what was read, and adds later changes until ctx ends.
func (p *past) start(ctx context.Context) {
	p.mu.Lock()
	p.begun()
	told := &sqlitestore.Told{From: p.from, Changes: slices.Values(p.waiting)}
	p.waiting = nil
	p.mu.Unlock()
	program, err := program.StartPast(ctx, told, p.logger)
	if p.program, p.failed = program, err; err == nil {
		p.to = program.Transport()
	}
	close(p.ready)
	if err != nil {
		return
	}
	for ctx.Err() == nil {
		p.mu.Lock()
		more := p.waiting
		p.waiting = nil
		p.mu.Unlock()
		if len(more) > 0 {
			if err := program.Tell(ctx, more); err != nil && ctx.Err() == nil {
				p.logger.Error("recording", "error", err)
			}
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
		}
	}
}

// close ends the server, if it has begun.
func (p *past) close() error {
	p.begin.Do(func() { // no request has come
		p.failed = http.ErrServerClosed
		close(p.ready)
	})
	<-p.ready
	if p.program == nil {
		return nil // the requests got the error
	}
	return p.program.Close()
}

// RoundTrip implements http.RoundTripper: it asks the server of the past, once that is there.
func (p *past) RoundTrip(r *http.Request) (*http.Response, error) {
	p.begin.Do(func() { go p.start(p.ctx) })
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if p.failed != nil {
		return nil, p.failed
	}
	here := r.Clone(r.Context())
	here.URL.Scheme, here.URL.Host, here.Host = "http", "127.0.0.1", "" // wherever the recorded one was
	return p.to.RoundTrip(here)
}
