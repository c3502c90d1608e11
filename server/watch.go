package server

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/answer"
	"kubarium/server/cache"
	"kubarium/server/compress"
	"kubarium/server/flow"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// bookmarkEvery is how often a watch that allows bookmarks gets one, unless Options say otherwise.
const bookmarkEvery = time.Minute

// serveWatch opens a watch; its stream is written when the answer is.
func (s *Server) serveWatch(q *Request) (*answer.Answer, error) {
	offer := q.collections()
	offer.Watch = true
	if err := q.Negotiate(offer); err != nil {
		return nil, err
	}
	o, err := q.listOptions()
	if err != nil {
		return nil, err
	}
	if q.Media.As == "Table" {
		if _, err := q.TableOptions(); err != nil {
			return nil, err
		}
	}
	w, err := s.o.Registry.Watch(q.Context(), q.Target, o)
	if err != nil {
		return nil, err
	}
	if q.asksWebSocket() {
		if err := q.checkHandshake(); err != nil {
			w.Stop()
			return nil, err
		}
	}
	form := " " + q.Media.Codec.Name + " " + q.Media.As + q.Media.Version + " " + q.Target.Kind.FormName()
	st := &stream{s: s, q: q, watch: w, options: o, form: form}
	if q.asksWebSocket() {
		return &answer.Answer{Stream: st.serveSocket}, nil
	}
	return &answer.Answer{Stream: st.serve}, nil
}

// A stream writes one watch to its client.
type stream struct {
	s       *Server
	q       *Request
	watch   *registry.Watch
	options metainternal.ListOptions
	record  *flow.Watch
	form    string // names the form of its events beside their type
	headed  bool   // for Tables: the columns have been told
	sink    sink
}

// serve writes events until the watch ends: by its client, its timeout, the server's end, or because it fell behind.
func (st *stream) serve(out *answer.Response) {
	defer st.watch.Stop()
	q := st.q
	out.Streams = true
	out.Header().Set("Cache-Control", "no-cache, private")
	out.Header().Set("Content-Type", q.Media.ContentType(true))
	q.SetWarnings(out.Header())
	plain := plainSink{out, q.conn}
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
	q := st.q
	st.record = st.s.o.Log.OpenWatch(flow.WatchInfo{
		Client: q.Flow.Flow.Client, Target: q.Flow.Flow.Target, Query: q.URL.RawQuery,
		Media: q.Media.ContentType(true), Opened: st.s.o.Now(), Start: int64(st.watch.Start()),
	})
	q.Flow.Flow.Watch = st.record
	q.Flow.Publish(flow.WatchOpened)
	cause := st.run()
	st.record.Close(st.s.o.Now(), cause)
	q.Flow.Flow.Message = cause
}

// run is the loop of the stream; it returns why the stream ended.
func (st *stream) run() string {
	ctx, cancel := context.WithTimeout(st.q.Context(), st.timeout())
	defer cancel()
	stop := context.AfterFunc(st.s.closing, cancel)
	defer stop()
	due := time.Now().Add(st.s.o.BookmarkEvery)
	for {
		wait, done := st.untilBookmark(ctx, due)
		events, err := st.watch.Next(wait)
		bookmark := wait.Err() != nil && ctx.Err() == nil
		done()
		switch {
		case err == nil:
			if err := st.send(events); err != nil {
				return unsent(err)
			}
		case bookmark:
			if err := st.bookmark(st.watch.Position(), false); err != nil {
				return unsent(err)
			}
			due = time.Now().Add(st.s.o.BookmarkEvery)
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
	least := st.s.o.MinWatch
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

// end says goodbye: a bookmark at the end of a timed watch, an ERROR event when the history is gone.
func (st *stream) end(ctx context.Context, err error) string {
	var expired *storage.RevisionError
	switch {
	case errors.As(err, &expired):
		_ = st.sendError(expired)
		return expired.Error()
	case errors.Is(err, cache.ErrSlow):
		return "too slow"
	case st.s.closing.Err() != nil:
		return "server is stopping"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		if st.options.AllowWatchBookmarks {
			_ = st.bookmark(st.watch.Position(), false)
		}
		return "timeout"
	case st.q.Context().Err() != nil:
		return "client went away"
	}
	return err.Error()
}

// send writes events and flushes once.
func (st *stream) send(events []registry.WatchEvent) error {
	for i, e := range events {
		if err := st.sendOne(e); err != nil {
			return err
		}
		st.record.Reached(int64(e.Revision), len(events)-i-1+st.watch.Pending())
	}
	st.record.Reached(int64(st.watch.Position()), st.watch.Pending())
	return st.sink.flush()
}

func (st *stream) sendOne(e registry.WatchEvent) error {
	if e.Type == registry.Bookmark {
		return st.bookmark(e.Revision, e.InitialEnd)
	}
	frame, err := st.frame(e)
	if err != nil {
		return unencodable{err}
	}
	ns, name := e.Object.Key.Split()
	head := flow.Frame{Type: string(e.Type), Revision: int64(e.Revision), Namespace: ns, Name: name, Committed: e.At}
	z, compresses := st.sink.(*gzipSink)
	if !compresses || !st.shares(e) {
		return st.write(frame, head)
	}
	member, err := e.Change.Form(string(e.Type)+st.form+" gzip", func(*cache.Event) ([]byte, error) { return compress.Member(frame) })
	if err != nil {
		return err
	}
	return st.wrote(len(frame), head, z.writeMember(member))
}

// shares tells whether the bytes of an event are the same for all watchers of one form.
func (st *stream) shares(e registry.WatchEvent) bool {
	return e.Change != nil && st.q.Media.As != "Table"
}

// An unencodable is why an event has no frame: what its object is stored as cannot be read.
type unencodable struct{ error }

// unsent says why events were not sent.
func unsent(err error) string {
	if bad := (unencodable{}); errors.As(err, &bad) {
		return bad.Error()
	}
	return "client went away"
}

// frame is the bytes of an event. Those of a change are made once for all its watchers of one form.
func (st *stream) frame(e registry.WatchEvent) ([]byte, error) {
	if !st.shares(e) {
		return st.encode(e)
	}
	form := string(e.Type) + st.form
	return e.Change.Form(form, func(*cache.Event) ([]byte, error) { return st.encode(e) })
}

func (st *stream) encode(e registry.WatchEvent) ([]byte, error) {
	if e.Object.Err != nil {
		return nil, e.Object.Err
	}
	rec := storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value}
	a := &answer.Answer{Record: &rec, Cached: e.Object, Kind: st.q.Target.Kind}
	var text []byte
	var err error
	if st.q.Media.As == "Table" {
		text, err = st.encodeTable(a)
	} else {
		text, err = st.q.EncodeObject(a)
	}
	if err != nil {
		return nil, err
	}
	return st.wrap(string(e.Type), text)
}

// wrap makes the frame of an object's JSON.
func (st *stream) wrap(eventType string, text []byte) ([]byte, error) {
	var b bytes.Buffer
	err := st.q.Media.Codec.Frame(&b, eventType, text)
	return b.Bytes(), err
}

// bookmark tells the client how far it is (API Concepts, "Watch bookmarks").
func (st *stream) bookmark(at storage.Revision, initialEnd bool) error {
	obj := st.q.Target.Kind.Bookmark()
	m := obj.(metav1.Object)
	m.SetResourceVersion(registry.FormatRevision(at))
	if initialEnd {
		annotations := m.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[metav1.InitialEventsAnnotationKey] = "true"
		m.SetAnnotations(annotations)
	}
	text, err := st.bookmarkText(obj)
	if err != nil {
		return err
	}
	frame, err := st.wrap(string(registry.Bookmark), text)
	if err != nil {
		return err
	}
	if err := st.write(frame, flow.Frame{Type: string(registry.Bookmark), Revision: int64(at)}); err != nil {
		return err
	}
	return st.sink.flush()
}

// encodeTable makes the Table of an event. The first of a stream tells the columns, the others leave them out.
func (st *stream) encodeTable(a *answer.Answer) ([]byte, error) {
	view, err := st.q.View(a)
	if err != nil {
		return nil, err
	}
	return st.headOnce(view.(*metav1.Table))
}

func (st *stream) headOnce(t *metav1.Table) ([]byte, error) {
	if st.headed {
		t.ColumnDefinitions = nil
	}
	st.headed = true
	return st.q.EncodeObject(&answer.Answer{Object: t})
}

// bookmarkText is the empty object of a bookmark in the form of the stream.
func (st *stream) bookmarkText(obj runtime.Object) ([]byte, error) {
	m := st.q.Media
	version := m.Group + "/" + m.Version
	switch m.As {
	case "":
		return st.q.EncodeObject(&answer.Answer{Object: obj})
	case "PartialObjectMetadataList":
		return nil, unencodable{answer.NotList(st.q.Target.Kind)} // as no event can be sent in a form that is for lists alone
	case "Table":
		lm := metav1.ListMeta{ResourceVersion: obj.(metav1.Object).GetResourceVersion()}
		internal, err := st.q.Target.Kind.Internal(obj)
		if err != nil {
			return nil, err
		}
		view, err := st.q.Table(st.q.Target.Kind, []runtime.Object{internal}, lm, version)
		if err != nil {
			return nil, err
		}
		return st.headOnce(view.(*metav1.Table))
	}
	p, err := answer.Partial(obj, version)
	if err != nil {
		return nil, err
	}
	return st.q.EncodeObject(&answer.Answer{Object: p})
}

// sendError ends a stream with the Status of a resourceVersion that cannot be served.
func (st *stream) sendError(e *storage.RevisionError) error {
	status := st.s.answers.StatusOf(&st.q.Client, registry.WatchError(e))
	text, err := st.q.EncodeObject(&answer.Answer{Object: &status})
	if err != nil {
		return err
	}
	frame, err := st.wrap("ERROR", text)
	if err != nil {
		return err
	}
	if err := st.write(frame, flow.Frame{Type: "ERROR"}); err != nil {
		return err
	}
	return st.sink.flush()
}

// write puts a frame on the wire; a client that does not read is not waited for for ever.
func (st *stream) write(frame []byte, f flow.Frame) error {
	return st.wrote(len(frame), f, st.sink.write(frame))
}

// wrote records a frame of so many bytes, unless it could not be written.
func (st *stream) wrote(size int, f flow.Frame, err error) error {
	if err != nil {
		return err
	}
	f.Size, f.Written = size, st.s.o.Now()
	st.record.Wrote(f)
	return nil
}
