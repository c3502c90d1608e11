package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// offerLong offers what to do with text that is too long for a terminal's clipboard.
func (u *env) offerLong(what, s string) {
	u.over = &menu{
		title: fmt.Sprintf("%s: %s", what, bytesText(int64(len(s)))),
		text:  []string{"That is more than terminals take over their clipboard."},
		items: []item{
			{key: "w", label: "write it to a file", do: func() { u.writeLong(what, s) }},
			{key: "v", label: "view it here, for the mouse to select", do: func() {
				u.over = &reader{title: what, lines: func(w int) []line { return plainLines([]byte(s), w) }}
			}},
		},
	}
}

// writeLong writes text to a new file of its own, off the loop, and says where. Only its user may read it: it may hold
// what is secret.
func (u *env) writeLong(what, s string) {
	dir := u.stateDir
	if dir == "" {
		dir = os.TempDir()
	}
	pattern := strings.NewReplacer(" ", "-", "#", "").Replace(what) + "-*.txt"
	u.do(workEffect{func() func() {
		name, err := writeNew(filepath.Join(dir, "copies"), pattern, s)
		return func() {
			if err != nil {
				u.say("write %s: %s", what, err)
				return
			}
			u.say("%s is in %s", what, name)
		}
	}})
}

// writeNew writes a file that was not there before and returns its name.
func writeNew(dir, pattern, s string) (name string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, pattern) // for its user alone, 0600
	if err != nil {
		return "", err
	}
	if _, err := f.WriteString(s); err != nil {
		f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}
