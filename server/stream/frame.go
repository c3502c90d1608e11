package stream

import (
	"bytes"
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/cache"
	"kubarium/server/compress"
	"kubarium/server/gate"
	"kubarium/server/objects"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

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
	return st.sink.flush()
}

// reached notes how far the stream is behind the events that were taken last.
func (st *stream) reached() {
	position, pending := st.watch.Progress()
	st.record.Reached(int64(position), pending)
}

func (st *stream) sendOne(e registry.WatchEvent) error {
	if e.Type == registry.Bookmark {
		return st.bookmark(e.Revision, e.InitialEnd)
	}
	frame, err := st.frame(e)
	if err != nil {
		return unencodable{err}
	}
	head := headOf(e)
	z, compresses := st.sink.(*gzipSink)
	if !compresses || !st.shares(e) {
		return st.write(frame, head)
	}
	member, err := e.Change.Form(st.forms.of(e.Type)+" gzip", func(*cache.Event) ([]byte, error) { return compress.Member(frame) })
	if err != nil {
		return err
	}
	return st.wrote(len(frame), head, z.writeMember(member))
}

// headOf is what the record of a stream remembers of an event, without its size and time.
func headOf(e registry.WatchEvent) flow.Frame {
	ns, name := e.Object.Key.Split()
	return flow.Frame{Type: string(e.Type), Revision: int64(e.Revision), Namespace: ns, Name: name, Committed: e.At}
}

// shares tells whether the bytes of an event are the same for all watchers of one form.
func (st *stream) shares(e registry.WatchEvent) bool {
	return e.Change != nil && st.c.Media.As != "Table"
}

// An unencodable is why an event has no frame: what its object is stored as cannot be read.
type unencodable struct{ error }

// An endedError is why there will be no more events, found while some were being sent.
type endedError struct{ error }

func (e endedError) Unwrap() error { return e.error }

// forms name the forms of a stream's events, by their types.
type forms struct{ added, modified, deleted string }

func newForms(form string) forms {
	return forms{string(registry.Added) + form, string(registry.Modified) + form, string(registry.Deleted) + form}
}

func (f *forms) of(t registry.EventType) string {
	switch t {
	case registry.Added:
		return f.added
	case registry.Modified:
		return f.modified
	}
	return f.deleted
}

// unsent ends the stream that could not send events.
func (st *stream) unsent(ctx context.Context, err error) string {
	if ended := (endedError{}); errors.As(err, &ended) {
		return st.end(ctx, ended.error)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return st.end(ctx, err) // it waited at the gate
	}
	if bad := (unencodable{}); st.kind.Remote && errors.As(err, &bad) {
		_ = st.sendError(bad.error)
	}
	return unsent(err)
}

// unsent says why events were not sent.
func unsent(err error) string {
	if bad := (unencodable{}); errors.As(err, &bad) {
		return bad.Error()
	}
	if refused := (refusedError{}); errors.As(err, &refused) {
		return refused.Error()
	}
	if errors.Is(err, gate.ErrCut) {
		return gate.ErrCut.Error()
	}
	return "client went away"
}

// frame is the bytes of an event. Those of a change are made once for all its watchers of one form.
func (st *stream) frame(e registry.WatchEvent) ([]byte, error) {
	if !st.shares(e) {
		return st.encode(e)
	}
	form := st.forms.of(e.Type)
	if frame := e.Change.Made(form); frame != nil {
		return frame, nil
	}
	return e.Change.Form(form, func(*cache.Event) ([]byte, error) { return st.encode(e) })
}

func (st *stream) encode(e registry.WatchEvent) ([]byte, error) {
	if e.Object.Err != nil {
		return nil, e.Object.Err
	}
	rec := storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value}
	a := &answer.Answer{Record: &rec, Cached: e.Object, Kind: st.kind}
	var text []byte
	var err error
	if st.c.Media.As == "Table" {
		text, err = st.encodeTable(a)
	} else {
		text, err = st.c.EncodeObject(a)
	}
	if err != nil {
		return nil, err
	}
	return st.wrap(string(e.Type), text)
}

// wrap makes the frame of an object's JSON.
func (st *stream) wrap(eventType string, text []byte) ([]byte, error) {
	var b bytes.Buffer
	err := st.c.Media.Codec.Frame(&b, eventType, text)
	return b.Bytes(), err
}

// bookmark tells the client how far it is (API Concepts, "Watch bookmarks").
func (st *stream) bookmark(at storage.Revision, initialEnd bool) error {
	obj := st.kind.Bookmark()
	m := obj.(metav1.Object)
	m.SetResourceVersion(objects.FormatRevision(at))
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
	view, err := st.c.View(a)
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
	return st.c.EncodeObject(&answer.Answer{Object: t})
}

// bookmarkText is the empty object of a bookmark in the form of the stream.
func (st *stream) bookmarkText(obj runtime.Object) ([]byte, error) {
	m := st.c.Media
	version := m.Group + "/" + m.Version
	switch m.As {
	case "":
		return st.c.EncodeObject(&answer.Answer{Object: obj})
	case "PartialObjectMetadataList":
		return nil, unencodable{answer.NotList(st.kind)} // as no event can be sent in a form that is for lists alone
	case "Table":
		lm := metav1.ListMeta{ResourceVersion: obj.(metav1.Object).GetResourceVersion()}
		internal, err := st.kind.Internal(obj)
		if err != nil {
			return nil, err
		}
		view, err := st.c.Table(st.kind, []runtime.Object{internal}, lm, version)
		if err != nil {
			return nil, err
		}
		return st.headOnce(view.(*metav1.Table))
	}
	p, err := answer.Partial(obj, version)
	if err != nil {
		return nil, err
	}
	return st.c.EncodeObject(&answer.Answer{Object: p})
}

// sendError writes an ERROR event.
func (st *stream) sendError(err error) error {
	status := st.s.Answers.StatusOf(st.c, err)
	text, err := st.c.EncodeObject(&answer.Answer{Object: &status})
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
	f.Size, f.Written = size, st.s.Now()
	st.record.Wrote(f)
	return nil
}
