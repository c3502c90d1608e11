// Package stream writes watches to their clients. An event goes one way: the loop of a stream (stream.go) takes it
// from the registry; where fault rules are about it, the gate lets it pass (passage.go, gated.go); a framer makes its
// frame (frame.go); a sender writes the frame and records it (sender.go), into a sink, which is a connection, a
// compressed one or a WebSocket (sink.go, websocket.go). The forms of objects come from package answer.
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
	"kubarium/server/gate"
	"kubarium/server/registry"
)

// Streams are the watches of a server: what they have in common. All fields are needed.
type Streams struct {
	Answers *answer.Writer
	Log     *flow.Log
	Now     func() time.Time
	Closing context.Context // ends when open watches must
	// MinWatch is the least time after which a watch that asks for no time is ended; the time is between it and its
	// double.
	MinWatch time.Duration
	// BookmarkEvery is how often a watch that allows bookmarks gets one.
	BookmarkEvery time.Duration
	// Gate does to events what fault rules say; nil for none.
	Gate *gate.Gate

	large largeFrames
}

// A stream writes one watch to its client.
type stream struct {
	s       *Streams
	client  *answer.Client
	flow    *flow.Recorder // of the request
	watch   *registry.Watch
	options metainternal.ListOptions
	record  *flow.Watch
	frames  framer
	out     sender
	gate    passage
	clock   *gate.Clock // its own time
}

// serveEvents records the stream and runs it to its end. begin sends what comes before events: a client that has it finds the
// watch in the log.
func (st *stream) serveEvents(begin func() error) {
	f := &st.flow.Flow
	st.record = st.s.Log.OpenWatch(flow.WatchInfo{
		Client: f.Client, Target: f.Target, Query: st.client.URL.RawQuery,
		Media: st.client.Media.ContentType(true), Opened: st.s.Now(), Start: int64(st.watch.Start()),
	})
	f.Watch = st.record
	st.out.record, st.out.now = st.record, st.s.Now
	st.flow.Publish(flow.WatchOpened)
	gated, ctx, end := st.s.Gate.Open(st.client.Context(), st.flow, st.record)
	defer end()
	st.gate = passage{Stream: gated, frames: &st.frames, record: st.record, standStill: st.standStill}
	cause := ""
	if err := begin(); err != nil {
		cause = whyUnsent(err)
	} else {
		cause = st.run(ctx)
	}
	st.record.Close(st.s.Now(), cause)
	f.Message = cause
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
	wait, done := st.untilBookmark(ctx)
	defer func() { done() }()
	for {
		if err := st.sendInitial(ctx); err != nil {
			return st.unsent(ctx, err)
		}
		events, err := st.watch.Next(wait)
		bookmark := wait.Err() != nil && ctx.Err() == nil
		switch {
		case err == nil:
			if err := st.send(ctx, events); err != nil {
				return st.unsent(ctx, err)
			}
		case bookmark:
			if !st.gate.Lags() {
				if err := st.bookmark(st.watch.Position(), false); err != nil {
					return whyUnsent(err)
				}
			}
			done()
			wait, done = st.untilBookmark(ctx)
		default:
			return st.end(ctx, err)
		}
	}
}

// timeout is how long the watch lives: as long as the client asks (a negative time ends it at once), else a random
// time, so that not all end at once.
func (st *stream) timeout() time.Duration {
	if t := st.options.TimeoutSeconds; t != nil && *t != 0 {
		return time.Duration(*t) * time.Second
	}
	least := st.s.MinWatch
	return least + rand.N(least)
}

// untilBookmark bounds the wait for the next event where bookmarks are allowed. The time at which one is due does not
// move with events: a watch of few objects among many that change would never get one, and its version would expire.
func (st *stream) untilBookmark(ctx context.Context) (context.Context, context.CancelFunc) {
	if !st.options.AllowWatchBookmarks {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, st.s.BookmarkEvery)
}

// send writes events and flushes once.
func (st *stream) send(ctx context.Context, events []registry.WatchEvent) error {
	if !st.gate.Idle() {
		return st.sendGated(ctx, events)
	}
	behind := st.watch.Pending() // once: it takes the lock of the cache
	for i, e := range events {
		if err := st.sendOne(e); err != nil {
			return err
		}
		if left := len(events) - i - 1; left > 0 {
			st.record.Reached(int64(e.Revision), left+behind)
		}
	}
	st.reached()
	return st.out.flush()
}
