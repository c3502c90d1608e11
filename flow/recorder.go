package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Recorder collects the facts of one request while it is in progress. Only one goroutine at a time may use it, except
// for Asked and the calls of a Transport, since webhooks are called in parallel. All methods may be called on a nil
// Recorder, which records nothing.
type Recorder struct {
	Flow Flow // the facts so far, which the server sets directly
	Gate Gate // acts on the request; nil for none

	log  *Log
	now  func() time.Time // nil for time.Now
	open []int32          // indices of the stations entered and not left

	number         uint64 // in underway; 0 once it is removed
	earlier, later *Recorder

	mu    sync.Mutex // guards known, calls and Flow.Rights; underway.mu may be held, and is never taken under it
	known bool       // see Known
	calls *calls     // nil for none

	depth   [4]int32 // the initial memory of open
	scratch *scratch
}

// A scratch holds the stations of a request in progress, whose number is known only at the end. The published slice is
// cloned to its exact length, since the log keeps thousands.
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

// clock returns the time.
func (r *Recorder) clock() time.Time {
	if r.now == nil {
		return time.Now()
	}
	return r.now()
}

// since is the time since the request's start. With the default clock it reads only the monotonic clock.
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

// IsKey reports whether a context key is that of the Recorder, for a context that holds one itself.
func IsKey(key any) bool {
	_, is := key.(contextKey)
	return is
}

// From returns the Recorder in ctx, or nil.
func From(ctx context.Context) *Recorder {
	r, _ := ctx.Value(contextKey{}).(*Recorder)
	return r
}

// Enter marks the beginning of a station. Stations entered before and not left contain it.
func (r *Recorder) Enter(station string) {
	if r == nil {
		return
	}
	r.Flow.Stations = append(r.Flow.Stations, Station{Name: station, Start: r.since(), Depth: len(r.open)})
	r.open = append(r.open, int32(len(r.Flow.Stations)-1))
}

// Leave marks the end of the station entered last, with a short note; a non-nil err means that the request ended here.
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

// Leavef is Leave with a format, for stations whose note is worth its cost.
func (r *Recorder) Leavef(err error, format string, args ...any) {
	if r != nil {
		r.Leave(fmt.Sprintf(format, args...), err)
	}
}

// Station returns the name of the station entered last and not left, "" for none.
func (r *Recorder) Station() string {
	if r == nil || len(r.open) == 0 {
		return ""
	}
	return r.Flow.Stations[r.open[len(r.open)-1]].Name
}

// Elapsed returns the time since the request's start, 0 for a nil Recorder.
func (r *Recorder) Elapsed() time.Duration {
	if r == nil {
		return 0
	}
	return r.since()
}

// Publish ends the record and appends it to the log. A watch calls it twice: with WatchOpened when the stream begins,
// and with WatchClosed when it has ended; each call publishes a flow. After any phase except WatchOpened, Flow must not
// be changed: it is the published flow.
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
	if isOwn(f.Client.UserAgent) || strings.HasPrefix(f.Path, "/debug/") { // such an answer may be the whole log
		f.RequestBody, f.ResponseBody = f.RequestBody.first(maxOwnBody), f.ResponseBody.first(maxOwnBody)
		for i := range f.Calls {
			f.Calls[i].first(maxOwnBody)
		}
	}
	f.Phase = p
	f.Duration = r.Elapsed()
	r.log.Publish(f)
	r.log.underway.remove(r)
}

// Drop ends the record without a flow.
func (r *Recorder) Drop() {
	r.release()
	r.endCalls()
	r.log.underway.remove(r)
}

// release returns the scratch for another request: a watch may last for hours, and passes few more stations.
func (r *Recorder) release() {
	if r.scratch == nil {
		return
	}
	r.Flow.Stations = slices.Clone(r.Flow.Stations)
	*r.scratch = scratch{} // it must not keep anything of this request alive
	scratches.Put(r.scratch)
	r.scratch = nil
}

// Keep makes a Body of bytes that will not change: at most MaxBody are kept, copied only if cut.
func Keep(b []byte) Body {
	if len(b) <= MaxBody {
		return Body{Kept: b, Total: int64(len(b))}
	}
	return Body{Kept: append([]byte(nil), b[:MaxBody]...), Total: int64(len(b)), Cut: true}
}
