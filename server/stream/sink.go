package stream

import (
	"time"

	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/compress"
)

// SlowWrite is how long one write to a watcher's socket may take before the watcher is ended.
const SlowWrite = 30 * time.Second

// A sink is where the frames of a watch go. An error means that the client has gone, or reads too slowly.
type sink interface {
	write(frame []byte) error // does not keep frame
	flush() error             // sends what was written
	// pack makes of frames, one after the other, what send takes.
	pack(frames []byte) ([]byte, error)
	send(packed []byte, heads []flow.Frame) error // does not keep them
}

// A plainSink sends frames as they are.
type plainSink struct {
	out      *answer.Response
	http2    bool
	deadline time.Time // of writes, as it was set last
}

func (s *plainSink) write(frame []byte) error {
	_, err := s.Write(frame)
	return err
}

func (s *plainSink) pack(frames []byte) ([]byte, error) { return frames, nil }

func (s *plainSink) send(packed []byte, _ []flow.Frame) error { return s.write(packed) }

// Write is write for those who send in pieces. A client must read within SlowWrite. The deadline is moved on once a
// second, and not for each of many frames.
func (s *plainSink) Write(p []byte) (int, error) {
	if now := time.Now(); s.deadline.Sub(now) < SlowWrite-time.Second {
		s.deadline = now.Add(SlowWrite)
		_ = s.out.Conn.SetWriteDeadline(s.deadline)
	}
	return s.out.Write(p)
}

// flush sends, and removes the deadline in HTTP/2: there net/http ends a stream when its deadline comes, whether or
// not something is being written.
func (s *plainSink) flush() error {
	err := s.out.Conn.Flush()
	if s.http2 {
		s.deadline = time.Time{}
		_ = s.out.Conn.SetWriteDeadline(time.Time{})
	}
	return err
}

// A gzipSink compresses what goes out between two flushes into a gzip member of its own (RFC 1952, section 2.2), so
// that a watch that waits holds no compressor, and so that a member can be shared by many watchers.
type gzipSink struct {
	plain *plainSink
	zip   *compress.Writer // the member under way; nil between members
}

func (s *gzipSink) write(frame []byte) error {
	if s.zip == nil {
		s.zip = compress.New(s.plain)
	}
	_, err := s.zip.Write(frame)
	return err
}

// writeMember sends frames that were compressed before.
func (s *gzipSink) writeMember(member []byte) error {
	if err := s.endMember(); err != nil {
		return err
	}
	return s.plain.write(member)
}

func (s *gzipSink) pack(frames []byte) ([]byte, error) { return compress.Member(frames) }

func (s *gzipSink) send(packed []byte, _ []flow.Frame) error { return s.writeMember(packed) }

func (s *gzipSink) endMember() error {
	if s.zip == nil {
		return nil
	}
	err := s.zip.End()
	s.zip = nil
	return err
}

func (s *gzipSink) flush() error {
	if err := s.endMember(); err != nil {
		return err
	}
	return s.plain.flush()
}
