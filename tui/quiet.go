package tui

import (
	"os"
	"path/filepath"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// The screen is quiet until the reader has finished a lesson, and where they want it so: one row of header, one of
// tabs, one of keys. The rest comes by itself where it says something. The choice is kept in a file of StateDir.
const (
	screenFile = "screen"
	lessWord   = "less"
	moreWord   = "more"
)

// readScreen reads what the reader has chosen; "" for nothing.
func readScreen(dir string) string {
	if dir == "" {
		return ""
	}
	b, _ := os.ReadFile(filepath.Join(dir, screenFile))
	if s := strings.TrimSpace(string(b)); s == lessWord || s == moreWord {
		return s
	}
	return ""
}

// beginQuiet says what the screen begins with.
func (u *ui) beginQuiet() {
	choice := readScreen(u.StateDir)
	u.chosen = choice != ""
	u.quiet = choice == lessWord || choice == "" && !u.lesson.Finished()
}

// toggleQuiet shows more or less, and remembers it.
func (u *ui) toggleQuiet() {
	u.quiet, u.chosen = !u.quiet, true
	u.Relayout()
	u.Say("%s", term.Pick(u.quiet, "less on the screen: what matters comes by itself; Q shows more",
		"more on the screen: the axis of versions, rates, further keys; Q shows less"))
	dir, word := u.StateDir, term.Pick(u.quiet, lessWord, moreWord)
	if dir == "" {
		return
	}
	u.Do(page.Work{Run: func() func() {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, screenFile), []byte(word+"\n"), 0o600)
		}
		return func() {
			if err != nil {
				u.Say("the choice is not kept: %s", err)
			}
		}
	}})
}

// outgrow shows more once the reader has finished a lesson and left it, unless they have chosen.
func (u *ui) outgrow() {
	if u.quiet && !u.chosen && !u.lesson.Playing() && u.lesson.Finished() {
		u.quiet = false
		u.Say("a lesson is done, so there is more on the screen now; Q shows less")
	}
}

// axisRows is how many rows the axis of versions takes where there is room: on a quiet screen one, for a lesson, which
// may point at it, and for a moment of the past.
func (u *ui) axisRows() int {
	switch {
	case !u.quiet:
		return 3
	case u.lesson.Playing() || u.past():
		return 1
	}
	return 0
}

// filters reports whether the line of the filter is on the screen.
func (u *ui) filters() bool {
	if !u.quiet {
		return true
	}
	if p, ok := u.page().(page.Narrower); ok {
		return p.Narrowed() || u.typist() != nil
	}
	return u.filter.edit != nil || u.filter.text != ""
}
