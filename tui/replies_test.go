//go:build unix

package tui

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// read gives the reader its input in parts, each of which is there when it asks for more, and returns the keys of each
// Read and the answers told.
func read(t *testing.T, expecting bool, parts ...string) (keys []string, told []bool) {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	defer to.Close()
	feed := func() bool {
		if len(parts) == 0 {
			return false
		}
		_, err = to.WriteString(parts[0])
		parts = parts[1:]
		return err == nil
	}
	r := &replyReader{File: from, background: func(light bool) { told = append(told, light) }}
	r.more = func() bool { return expecting && feed() }
	for feed() {
		b := make([]byte, 256)
		n, err := r.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(b[:n]))
	}
	return keys, told
}

// An answer is taken out of the keys however it is ended, split and surrounded; everything else is keys.
func TestReplyReader(t *testing.T) {
	const white = "\x1b]11;rgb:ffff/ffff/ffff"
	for _, c := range []struct {
		in   string // its parts, parted by |
		keys string // of all reads
		told []bool
	}{
		{"jk", "jk", nil},
		{white + "\a", "", []bool{true}},
		{white + "\x1b\\", "", []bool{true}},
		{"\x1b]11;rgb:0000/0000/2222\a", "", []bool{false}},
		{"\x1b]11;rgba:ff/ff/ff/ff\a", "", []bool{true}},
		{"\x1b]11;#fffff0\a", "", []bool{true}},
		{"j" + white + "\ak", "jk", []bool{true}},
		{"j" + white + "\x1b\\\x1b[A", "j\x1b[A", []bool{true}},
		{white + "\a\x1b]11;rgb:0/0/0\a", "", []bool{true, false}},
		{"\x1b]11;rgb:ffff/|ffff/ffff\aj", "j", []bool{true}},
		{"\x1b]11;rgb:ffff/|ffff|/ffff|\x1b|\\j", "j", []bool{true}},
		{"j\x1b|]11;rgb:ffff/ffff/ffff\a", "j", []bool{true}},
		{"\x1b|]|1|1|;|rgb:ffff/ffff/ffff\a", "", []bool{true}},
		{white + "\x1b|[A", "\x1b[A", []bool{true}},
		{white + "\x1b[A", "\x1b[A", []bool{true}},
		{"\x1b", "\x1b", nil},
		{"\x1b]", "\x1b]", nil},
		{"\x1b]|12", "\x1b]12", nil},
		{"\x1b]1|\x1b[A", "\x1b]1\x1b[A", nil},
		{"\x1b]11;rgb:ff|q\r", "q\r", nil}, // it breaks off
		{"\x1b]11;" + strings.Repeat("f", 70) + "\r", "ffffff\r", nil},
		{"\x1b]11;rgb:zz/00/00\aj", "zz/00/00\aj", nil},
		{"\x1b]11;\aj", "j", nil},
		{"\x1b]11;rgb:/ff/\aj", "j", nil},
	} {
		keys, told := read(t, true, strings.Split(c.in, "|")...)
		if strings.Join(keys, "") != c.keys || !slices.Equal(told, c.told) {
			t.Errorf("%q: keys %q told %v, want %q %v", c.in, keys, told, c.keys, c.told)
		}
	}
}

// While no answer is expected an escape is a key at once; what begins as a whole is an answer even then.
func TestReplyReader_Late(t *testing.T) {
	keys, told := read(t, false, "\x1b", "j", "\x1b]", "\x1b]11;rgb:ff/", "ff/ff\a", "\x1b]11;#000\x1b", "\\j")
	if !slices.Equal(keys, []string{"\x1b", "j", "\x1b]", "", "", "", "j"}) || !slices.Equal(told, []bool{true, false}) {
		t.Errorf("keys %q told %v", keys, told)
	}
}

// Only a terminal that takes the question as one is asked.
func TestNewReplyReader(t *testing.T) {
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	defer ptm.Close()
	defer pts.Close()
	for name, want := range map[string]bool{"xterm": true, "": true, "dumb": false, "linux": false} {
		if got := newReplyReader(pts, pts, func(string) string { return name }); (got != nil) != want {
			t.Errorf("TERM=%s: %v", name, got != nil)
		}
	}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	defer to.Close()
	none := func(string) string { return "" }
	if newReplyReader(from, pts, none) != nil || newReplyReader(pts, to, none) != nil || newReplyReader(strings.NewReader(""), pts, none) != nil {
		t.Error("what is no terminal is asked")
	}
}

// readable says whether there is something to read, and takes nothing.
func TestReadable(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if readable(from, time.Millisecond) {
		t.Error("an empty pipe has something to read")
	}
	if _, err := to.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if !readable(from, time.Minute) || !readable(from, 0) {
		t.Error("a full pipe has nothing to read")
	}
}
