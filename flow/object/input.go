package object

import (
	"io"
	"strings"
)

// An input is a window on a text that comes in parts: what was read is forgotten.
type input struct {
	from io.Reader
	held []byte // from at on it is not read yet
	at   int
	over bool // no more comes
}

const (
	window = 64 << 10 // bytes, as a rule
	// mostHeld bounds the window, and with it an item of a list, in bytes. A server's requests are bounded by 3 MiB.
	mostHeld = 8 << 20
)

// rest is what is not read yet of what came.
func (in *input) rest() []byte { return in.held[in.at:] }

// more doubles what is not read yet, so that looking at it again from its beginning costs twice as much at most. It
// reports whether anything came.
func (in *input) more() bool {
	rest := in.rest()
	if in.over || len(rest) >= mostHeld {
		return false
	}
	if size := min(max(window, 2*len(rest)), mostHeld); size > cap(in.held) {
		in.held = make([]byte, size)
	}
	in.held = in.held[:cap(in.held)]
	known := copy(in.held, rest)
	room := in.held[known:]
	n, err := io.ReadAtLeast(in.from, room, min(max(known, 1), len(room)))
	in.held, in.at, in.over = in.held[:known+n], 0, err != nil
	return n > 0
}

// peek is the first byte of what comes next in JSON, after spaces; 0 at the end.
func (in *input) peek() byte {
	for {
		in.at += space(in.rest(), 0)
		if rest := in.rest(); len(rest) > 0 {
			return rest[0]
		}
		if !in.more() {
			return 0
		}
	}
}

// take passes over a byte of JSON's punctuation, if it comes next.
func (in *input) take(c byte) bool {
	is := in.peek() == c
	if is {
		in.at++
	}
	return is
}

// value is the JSON value that comes next, until more is read; nil for none, and for one whose end does not come.
func (in *input) value() []byte {
	first := in.peek()
	if first == 0 || strings.IndexByte(",:]}", first) >= 0 {
		return nil
	}
	closes := strings.IndexByte(`"{[`, first) >= 0 // by itself, where numbers end at what comes next
	for {
		rest := in.rest()
		if end := value(rest, 0); end > 0 && (closes || end < len(rest)) {
			in.at += end
			return rest[:end]
		}
		if !in.more() {
			return nil
		}
	}
}

// bytes are the next size bytes, until more is read; nil if there are not so many.
func (in *input) bytes(size int) []byte {
	for len(in.rest()) < size {
		if size > mostHeld || !in.more() {
			return nil
		}
	}
	in.at += size
	return in.held[in.at-size : in.at : in.at]
}
