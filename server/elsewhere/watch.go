package elsewhere

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Watch is the record of a watch of another server's objects.
type Watch struct {
	Record *flow.Watch
	Now    func() time.Time
	// Saw is called with each frame and its object before the frame is recorded, and may change the frame; nil for a
	// server whose versions are not those of this run: its frames have none.
	Saw func(frame *flow.Frame, id object.Identity, object []byte)

	split func(b []byte, known int) (frame, rest []byte) // nil for a stream without limits between frames
	begun []byte                                         // of a frame whose end has not come
}

// mostBegun is how much of a frame is kept until it ends. A longer one ends the record of frames: only sizes follow.
const mostBegun = 8 << 20

// NewWatch returns the record of a stream of a media type.
func NewWatch(record *flow.Watch, media string, now func() time.Time) *Watch {
	w := &Watch{Record: record, Now: now}
	switch {
	case strings.Contains(media, "json"):
		w.split = line
	case strings.Contains(media, "protobuf"):
		w.split = message
	}
	return w
}

// wrote notes the frames in a part of the stream. Where nothing limits frames, each part that was sent at once,
// which as a rule is an event, counts as one.
func (w *Watch) wrote(part []byte) {
	if w.split == nil {
		w.Record.Wrote(flow.Frame{Size: len(part), Written: w.Now()})
		return
	}
	if len(w.begun)+len(part) > mostBegun {
		w.split, w.begun = nil, nil
		w.wrote(part)
		return
	}
	known := len(w.begun) // of them none ends a frame
	w.begun = append(w.begun, part...)
	rest := w.begun
	for {
		frame, after := w.split(rest, known)
		if frame == nil {
			break
		}
		w.frame(frame)
		rest, known = after, 0
	}
	if len(rest) < len(w.begun) {
		w.begun = append(w.begun[:0], rest...)
	}
}

// line cuts off the first line, nil if it has not ended. The first known bytes have no end of one.
func line(b []byte, known int) (frame, rest []byte) {
	at := bytes.IndexByte(b[known:], '\n')
	if at < 0 {
		return nil, b
	}
	end := known + at + 1
	return b[:end], b[end:]
}

// message cuts off the first message after its length in four bytes, nil if it has not ended.
func message(b []byte, _ int) (frame, rest []byte) {
	if len(b) < 4 {
		return nil, b
	}
	size := 4 + uint64(binary.BigEndian.Uint32(b))
	if uint64(len(b)) < size {
		return nil, b
	}
	return b[:size], b[size:]
}

// frame notes one. Another server's mistake is its client's to see.
func (w *Watch) frame(b []byte) {
	if len(bytes.TrimSpace(b)) == 0 {
		return
	}
	var kind string
	var raw []byte
	if b[0] == '{' {
		object.Members(b, func(name, value []byte) bool {
			switch string(name) {
			case "type":
				kind = strings.Trim(string(value), `"`)
			case "object":
				raw = value
			}
			return true
		})
	} else if event := (metav1.WatchEvent{}); len(b) > 4 && event.Unmarshal(b[4:]) == nil {
		kind, raw = event.Type, event.Object.Raw
	}
	id := object.Identify(raw)
	f := flow.Frame{Type: kind, Namespace: id.Namespace, Name: id.Name, Size: len(b), Written: w.Now()}
	if w.Saw != nil {
		f.Revision = id.Version
		w.Saw(&f, id, raw)
	}
	w.Record.Wrote(f)
}
