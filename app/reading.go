package app

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"

	"kubarium/app/memory"
	"kubarium/flow/recording"
)

// mostRead is how many bytes of memory a command takes that reads recordings, unless GOMEMLIMIT says otherwise. A file says little about
// that: compressed, a few kilobytes may have any number of requests and objects.
const mostRead = 2 << 30

// A readingLimit ends a reading that takes too much memory.
type readingLimit struct{ most int64 }

// limitReading makes the memory limit of the process that of a command that reads.
func limitReading() readingLimit {
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		return readingLimit{most}
	}
	debug.SetMemoryLimit(mostRead)
	return readingLimit{mostRead}
}

// exceeded returns a *recording.LimitError when the values that the process holds leave too little room for the rest of its work.
func (l readingLimit) exceeded() error {
	if !l.near() {
		return nil
	}
	if runtime.GC(); !l.near() { // what the last collection left may be garbage by now
		return nil
	}
	return &recording.LimitError{Limit: fmt.Sprintf("reading takes at most %d MiB of memory; GOMEMLIMIT sets another limit", l.most>>20)}
}

func (l readingLimit) near() bool { return int64(memory.Live()) >= l.most/4*3 }

// half is for a command that needs the other half for what it does with what was read.
func (l readingLimit) half() readingLimit { return readingLimit{l.most / 2} }

// A reader is a Decoder with a limit of memory.
type reader struct {
	*recording.Decoder
	limit readingLimit
}

func newReader(from io.Reader) (*reader, error) {
	d, err := recording.NewDecoder(from)
	return &reader{d, limitReading()}, err
}

// Next returns the next entry, or an error of Decoder.Next.
func (r *reader) Next() (*recording.Entry, error) {
	if err := r.limit.exceeded(); err != nil {
		return nil, err
	}
	return r.Decoder.Next()
}
