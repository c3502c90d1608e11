package stream

import (
	"bytes"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/cache"
	"kubarium/server/compress"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// A framer makes the frames of a stream: the bytes of its events in the form that the client has negotiated.
type framer struct {
	client *answer.Client
	kind   *kinds.Kind
	forms  forms
	headed bool // for Tables: a frame with the columns was made
}

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

// headOf is what the record of a stream remembers of an event, without its size and time.
func headOf(e registry.WatchEvent) flow.Frame {
	ns, name := e.Object.Key.Split()
	return flow.Frame{Type: string(e.Type), Revision: int64(e.Revision), Namespace: ns, Name: name, Committed: e.At}
}

// shares reports whether the bytes of an event are the same for all watchers of one form.
func (f *framer) shares(e registry.WatchEvent) bool {
	return e.Change != nil && f.client.Media.As != "Table"
}

// An unencodable is why an event has no frame: what its object is stored as cannot be read.
type unencodable struct{ error }

// frame is the bytes of an event. Those of a change are made once for all its watchers of one form.
func (f *framer) frame(e registry.WatchEvent) ([]byte, error) {
	if !f.shares(e) {
		return f.encode(e)
	}
	form := f.forms.of(e.Type)
	if frame := e.Change.Made(form); frame != nil {
		return frame, nil
	}
	return e.Change.Form(form, func(*cache.Event) ([]byte, error) { return f.encode(e) })
}

func (f *framer) encode(e registry.WatchEvent) ([]byte, error) {
	if e.Object.Err != nil {
		return nil, e.Object.Err
	}
	var text []byte
	var err error
	if f.client.Media.As == "Table" {
		text, err = f.encodeTable(f.answer(e))
	} else {
		text, err = f.object(e)
	}
	if err != nil {
		return nil, err
	}
	return f.wrap(string(e.Type), text)
}

// wrap makes the frame of an object's JSON.
func (f *framer) wrap(eventType string, text []byte) ([]byte, error) {
	var b bytes.Buffer
	err := f.client.Media.Codec.Frame(&b, eventType, text)
	return b.Bytes(), err
}

// member is the frame of a shared event as a member of gzip, made once for all watchers of its form.
func (f *framer) member(e registry.WatchEvent, frame []byte) ([]byte, error) {
	return e.Change.Form(f.forms.of(e.Type)+" gzip", func(*cache.Event) ([]byte, error) { return compress.Member(frame) })
}

// appendFrame appends the frame of an initial event. One in JSON leaves no garbage.
func (f *framer) appendFrame(dst []byte, e registry.WatchEvent) ([]byte, error) {
	if f.client.Media.Codec != codecs.JSON || f.client.Media.As != "" || e.Object.Err != nil {
		frame, err := f.encode(e)
		return append(dst, frame...), err
	}
	return codecs.AppendJSONFrame(dst, string(e.Type), func(dst []byte) ([]byte, error) {
		return answer.AppendServed(dst, f.kind, e.Object, e.Revision)
	})
}

// object is the text of an event's object.
func (f *framer) object(e registry.WatchEvent) ([]byte, error) {
	return f.client.EncodeObject(f.answer(e))
}

// answer is the answer that shows an event's object.
func (f *framer) answer(e registry.WatchEvent) *answer.Answer {
	rec := storage.Record{Key: e.Object.Key, Revision: e.Revision, Value: e.Object.Value}
	return &answer.Answer{Record: &rec, Cached: e.Object, Kind: f.kind}
}

// bookmark is the frame of a bookmark.
func (f *framer) bookmark(at storage.Revision, initialEnd bool) ([]byte, error) {
	obj := f.kind.Bookmark()
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
	text, err := f.bookmarkText(obj)
	if err != nil {
		return nil, err
	}
	return f.wrap(string(registry.Bookmark), text)
}

// failure is the frame of an ERROR event.
func (f *framer) failure(status *metav1.Status) ([]byte, error) {
	text, err := f.client.EncodeObject(&answer.Answer{Object: status})
	if err != nil {
		return nil, err
	}
	return f.wrap("ERROR", text)
}

// encodeTable makes the Table of an event. The first of a stream has the columns, the others leave them out.
func (f *framer) encodeTable(a *answer.Answer) ([]byte, error) {
	view, err := f.client.View(a)
	if err != nil {
		return nil, err
	}
	return f.headOnce(view.(*metav1.Table))
}

func (f *framer) headOnce(t *metav1.Table) ([]byte, error) {
	if f.headed {
		t.ColumnDefinitions = nil
	}
	f.headed = true
	return f.client.EncodeObject(&answer.Answer{Object: t})
}

// bookmarkText is the empty object of a bookmark in the form of the stream.
func (f *framer) bookmarkText(obj runtime.Object) ([]byte, error) {
	m := f.client.Media
	version := m.Group + "/" + m.Version
	switch m.As {
	case "":
		return f.client.EncodeObject(&answer.Answer{Object: obj})
	case "PartialObjectMetadataList":
		return nil, unencodable{answer.NotList(f.kind)} // as no event can be sent in a form that is for lists alone
	case "Table":
		lm := metav1.ListMeta{ResourceVersion: obj.(metav1.Object).GetResourceVersion()}
		internal, err := f.kind.Internal(obj)
		if err != nil {
			return nil, err
		}
		view, err := f.client.Table(f.kind, []runtime.Object{internal}, lm, version)
		if err != nil {
			return nil, err
		}
		return f.headOnce(view.(*metav1.Table))
	}
	p, err := answer.Partial(obj, version)
	if err != nil {
		return nil, err
	}
	return f.client.EncodeObject(&answer.Answer{Object: p})
}
