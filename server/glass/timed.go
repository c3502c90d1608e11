package glass

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"kubarium/flow"
)

// timed is a transport that marks the stations up to the first byte of the answer.
type timed struct {
	next http.RoundTripper
	p    *passing
}

// WrappedRoundTripper fulfils net.RoundTripperWrapper of k8s.io/apimachinery.
func (t timed) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip fulfils http.RoundTripper.
func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := t.p.rec
	begun := rec.Elapsed()
	var connected atomic.Int64 // by another goroutine
	var reused atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		connected.Store(int64(rec.Elapsed()))
		reused.Store(c.Reused)
	}}
	late := t.p.g.await()
	resp, err := t.next.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	late.Stop()
	now := rec.Elapsed()
	at := time.Duration(connected.Load())
	note := "new"
	if reused.Load() {
		note = "reused"
	}
	if at == 0 {
		at, note = now, ""
	}
	rec.Flow.Stations = append(rec.Flow.Stations, flow.Station{Name: "connection", Start: begun, Length: at - begun, Note: note, Failed: err != nil && note == ""})
	if note != "" {
		rec.Flow.Stations = append(rec.Flow.Stations, flow.Station{Name: flow.InsideServer, Start: at, Length: now - at, Note: "inside it, not known here", Failed: err != nil})
	}
	if err != nil {
		return nil, err
	}
	t.p.g.answered()
	return t.p.passBack(resp)
}
