package golden

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// quiet is how long a stream must be silent to show that no more frames come.
const quiet = 200 * time.Millisecond

// nextFrame returns a function that reads one event after another from a stream of this media type.
func nextFrame(contentType string, r io.Reader) func() (any, error) {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case strings.HasSuffix(media, "protobuf"):
		return func() (any, error) { return protobufFrame(r) }
	case strings.HasPrefix(media, "application/cbor"):
		d := cborMode.NewDecoder(r)
		return func() (any, error) {
			var raw cbor.RawMessage
			if err := d.Decode(&raw); err != nil {
				return nil, err
			}
			v, _, err := cborValue(raw)
			return v, err
		}
	}
	d := json.NewDecoder(r)
	d.UseNumber()
	return func() (v any, err error) {
		err = d.Decode(&v)
		return v, err
	}
}

// protobufFrame reads a length of four bytes, big endian, and the message after it.
func protobufFrame(r io.Reader) (any, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > 64<<20 {
		return nil, fmt.Errorf("a frame of %d bytes", n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	v, ok := protobufValue(data)
	if !ok {
		return nil, fmt.Errorf("a frame that is no Protobuf message")
	}
	return map[string]any{"protobuf": v}, nil
}

// passing reports whether a frame is a bookmark that the server may send at any time.
func passing(frame any) bool {
	text := brief(frame)
	return strings.Contains(text, `"BOOKMARK"`) && !strings.Contains(text, "k8s.io/initial-events-end")
}

// A stream reads frames in the background, until its context ends.
type stream struct {
	frames chan any
	err    error // why the frames ended; set before frames is closed
}

func readStream(ctx context.Context, next func() (any, error)) *stream {
	s := &stream{frames: make(chan any)}
	go func() {
		defer close(s.frames)
		for {
			frame, err := next()
			if err != nil {
				s.err = err
				return
			}
			if passing(frame) {
				continue
			}
			select {
			case s.frames <- frame:
			case <-ctx.Done():
				s.err = ctx.Err()
				return
			}
		}
	}()
	return s
}

// collect reads until want frames came and the stream was quiet for a moment, until it ends, or until patience is over.
// With toEnd it waits for the end, or until patience is over.
func (s *stream) collect(want int, toEnd bool, patience time.Duration) (frames []any, ended bool) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		silence := (<-chan time.Time)(nil)
		if len(frames) >= want && !toEnd {
			silence = time.After(quiet)
		}
		select {
		case frame, ok := <-s.frames:
			if !ok {
				return frames, true
			}
			frames = append(frames, frame)
		case <-silence:
			return frames, false
		case <-over.C:
			return frames, false
		}
	}
}
