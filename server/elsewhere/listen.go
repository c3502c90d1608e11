package elsewhere

import (
	"compress/gzip"
	"io"
	"iter"
)

// A listener reads an answer while it passes. It runs as a coroutine of what writes the answer: never at the same time,
// and only until it has read what was written.
type listener struct {
	part []byte // of the answer, not read yet
	next func() (struct{}, bool)
	end  func() // of the answer: reads get io.EOF
}

// listen begins to read an answer, which is unpacked for the reader if it is packed.
func listen(packed bool, read func(answer io.Reader)) *listener {
	l := &listener{}
	l.next, l.end = iter.Pull(func(wait func(struct{}) bool) {
		var from io.Reader = waiting{l, wait}
		if packed {
			var err error
			if from, err = gzip.NewReader(from); err != nil {
				return
			}
		}
		read(from)
	})
	return l
}

// wrote lets the reader take a part.
func (l *listener) wrote(part []byte) {
	l.part = part
	l.next()
	l.part = nil // which is the caller's
}

// waiting is the answer as its reader gets it.
type waiting struct {
	*listener
	wait func(struct{}) bool
}

// Read fulfils io.Reader.
func (w waiting) Read(p []byte) (n int, err error) {
	for len(w.part) == 0 {
		if !w.wait(struct{}{}) {
			return 0, io.EOF
		}
	}
	n = copy(p, w.part)
	w.part = w.part[n:]
	return n, nil
}
