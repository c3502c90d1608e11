package tui

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	xterm "github.com/charmbracelet/x/term"
)

// backgroundQuery asks a terminal for its background colour (OSC 11). The answer begins as the question does.
const (
	backgroundQuery = "\x1b]11;?\x07"
	answerStart     = "\x1b]11;"
	longestAnswer   = 64
)

const (
	answerGap   = 25 * time.Millisecond // at most between the parts of an answer's start
	answerLimit = 5 * time.Second       // after this an escape is a key at once
)

// A replyReader is the terminal's input without its answers about the background, which it passes on. It stays a
// file, so that Bubble Tea can stop reading.
type replyReader struct {
	*os.File
	background func(light bool)
	more       func() bool // waits a moment for more input, and says whether there is some

	expected atomic.Int64 // until when an answer may come, in nanoseconds of Unix time
	within   bool         // what comes next belongs to an answer
	answer   []byte       // as far as it has come
	escaped  bool         // the answer ended with the escape of an ST, of which the other half may follow
}

// newReplyReader wraps the input, or returns nil where the terminal cannot be asked: the Linux console and a dumb
// terminal show the question as text, and so does the console of Windows before it is set up.
func newReplyReader(in io.Reader, out io.Writer, env func(string) string) *replyReader {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(in) || !isTerminal(out) || runtime.GOOS == "windows" || env("TERM") == "dumb" || env("TERM") == "linux" {
		return nil
	}
	r := &replyReader{File: f}
	r.more = func() bool { return time.Now().UnixNano() < r.expected.Load() && readable(f, answerGap) }
	return r
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(f.Fd())
}

// expect says that the question has been asked.
func (r *replyReader) expect() { r.expected.Store(time.Now().Add(answerLimit).UnixNano()) }

// Read reads keys. It returns none of them, and no error, if all that came was an answer.
func (r *replyReader) Read(b []byte) (int, error) {
	n, err := r.File.Read(b)
	for err == nil && n < len(b) && startsAnswer(b[:n]) && r.more() {
		var m int
		m, err = r.File.Read(b[n:])
		n += m
	}
	return r.keys(b[:n]), err
}

// startsAnswer reports whether b ends with what may be the beginning of an answer, but also a key: escape, or alt+].
func startsAnswer(b []byte) bool {
	for n := 1; n < len(answerStart); n++ {
		if bytes.HasSuffix(b, []byte(answerStart[:n])) {
			return true
		}
	}
	return false
}

// keys takes answers out of b, and returns how many bytes are left.
func (r *replyReader) keys(b []byte) int {
	left, rest := b[:0], b
	for {
		rest = r.finish(rest)
		before, after, found := bytes.Cut(rest, []byte(answerStart))
		left = append(left, before...)
		if !found {
			return len(left)
		}
		r.within, r.answer, rest = true, nil, after
	}
}

// finish takes the part of an answer from the front of b, and returns what comes after it. Bytes that no answer can
// have end it as well, so that a terminal that breaks off does not swallow keys.
func (r *replyReader) finish(b []byte) []byte {
	if r.escaped && len(b) > 0 {
		r.escaped = false
		b = bytes.TrimPrefix(b, []byte(`\`))
	}
	for i := 0; r.within && i < len(b); i++ {
		switch c := b[i]; {
		case c == '\a':
			r.tell()
			return b[i+1:]
		case c == '\x1b' && i+1 == len(b):
			r.tell()
			r.escaped = true
			return nil
		case c == '\x1b':
			r.tell()
			return bytes.TrimPrefix(b[i:], []byte("\x1b\\"))
		case len(r.answer) == longestAnswer || !strings.ContainsRune("rgba:#/0123456789abcdefABCDEF", rune(c)):
			r.within = false
			return b[i:]
		default:
			r.answer = append(r.answer, c)
		}
	}
	if r.within {
		return nil
	}
	return b
}

// tell passes on a complete answer.
func (r *replyReader) tell() {
	r.within = false
	if light, ok := readBackground(string(r.answer)); ok {
		r.background(light)
	}
}
