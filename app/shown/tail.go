package shown

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"kubarium/flow/recording"
)

var errReplaced = errors.New("another file has taken its place")

// A tail reads a file that grows. At its end it waits, unless the recording has ended there.
type tail struct {
	ctx  context.Context
	file *os.File
	run  *Run

	decoder *recording.Decoder
}

// look is the time between two looks at whether a file has grown.
const look = 200 * time.Millisecond

// Read implements io.Reader.
func (t *tail) Read(b []byte) (int, error) {
	for first := true; ; first = false {
		n, err := t.file.Read(b)
		if n > 0 || err != nil && err != io.EOF {
			if !first {
				t.run.mu.Lock()
				t.run.grown = time.Now()
				t.run.mu.Unlock()
			}
			return n, err
		}
		if !t.decoder.Waits() {
			if err := t.pause(time.Millisecond); err != nil {
				return 0, err
			}
			continue
		}
		t.run.mu.Lock()
		ended := t.run.ended
		t.run.mu.Unlock()
		t.run.once.Do(func() { close(t.run.loaded) })
		if ended {
			return 0, io.EOF
		}
		if t.replaced() {
			return 0, errReplaced
		}
		if err := t.pause(look); err != nil {
			return 0, err
		}
	}
}

func (t *tail) pause(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

func (t *tail) replaced() bool {
	mine, err := t.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(t.run.path)
	return err == nil && !os.SameFile(mine, there)
}
