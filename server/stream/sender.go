package stream

import (
	"time"

	"kubarium/flow"
)

// A sender writes frames to the client of a stream, and records them. An error means that the client has gone, or
// reads too slowly.
type sender struct {
	sink   sink
	record *flow.Watch
	now    func() time.Time
}

// write writes a frame.
func (s *sender) write(frame []byte, head flow.Frame) error {
	return s.wrote(len(frame), head, s.sink.write(frame))
}

// compresses says whether the sender takes members of gzip.
func (s *sender) compresses() bool {
	_, ok := s.sink.(*gzipSink)
	return ok
}

// writeMember writes a frame of so many bytes that was compressed before, where the sender compresses.
func (s *sender) writeMember(member []byte, size int, head flow.Frame) error {
	return s.wrote(size, head, s.sink.(*gzipSink).writeMember(member))
}

// wrote records a frame of so many bytes, unless it could not be written.
func (s *sender) wrote(size int, head flow.Frame, err error) error {
	if err != nil {
		return err
	}
	head.Size, head.Written = size, s.now()
	s.record.Wrote(head)
	return nil
}

// writePacked writes frames that the sink has packed, and records them.
func (s *sender) writePacked(packed []byte, heads []flow.Frame) error {
	if err := s.sink.send(packed, heads); err != nil {
		return err
	}
	written := s.now()
	for _, h := range heads {
		h.Written = written
		s.record.Wrote(h)
	}
	return nil
}

// flush sends what was written.
func (s *sender) flush() error { return s.sink.flush() }
