package glass

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/server/answer"
	"kubarium/server/elsewhere"
	"kubarium/server/gate"
)

// events is the answer of a watch whose events pass the gate one by one, and are read whole for that.
type events struct {
	io.ReadCloser
	codec  *codecs.Codec
	split  elsewhere.Split // nil once a frame was too long: what comes then does not pass the gate
	stream *gate.Stream
	record *flow.Watch
	ctx    context.Context // ends when the watch is cut
	end    context.CancelCauseFunc

	buffer []byte
	begun  []byte // at the end of buffer: what is not handed on
	known  int    // bytes of it in which no frame ends
	over   error  // of the answer, after it
	ready  []byte // is handed on next
	// original is the object in ready as the server sent it, if it was edited; else nil.
	original []byte
	err      error // after that
}

// gateEvents puts the gate before the events of a watch, if they can be told apart.
func (p *passing) gateEvents(resp *http.Response) {
	media := resp.Header.Get("Content-Type")
	split := elsewhere.SplitOf(media)
	if p.route.Verb != "watch" || resp.StatusCode != http.StatusOK || split == nil || resp.Header.Get("Content-Encoding") != "" {
		return
	}
	p.events = &events{ReadCloser: resp.Body, codec: codecs.JSON, split: split}
	if strings.Contains(media, "protobuf") {
		p.events.codec = codecs.Protobuf
	}
	resp.Body = p.events
}

// open begins to ask the gate, once the watch is on record. stop ends the request to the server. done must be called.
func (e *events) open(p *passing, stop func()) (done func()) {
	ctx, end := context.WithCancelCause(p.came.Context())
	var leave func()
	e.stream, e.ctx, leave = p.g.Gate.Open(ctx, p.rec, p.rec.Flow.Watch)
	e.record, e.end = p.rec.Flow.Watch, end
	forget := context.AfterFunc(e.ctx, stop)
	return func() {
		forget()
		leave()
		end(nil)
	}
}

// Read fulfils io.Reader: with one frame after another.
func (e *events) Read(b []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(b, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// next lets the next frame pass, or reads more of it.
func (e *events) next() {
	var frame []byte
	e.original = nil
	if e.split != nil {
		frame, e.begun = e.split(e.begun, e.known)
		e.known = len(e.begun)
	}
	switch {
	case frame != nil:
		e.known = 0
		e.ready, e.err = e.pass(frame)
	case e.over != nil || e.split == nil && len(e.begun) > 0:
		e.ready, e.begun, e.err = e.begun, nil, e.over
	default:
		e.more()
	}
}

// more reads on, in the room of frames that were handed on.
func (e *events) more() {
	if len(e.begun) < len(e.buffer) {
		e.buffer = append(e.buffer[:0], e.begun...)
	}
	has := len(e.buffer)
	e.buffer = slices.Grow(e.buffer, 8<<10)
	n, err := e.ReadCloser.Read(e.buffer[has:cap(e.buffer)])
	e.buffer, e.over = e.buffer[:has+n], err
	if e.begun = e.buffer; len(e.begun) > elsewhere.MostFrame {
		e.split = nil
	}
}

// pass returns what is sent in the place of a frame once the gate lets it pass. An error ends the watch after that.
func (e *events) pass(frame []byte) ([]byte, error) {
	kind, raw := elsewhere.ReadEvent(frame)
	if e.stream.Idle() || frameTypes[kind] == 0 {
		return frame, nil
	}
	id, sent := object.Identify(raw), e.record.State()
	var edited []byte
	err := e.stream.Before(e.ctx, gate.Event{
		Frame: flow.Frame{Type: kind, Namespace: id.Namespace, Name: id.Name, Revision: id.Version, Number: sent.Sent + sent.Bookmarks + 1},
		Text:  func() []byte { return frame },
		Edit: func() gate.Editable {
			if id.Kind == "Table" {
				return gate.Editable{}
			}
			return gate.EditObject(e.codec, bytes.Clone(raw), func(b []byte) { edited = b })
		},
	}, func() (goOn func()) { return func() {} })
	var refused apierrors.APIStatus
	switch {
	case errors.Is(err, gate.ErrUntold):
		return nil, nil
	case errors.As(err, &refused):
		e.end(err)
		return e.failure(refused.Status()), io.EOF
	case err != nil:
		e.end(err)
		return nil, err
	case edited != nil:
		e.original = raw
		return e.frame(kind, edited), nil
	}
	return frame, nil
}

func (e *events) frame(kind string, object []byte) []byte {
	var b bytes.Buffer
	_ = e.codec.Frame(&b, kind, object) // into memory
	return b.Bytes()
}

// failure is the frame of an ERROR event.
func (e *events) failure(s metav1.Status) []byte {
	s.TypeMeta = answer.StatusType
	var b bytes.Buffer
	_ = e.codec.Encode(&b, &s, false) // plain values
	return e.frame("ERROR", b.Bytes())
}
