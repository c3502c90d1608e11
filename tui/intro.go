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
		{term.Plain.Of("A Kubernetes API server listens on "), term.Accent.Of(u.URL), term.Plain.Of(".")},
		{term.Plain.Of("Type in another window ("), term.Key.Of("y"), term.Plain.Of(" copies it):")},
		{term.Bold.Of("  " + kubectlLine(u))},
		nil,
	}
	way := term.Pick(u.lay.panes[1].Empty(), "enter opens", "next to it is")
	lines = append(lines, term.WrapLines(term.Plain, "Each request appears in the list while it happens; "+way+" the way it took through the server. 2 shows who watches.", w-4)...)
	lines = append(lines, nil)
	begin := term.Line{term.Key.Of("?"), term.Plain.Of(" all keys    "), term.Key.Of("enter"), term.Plain.Of(" begin")}
	if len(u.lesson.Lessons) > 0 {
		begin = append(term.Line{term.Key.Of("space"), term.Plain.Of(" begins the first lesson    ")}, begin...)
	}
	term.Box(c, screen, "Kubarium: the Kubernetes API under glass", append(lines, begin), w)
}

// drawRecorded is the card of a recording.
func (u *ui) drawRecorded(c *term.Canvas, screen term.Rect, w int) {
	lines := []term.Line{
		{term.Plain.Of("This is a recording of the server at "), term.Accent.Of(u.URL), term.Plain.Of(".")},
		{term.Plain.Of("All pages show it as it was "), term.Plain.Of(term.Pick(u.Past(), "at its end, "+u.Now().Format(time.DateTime)+".", "when it was last written."))},
		nil,
	}
	lines = append(lines, term.WrapLines(term.Plain, "Each request is in the list with the way it took through the server; 9 shows what mistakes clients made. Nothing can be changed.", w-4)...)
	term.Box(c, screen, "Kubarium: the Kubernetes API under glass", append(lines, nil, term.Line{term.Key.Of("?"), term.Plain.Of(" all keys    "), term.Key.Of("enter"), term.Plain.Of(" begin")}), w)
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
