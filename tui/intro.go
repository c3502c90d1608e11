package tui

import (
	"os"
	"path/filepath"
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// An intro is the first-run card: where the API listens, what is on screen, and how to begin.
type intro struct{ u *ui }

func (i *intro) Key(_ term.Host, k string) {
	u := i.u
	u.Over = nil
	u.dismissIntro()
	switch {
	case k == "y" && u.ReadOnly == "":
		u.CopyText("the command", kubectlLine(u))
	case k == "space":
		if len(u.lesson.Lessons) > 0 && u.lesson.Open(u.lesson.Lessons[0].Name) {
			u.Relayout()
			u.lesson.Toggle() // begins it
		}
	case k == "q", k == "esc", k == "enter":
	default:
		u.key(k)
	}
}

// kubectlLine is a command to begin with.
func kubectlLine(u *ui) string { return "kubectl" + u.ServerFlag() + " get namespaces" }

func (i *intro) Draw(c *term.Canvas, screen term.Rect) {
	u := i.u
	w := min(screen.W-4, 74)
	if u.ReadOnly != "" {
		u.drawRecorded(c, screen, w)
		return
	}
	lines := []term.Line{
		{term.Plain.Of(u.T("A Kubernetes API server listens on ")), term.Accent.Of(u.URL), term.Plain.Of(".")},
		{term.Plain.Of(u.T("Type in another window (")), term.Key.Of("y"), term.Plain.Of(u.T(" copies it):"))},
		{term.Bold.Of("  " + kubectlLine(u))},
		nil,
	}
	lines = append(lines, term.WrapLines(term.Plain, u.T("Each request appears in the list while it happens; "+
		term.Pick(u.lay.panes[1].Empty(), "enter opens", "next to it is")+
		" the way it took through the server. 2 shows who watches."), w-4)...)
	lines = append(lines, nil)
	begin := u.beginKeys()
	if len(u.lesson.Lessons) > 0 {
		begin = append(term.Line{term.Key.Of("space"), term.Plain.Of(u.T(" begins the first lesson    "))}, begin...)
	}
	term.Box(c, screen, u.T("Kubarium: the Kubernetes API under glass"), append(lines, begin), w)
}

// drawRecorded is the card of a recording.
func (u *ui) drawRecorded(c *term.Canvas, screen term.Rect, w int) {
	lines := []term.Line{
		{term.Plain.Of(u.T("This is a recording of the server at ")), term.Accent.Of(u.URL), term.Plain.Of(".")},
		{term.Plain.Of(term.Pick(u.Past(), u.F("All pages show it as it was at its end, %s.", u.Now().Format(time.DateTime)),
			u.T("All pages show it as it was when it was last written.")))},
		nil,
	}
	lines = append(lines, term.WrapLines(term.Plain, u.T("Each request is in the list with the way it took through the server; "+
		"0 shows what mistakes clients made. Nothing can be changed."), w-4)...)
	term.Box(c, screen, u.T("Kubarium: the Kubernetes API under glass"), append(lines, nil, u.beginKeys()), w)
}

// beginKeys are the last line of a card.
func (u *ui) beginKeys() term.Line {
	return term.Line{term.Key.Of("?"), term.Plain.Of(u.T(" all keys    ")), term.Key.Of("enter"), term.Plain.Of(u.T(" begin"))}
}

// introFile is where it is kept that the first-run card was dismissed; "" keeps nothing.
func (u *ui) introFile() string {
	if u.StateDir == "" {
		return ""
	}
	return filepath.Join(u.StateDir, "intro-dismissed")
}

func (u *ui) introDismissed() bool {
	file := u.introFile()
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// dismissIntro remembers that the card was read. That it may be shown again is no reason to trouble anyone.
func (u *ui) dismissIntro() {
	file := u.introFile()
	if file == "" {
		return
	}
	u.Do(page.Work{Run: func() func() {
		if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
			_ = os.WriteFile(file, nil, 0o600)
		}
		return func() {}
	}})
}
