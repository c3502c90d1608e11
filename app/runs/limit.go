package runs

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"

	"kubarium/app/memory"
	"kubarium/flow/recording"
)

// mostRead is how many bytes of memory a command takes that reads recordings, unless GOMEMLIMIT says otherwise. A
// file says little about that: compressed, a few kilobytes may have any number of requests and objects.
const mostRead = 2 << 30

// A Limit ends a reading that takes too much memory.
type Limit struct{ Most int64 }

// LimitMemory makes the memory limit of the process that of a command that reads.
func LimitMemory() Limit {
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		return Limit{most}
	}
	debug.SetMemoryLimit(mostRead)
	return Limit{mostRead}
}

// Exceeded returns a *recording.LimitError when the values that the process holds leave too little room for the rest
// of its work.
func (l Limit) Exceeded() error {
	if !l.near() {
		return nil
	}
	if runtime.GC(); !l.near() { // what the last collection left may be garbage by now
		return nil
	}
	return &recording.LimitError{Limit: fmt.Sprintf("reading takes at most %d MiB of memory; GOMEMLIMIT sets another limit", l.Most>>20)}
}

func (l Limit) near() bool { return int64(memory.Live()) >= l.Most/4*3 }

// Half is for a command that needs the other half for what it does with what was read.
func (l Limit) Half() Limit { return Limit{l.Most / 2} }

// A Reader is a Decoder with a limit of memory.
type Reader struct {
	*recording.Decoder
	limit Limit
}

func NewReader(from io.Reader) (*Reader, error) {
	d, err := recording.NewDecoder(from)
	return &Reader{d, LimitMemory()}, err
}

// Next returns the next entry, or an error of Decoder.Next.
func (r *Reader) Next() (*recording.Entry, error) {
	if err := r.limit.Exceeded(); err != nil {
		return nil, err
	}
	return r.Decoder.Next()
}
