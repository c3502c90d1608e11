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

	split Split  // nil for a stream without limits between frames
	begun []byte // of a frame whose end has not come
}

// MostFrame is how much of a frame is kept until it ends. A longer one ends the record of frames: only sizes follow.
const MostFrame = 8 << 20

// A Split cuts the first frame off a stream; nil if it has not ended. In the first known bytes none ends.
type Split func(b []byte, known int) (frame, rest []byte)

// SplitOf is the Split of a stream of a media type, nil for one without limits between frames.
func SplitOf(media string) Split {
	switch {
	case strings.Contains(media, "json"):
		return line
	case strings.Contains(media, "protobuf"):
		return message
	}
	return nil
}

// NewWatch returns the record of a stream of a media type.
func NewWatch(record *flow.Watch, media string, now func() time.Time) *Watch {
	return &Watch{Record: record, Now: now, split: SplitOf(media)}
}

// wrote notes the frames in a part of the stream. Where nothing limits frames, each part that was sent at once,
// which as a rule is an event, counts as one.
func (w *Watch) wrote(part []byte) {
	if w.split == nil {
		w.Record.Wrote(flow.Frame{Size: len(part), Written: w.Now()})
		return
	}
	if len(w.begun)+len(part) > MostFrame {
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

// line cuts off the first line.
func line(b []byte, known int) (frame, rest []byte) {
	at := bytes.IndexByte(b[known:], '\n')
	if at < 0 {
		return nil, b
	}
	end := known + at + 1
	return b[:end], b[end:]
}

// message cuts off the first message after its length in four bytes.
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
	kind, raw := ReadEvent(b)
	id := object.Identify(raw)
	f := flow.Frame{Type: kind, Namespace: id.Namespace, Name: id.Name, Size: len(b), Written: w.Now()}
	if w.Saw != nil {
		f.Revision = id.Version
		w.Saw(&f, id, raw)
	}
	w.Record.Wrote(f)
}

// ReadEvent returns the type of the event in a frame, and its object as it is encoded there; "" for what is none.
func ReadEvent(frame []byte) (kind string, raw []byte) {
	if len(frame) > 0 && frame[0] == '{' {
		object.Members(frame, func(name, value []byte) bool {
			switch string(name) {
			case "type":
				kind = strings.Trim(string(value), `"`)
			case "object":
				raw = value
			}
			return true
		})
	} else if event := (metav1.WatchEvent{}); len(frame) > 4 && event.Unmarshal(frame[4:]) == nil {
		kind, raw = event.Type, event.Object.Raw
	}
	return kind, raw
}
