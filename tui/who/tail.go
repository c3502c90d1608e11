package who

import (
	"bytes"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kubarium/cells"
)

// A tail is the end of a file that may still grow, or the end of its first so many bytes.
type tail struct {
	lines []string // oldest first
	size  int64    // of the file, or its part
	whole bool     // the first line is the first one of the file
}

// How much of a file is read at once at first, and at most.
const (
	firstTail = 16 << 10
	mostTail  = 1 << 20
)

// readTail reads the last n lines of a file up to an offset; -1 is its end.
func readTail(path string, upTo int64, n int) (tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	if upTo < 0 {
		info, err := f.Stat()
		if err != nil {
			return tail{}, err
		}
		upTo = info.Size()
	}
	for room := int64(firstTail); ; room *= 4 {
		room = min(room, mostTail, upTo)
		text := make([]byte, room)
		read, err := f.ReadAt(text, upTo-room)
		if err != nil && read == 0 && room > 0 {
			return tail{}, err
		}
		lines := bytes.Split(bytes.TrimSuffix(text[:read], []byte("\n")), []byte("\n"))
		whole := room == upTo
		if len(lines) <= n && !whole && room < mostTail {
			continue
		}
		if !whole && len(lines) > 1 {
			lines = lines[1:] // its beginning is missing
		}
		if len(lines) > n {
			lines, whole = lines[len(lines)-n:], false
		}
		t := tail{size: upTo, whole: whole}
		for _, l := range lines {
			t.lines = append(t.lines, shown(string(l)))
		}
		if upTo == 0 {
			t.lines = nil
		}
		return t, nil
	}
}

// shown is a line as a terminal would show it: without escape sequences, with what came after the last carriage return.
func shown(s string) string {
	s = ansi.Strip(strings.TrimRight(s, "\r"))
	s = s[strings.LastIndexByte(s, '\r')+1:]
	return cells.Inert(strings.ReplaceAll(s, "\t", "    "))
}
