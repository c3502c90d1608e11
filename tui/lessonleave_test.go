package tui

import (
	"strings"
	"testing"

	"kubarium/tui/learn"
	"kubarium/tui/page"
)

// esc leaves a lesson half-way after asking, once nothing else is open; the strip says so at each size and in each state.
func TestUI_LessonLeave(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		for _, s := range []learn.State{toldStep, askedStep, yourStep, disturbedStep} {
			p := &fakePlayer{state: s}
			u := lessonUI(p, "", size[0], size[1])
			if out := u.screenText(); !strings.Contains(out, "esc leave") {
				t.Errorf("%v, %s: the strip does not say how to leave:\n%s", size, s.Phase, out)
			}
			u.keys("8", "/", "w", "enter", "esc")
			if u.Over != nil || u.lesson.Loaded == nil {
				t.Errorf("%v: esc left the lesson instead of the words", size)
			}
			u.keys("esc")
			out := u.screenText()
			if !strings.Contains(out, "Leave the lesson?") || !strings.Contains(out, "of 2 steps are done") {
				t.Fatalf("%v, %s: esc does not ask:\n%s", size, s.Phase, out)
			}
			u.keys("esc")
			if u.Over != nil || u.lesson.Loaded == nil {
				t.Errorf("%v: esc did not close the question", size)
			}
			u.keys("esc", "enter")
			if u.lesson.Loaded != nil || !strings.Contains(u.Toast.Text, "go on there") || p.State().Phase != s.Phase {
				t.Errorf("%v, %s: enter did not leave, or reset: %q", size, s.Phase, u.Toast.Text)
			}
			u.lesson.Open("lost-update")
			u.Relayout()
			u.keys("esc", "R")
			u.settle()
			if u.lesson.Loaded != nil || p.State().Phase != learn.Idle {
				t.Errorf("%v: R did not remove what the lesson made", size)
			}
		}
	}
}

// A lesson that has not begun, or is over, is left without a question; another layer is closed before.
func TestUI_LessonLeaveAtOnce(t *testing.T) {
	for _, phase := range []learn.Phase{learn.Idle, learn.Done, learn.Failed} {
		u := lessonUI(&fakePlayer{state: learn.State{Phase: phase, Done: 1}}, "", 120, 36)
		u.Show(page.Traffic)
		u.keys("esc")
		if u.lesson.Loaded != nil || u.Over != nil {
			t.Errorf("%s: esc asks, or does not leave", phase)
		}
	}
}

// The footer names only keys that the lesson takes in its state.
func TestUI_LessonHints(t *testing.T) {
	hints := func(s learn.State) string {
		u := lessonUI(&fakePlayer{state: s}, "", 120, 36)
		lines := strings.Split(strings.TrimRight(u.screenText(), "\n"), "\n")
		return lines[len(lines)-1]
	}
	for _, c := range []struct {
		of       learn.State
		has, not string
	}{
		{toldStep, "space go on", "answer"},
		{askedStep, "a or b answer", "space"},
		{yourStep, ". play it for me", "space"},
		{learn.State{Phase: learn.Failed, Done: 1}, "R begin again", "space"},
		{lastStep, "space next lesson", ". "},
	} {
		if got := hints(c.of); !strings.Contains(got, c.has) || strings.Contains(got, c.not) {
			t.Errorf("%s: the footer has no %q, or has %q: %s", c.of.Phase, c.has, c.not, got)
		}
	}
}

// After the user's own command the strip says that it was right, and what came of it.
func TestUI_LessonThatWasIt(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		s := toldStep
		s.Came = "PATCH deployments/pump by kubectl → 200"
		u := lessonUI(&fakePlayer{state: s}, "", size[0], size[1])
		out := strings.Join(strings.Fields(u.screenText()), " ")
		if !strings.Contains(out, "✓ that was it ·") || !strings.Contains(out, "✓ That was it: "+s.Came) ||
			strings.Contains(out, "paused") {
			t.Errorf("%v:\n%s", size, u.screenText())
		}
	}
}
