package page

import (
	"os"
	"path/filepath"
	"strings"

	"kubarium/tui/body"
	"kubarium/tui/term"
)

// OfferLong offers what to do with text that is too long for a terminal's clipboard.
func (e *Env) OfferLong(what, s string) {
	e.Over = &term.Menu{
		Title: e.F("%s: %s", what, term.BytesText(int64(len(s)))),
		Text:  []string{"That is more than terminals take over their clipboard."},
		Items: []term.Item{
			{Key: "w", Label: "write it to a file", Do: func() { e.writeLong(what, s) }},
			{Key: "v", Label: "view it here, for the mouse to select", Do: func() {
				e.Over = &term.Reader{Title: what, Lines: func(w int) []term.Line { return body.Plain([]byte(s), w) }}
			}},
		},
	}
}

// writeLong writes text to a new file, and says where.
func (e *Env) writeLong(what, s string) {
	e.Keep(what, "", strings.NewReplacer(" ", "-", "#", "").Replace(what)+".txt", s)
}

// Keep writes text to a new file, off the loop, and shows the file's name and why, unless that is "". Only the user may
// read the file: the text may have secrets.
func (e *Env) Keep(what, why, file, s string) {
	dir := e.StateDir
	if dir == "" {
		dir = os.TempDir()
	}
	if why != "" {
		why = "; " + why
	}
	ext := filepath.Ext(file)
	e.Do(Work{func() func() {
		name, err := writeNew(filepath.Join(dir, "copies"), strings.TrimSuffix(file, ext)+"-*"+ext, s)
		return func() {
			if err != nil {
				e.Say("write %s: %s%s", what, err, why)
				return
			}
			e.Say("%s is in %s%s", what, name, why)
		}
	}})
}

// writeNew writes a file of a new name and returns the name.
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
