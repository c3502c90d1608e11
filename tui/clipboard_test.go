//go:build unix

package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Inside tmux a copy goes to tmux, which is told to hand it on; an older tmux is given it all the same, and where it cannot
// arrive that is said. Elsewhere it goes to the terminal.
func TestClipboard(t *testing.T) {
	const text = "kubectl get pods -n shop\n"
	for name, c := range map[string]struct {
		tmux     string // a script in its place; "" for none on the path
		term     string
		inTmux   bool
		want     string // the note
		buffer   bool   // tmux has the text
		terminal bool   // the terminal was sent something
	}{
		"terminal":      {term: "xterm-256color", terminal: true},
		"screen":        {term: "screen", terminal: true},
		"tmux":          {tmux: `cat > "$OUT"`, inTmux: true, buffer: true},
		"old tmux":      {tmux: `test "$2" = - || exit 1; cat > "$OUT"`, inTmux: true, buffer: true, terminal: true, want: "copied to tmux alone"},
		"tmux refuses":  {tmux: "exit 3", inTmux: true, terminal: true, want: "tmux did not take the copy (exit status 3)"},
		"tmux not here": {inTmux: true, terminal: true, want: "tmux did not take the copy"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "buffer")
		t.Setenv("OUT", file)
		path := dir + ":/bin:/usr/bin"
		if c.tmux == "" {
			path = dir
		} else if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+c.tmux+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", path)
		var out strings.Builder
		board := clipboard{&out, func(key string) string {
			switch {
			case key == "TERM":
				return c.term
			case key == "TMUX" && c.inTmux:
				return "/tmp/tmux-0/default,1,0"
			}
			return ""
		}}
		if note := board.copy(text); !strings.HasPrefix(note, c.want) || (note == "") != (c.want == "") {
			t.Errorf("%s: %q", name, note)
		}
		if got, err := os.ReadFile(file); (err == nil && string(got) == text) != c.buffer {
			t.Errorf("%s: tmux has %q, %v", name, got, err)
		}
		if (out.Len() > 0) != c.terminal {
			t.Errorf("%s: the terminal was sent %q", name, out.String())
		}
	}
}
