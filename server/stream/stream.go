// Package stream writes watches to their clients: events as frames or as messages of a WebSocket, bookmarks, and the end. Events
// come from the registry and their objects' forms from package answer; here are their order, their deadlines and their wrapping.
package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/cache"
	"kubarium/server/compress"
	"kubarium/server/gate"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// Streams are the watches of a server: what they have in common. All fields are needed.
type Streams struct {
	Answers *answer.Writer
	Log     *flow.Log
	Now     func() time.Time
	Closing context.Context // ends when open watches must
	// MinWatch is the least time after which a watch that asks for no time is ended; the time is between it and its double.
	MinWatch time.Duration
	// BookmarkEvery is how often a watch that allows bookmarks gets one.
	BookmarkEvery time.Duration
	// Gate does to events what fault rules say; nil for none.
	Gate *gate.Gate

	large largeFrames
}

// Open makes an answer of a watch of a kind's objects, which the answer or the error stops. The client has negotiated its form; a
// WebSocket is opened for one that asks for it.
func (s *Streams) Open(c *answer.Client, k *kinds.Kind, w *registry.Watch, o metainternal.ListOptions) (*answer.Answer, error) {
	form := " " + c.Media.Codec.Name + " " + c.Media.As + c.Media.Version + " " + k.FormName()
	st := &stream{s: s, c: c, kind: k, watch: w, options: o, forms: newForms(form)}
	if !asksWebSocket(c.Request) {
		return &answer.Answer{Stream: st.serve, Stop: w.Stop}, nil
	}
	if err := checkHandshake(c.Request); err != nil {
		w.Stop()
		return nil, err
	}
	if !saysOrigin(c.Request) {
		w.Stop()
		return &answer.Answer{Status: http.StatusForbidden, Raw: []byte{}}, nil
	}
	return &answer.Answer{Stream: st.serveSocket, Stop: w.Stop}, nil
}

// A stream writes one watch to its client.
type stream struct {
	s       *Streams
	c       *answer.Client
	kind    *kinds.Kind
	watch   *registry.Watch
	options metainternal.ListOptions
	record  *flow.Watch
	forms   forms
	headed  bool // for Tables: the columns have been told
	sink    sink
	gate    *gate.Stream
	clock   *gate.Clock // its own time
}

// serve writes events until the watch ends: by its client, its timeout, the server's end, or because it fell behind.
func (st *stream) serve(out *answer.Response) {
	defer st.watch.Stop()
	c := st.c
	out.Streams = true
	out.Header().Set("Cache-Control", "no-cache, private")
	out.Header().Set("Content-Type", c.Media.ContentType(true))
	c.SetWarnings(out.Header())
	plain := &plainSink{out: out, http2: c.ProtoMajor == 2}
	st.sink = plain
	if st.compresses() {
		compress.SetHeader(out.Header())
		st.sink = &gzipSink{plain: plain}
	}
	out.WriteHeader(http.StatusOK)
	if err := plain.flush(); err != nil {
		return
	}
	st.tell()
}

// tell records the stream and runs it to its end.
func (st *stream) tell() {
	c := st.c
	st.record = st.s.Log.OpenWatch(flow.WatchInfo{
		Client: c.Flow.Flow.Client, Target: c.Flow.Flow.Target, Query: c.URL.RawQuery,
		Media: c.Media.ContentType(true), Opened: st.s.Now(), Start: int64(st.watch.Start()),
	})
	c.Flow.Flow.Watch = st.record
	c.Flow.Publish(flow.WatchOpened)
	gated, ctx, end := st.s.Gate.Open(c.Context(), c.Flow, st.record)
	defer end()
	st.gate = gated
	cause := st.run(ctx)
	st.record.Close(st.s.Now(), cause)
	c.Flow.Flow.Message = cause
	if errors.Is(context.Cause(ctx), gate.ErrCut) || cause == gate.ErrCut.Error() {
		panic(http.ErrAbortHandler) // net/http ends the connection, in the middle of the answer
	}
}

// run is the loop of the stream; it returns why the stream ended.
func (st *stream) run(parent context.Context) string {
	parent, cancel := context.WithCancel(parent)
	defer cancel()
	stop := context.AfterFunc(st.s.Closing, cancel)
	defer stop()
	ctx, end := gate.NewClock(parent, st.timeout())
	defer end()
	st.clock = ctx
	due := time.Now().Add(st.s.BookmarkEvery)
	for {
		if err := st.sendInitial(ctx); err != nil {
			return st.unsent(ctx, err)
		}
		wait, done := st.untilBookmark(ctx, due)
		events, err := st.watch.Next(wait)
		bookmark := wait.Err() != nil && ctx.Err() == nil
		done()
		switch {
		case err == nil:
			if err := st.send(ctx, events); err != nil {
				return st.unsent(ctx, err)
			}
		case bookmark && st.gate.Lags():
			due = time.Now().Add(st.s.BookmarkEvery)
		case bookmark:
			if err := st.bookmark(st.watch.Position(), false); err != nil {
				return unsent(err)
			}
			due = time.Now().Add(st.s.BookmarkEvery)
		default:
			return st.end(ctx, err)
		}
	}
}

// timeout is how long the watch lives: as long as it asks, be it less than no time, or a random time so that not all end
// at once.
func (st *stream) timeout() time.Duration {
	if t := st.options.TimeoutSeconds; t != nil && *t != 0 {
		return time.Duration(*t) * time.Second
	}
	least := st.s.MinWatch
	return least + rand.N(least)
}

// untilBookmark bounds the wait for the next event where bookmarks are allowed. The time at which one is due does not
// move with events: a watch of few objects among many that change would never get one, and its version would expire.
func (st *stream) untilBookmark(ctx context.Context, due time.Time) (context.Context, context.CancelFunc) {
	if !st.options.AllowWatchBookmarks {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, due)
}

// end says goodbye: a bookmark at the end of a timed watch, an ERROR event when the history is gone or the store has ended.
func (st *stream) end(ctx context.Context, err error) string {
	var expired *storage.RevisionError
	switch {
	case errors.As(err, &expired):
		_ = st.sendError(registry.WatchError(st.kind, expired))
		st.c.Flow.Flow.Unavailable = registry.Unavailable(expired)
		return expired.Error()
	case errors.As(err, new(*storage.Failure)):
		_ = st.sendError(err)
		return err.Error()
	case errors.Is(err, cache.ErrSlow):
		return "too slow"
	case errors.Is(context.Cause(ctx), gate.ErrCut):
		return gate.ErrCut.Error()
	case st.s.Closing.Err() != nil:
		return "server is stopping"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		if st.options.AllowWatchBookmarks && !st.watch.Initial() {
			_ = st.bookmark(st.watch.Position(), false)
		}
		return "timeout"
	case st.c.Context().Err() != nil:
		return "client went away"
	}
	return err.Error()
}
