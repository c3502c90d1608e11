package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Recorder collects the facts of one request while it is under way. One goroutine at a time may use it, but for Asked and for the calls
// of a Transport: webhooks are asked side by side. All methods may be called on a nil Recorder, which records nothing.
type Recorder struct {
	Flow Flow // the facts so far; whoever learns one sets it here
	Gate Gate // on its way; nil for none

	log  *Log
	now  func() time.Time // nil for time.Now
	open []int32          // indices of the stations that have begun and not ended

	number         uint64 // of those begun, while it is under way
	earlier, later *Recorder

	mu    sync.Mutex // guards the calls, and Flow.Rights
	calls *calls     // nil for none

	depth   [4]int32 // what open begins with, so that it needs no memory of its own
	scratch *scratch
}

// A scratch is where the stations of a request under way are noted. Their number is known in the end only; what is
// published has room for so many and no more, since the log keeps thousands of them.
type scratch [24]Station

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Begin starts the record of a request. now is the clock; nil means time.Now.
func (l *Log) Begin(now func() time.Time) *Recorder {
	r := &Recorder{log: l, now: now, scratch: scratches.Get().(*scratch)}
	r.Flow.Start = r.clock()
	r.Flow.Stations = r.scratch[:0]
	r.open = r.depth[:0]
	l.underway.add(r)
	return r
}

// clock tells the time.
func (r *Recorder) clock() time.Time {
	if r.now == nil {
		return time.Now()
	}
	return r.now()
}

// since is the time since the request's start. Without a clock of its own it needs none but the monotonic one.
func (r *Recorder) since() time.Duration {
	if r.now == nil {
		return time.Since(r.Flow.Start)
	}
	return r.now().Sub(r.Flow.Start)
}

type contextKey struct{}

// With returns a context that carries r.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// IsKey tells whether a key is that of the Recorder, for a context that carries one itself.
func IsKey(key any) bool {
	_, is := key.(contextKey)
	return is
}

// From returns the Recorder that ctx carries, or nil.
func From(ctx context.Context) *Recorder {
	r, _ := ctx.Value(contextKey{}).(*Recorder)
	return r
}

// Enter marks the beginning of a station; those entered before it and not left contain it.
func (r *Recorder) Enter(station string) {
	if r == nil {
		return
	}
	r.Flow.Stations = append(r.Flow.Stations, Station{Name: station, Start: r.since(), Depth: len(r.open)})
	r.open = append(r.open, int32(len(r.Flow.Stations)-1))
}

// Leave marks the end of the station entered last, with a short note; a non-nil err says that the request ended here.
func (r *Recorder) Leave(note string, err error) {
	if r == nil || len(r.open) == 0 {
		return
	}
	s := &r.Flow.Stations[r.open[len(r.open)-1]]
	r.open = r.open[:len(r.open)-1]
	s.Length = r.since() - s.Start
	s.Note = note
	s.Failed = err != nil
}

// Leavef is Leave with a format for the note, for stations whose note is worth its cost.
func (r *Recorder) Leavef(err error, format string, args ...any) {
	if r != nil {
		r.Leave(fmt.Sprintf(format, args...), err)
	}
}

// Station is the name of the station entered last and not left, "" for none.
func (r *Recorder) Station() string {
	if r == nil || len(r.open) == 0 {
		return ""
	}
	return r.Flow.Stations[r.open[len(r.open)-1]].Name
}

// Elapsed is the time since the request's start, 0 for a nil Recorder.
func (r *Recorder) Elapsed() time.Duration {
	if r == nil {
		return 0
	}
	return r.since()
}

// Publish ends the record and appends it to the log. For a watch it may be called twice: with WatchOpened when the
// stream begins, with WatchClosed when it has ended; each call publishes a flow of its own. After any other phase than
// WatchOpened nothing in Flow may be set any more: it is what was published.
func (r *Recorder) Publish(p Phase) {
	if r == nil {
		return
	}
	r.release()
	r.endCalls()
	f := &r.Flow
	if p == WatchOpened {
		opened := r.Flow
		opened.Stations = slices.Clone(opened.Stations)
		opened.Statements = slices.Clone(opened.Statements)
		f = &opened
	}
	own := isOwn(f.Client.UserAgent)
	if own || strings.HasPrefix(f.Path, "/debug/") { // of which an answer may be the whole log
		f.RequestBody, f.ResponseBody = f.RequestBody.first(maxOwnBody), f.ResponseBody.first(maxOwnBody)
		for i := range f.Calls {
			f.Calls[i].first(maxOwnBody)
		}
	}
	f.Phase = p
	f.Duration = r.Elapsed()
	r.log.publish(f, own)
	r.log.underway.remove(r)
}

// release gives the scratch back for another request: a watch may last for hours, and passes few stations more.
func (r *Recorder) release() {
	if r.scratch == nil {
		return
	}
	r.Flow.Stations = slices.Clone(r.Flow.Stations)
	*r.scratch = scratch{} // nothing of this request is to be kept by it
	scratches.Put(r.scratch)
	r.scratch = nil
}

// Keep makes a Body of bytes that nobody will change: at most MaxBody of them are kept, copied only when cut.
func Keep(b []byte) Body {
	if len(b) <= MaxBody {
		return Body{Kept: b, Total: int64(len(b))}
	}
	return Body{Kept: append([]byte(nil), b[:MaxBody]...), Total: int64(len(b)), Cut: true}
}
