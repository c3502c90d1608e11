package tui

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A fakePlayer is a lesson of two steps.
type fakePlayer struct {
	mu    sync.Mutex // guards state
	state learn.State
	speed float64
	told  []learn.Telling
}

func (p *fakePlayer) set(s learn.State) { p.mu.Lock(); p.state = s; p.mu.Unlock() }
func (p *fakePlayer) Run() error {
	p.set(learn.State{Phase: learn.Running, Telling: learn.Telling{Narration: "A writes."}})
	return nil
}
func (p *fakePlayer) Pause() error { p.set(learn.State{Phase: learn.Paused}); return nil }
func (p *fakePlayer) Reset() error { p.set(learn.State{Phase: learn.Idle}); return nil }
func (p *fakePlayer) State() learn.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *fakePlayer) Answer(choice string) {
	p.mu.Lock()
	p.state.Answer, p.state.Phase = choice, learn.Paused
	p.mu.Unlock()
}
func (p *fakePlayer) SetSpeed(times float64) { p.speed = times }
func (p *fakePlayer) Told() []learn.Telling {
	if p.told != nil {
		return p.told
	}
	return []learn.Telling{{Narration: "First A reads."}, {Narration: "Then A writes."}}
}

func (p *fakePlayer) Step() error {
	p.set(learn.State{Phase: learn.Failed, Done: 1, Problem: "expected 409, got 200"})
	return errors.New("step 2 failed")
}

// A lesson is loaded from its page, runs, pauses, fails with its reason on the strip, and is reset only after asking.
func TestUI_Lesson(t *testing.T) {
	d := newDemo(flow.Limits{})
	p := &fakePlayer{state: learn.State{Phase: learn.Idle}}
	u := fullUI(Options{Log: d.log, NoIntro: true, Now: (&clockwork{noon}).now,
		Lessons: []learn.Lesson{{Name: "lost-update", Title: "Lost update", Summary: "Two writers.", Steps: []string{"A writes", "B writes"}, Lacks: lacksCompaction, Player: p}}}, term.NewTheme("mono"))
	u.resize(120, 36)
	u.fold()
	u.keys("8")
	if s := u.screenText(); !strings.Contains(s, "Two writers.") {
		t.Errorf("Learn:\n%s", s)
	}
	u.keys("enter", "space")
	u.settle()
	if s := u.screenText(); !strings.Contains(s, "running") || !strings.Contains(s, "A writes.") || u.Front != page.Traffic {
		t.Errorf("running:\n%s", s)
	}
	u.keys("space")
	u.settle()
	if !strings.Contains(u.screenText(), "paused") {
		t.Error("not paused")
	}
	u.keys(".")
	u.settle()
	if s := u.screenText(); !strings.Contains(s, "expected 409, got 200") || !strings.Contains(s, "✗ failed") {
		t.Errorf("failed:\n%s", s)
	}
	u.keys("R")
	if p.State().Phase != learn.Failed {
		t.Error("reset without asking")
	}
	u.keys("R")
	u.settle()
	if p.State().Phase != learn.Idle {
		t.Error("not reset")
	}
	u.keys("\\")
	if strings.Contains(u.screenText(), "Lost update ·") {
		t.Error("the strip is not hidden")
	}
}

// lessonUI is a ui with the lesson of a player loaded.
func lessonUI(p learn.Player, dir string, w, h int) *ui {
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, NoIntro: true, Now: (&clockwork{noon}).now, StateDir: dir, Scenario: "lost-update",
		Lessons: []learn.Lesson{{Name: "lost-update", Title: "Lost update", Summary: "Two writers.", Steps: []string{"A writes", "B writes"}, Lacks: lacksCompaction, Player: p}}}, term.NewTheme("mono"))
	u.resize(w, h)
	u.fold()
	return u
}

// A question of a lesson takes the keys of its choices, does not give its answer away before, and tells afterwards.
func TestUI_LessonQuestion(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 48}} {
		ask := &learn.Question{Ask: "What does B get?", Choices: []string{"200", "409"}, Right: "409"}
		p := &fakePlayer{state: learn.State{Phase: learn.Waiting, Done: 1, Question: ask, Telling: learn.Telling{Narration: "B gets a 409."}}}
		u := lessonUI(p, "", size[0], size[1])
		s := u.screenText()
		if !strings.Contains(s, "? What does B get?") || !strings.Contains(s, "b 409") && !strings.Contains(s, "b  409") || strings.Contains(s, "B gets a 409.") {
			t.Errorf("%v asks:\n%s", size, s)
		}
		u.keys("space")
		if !strings.Contains(u.Toast.Text, "waits for your answer") {
			t.Errorf("space: %q", u.Toast.Text)
		}
		u.keys("a")
		given := p.State().Answer
		u.settle()
		p.set(learn.State{Phase: learn.Paused, Done: 2, Question: ask, Answer: given, Telling: learn.Telling{Narration: "B gets a 409."}})
		if s := u.screenText(); !strings.Contains(s, "You said 200; it is 409.") {
			t.Errorf("%v answered:\n%s", size, s)
		}
		if u.traffic().Inspector.Format != body.JSON {
			t.Error("b went to the body format")
		}
		u.keys("b")
		if u.traffic().Inspector.Format == body.JSON {
			t.Error("without a question b is the key of the body format")
		}
	}
}

// Looking back shows what was told before, and . comes forward without playing anything. Paces have their names and ends.
func TestUI_LessonBackAndSpeed(t *testing.T) {
	p := &fakePlayer{state: learn.State{Phase: learn.Paused, Done: 2, Telling: learn.Telling{Narration: "Then A writes."}}}
	u := lessonUI(p, "", 120, 36)
	u.keys(",", ",")
	if s := u.screenText(); !strings.Contains(s, "(1 back) First A reads.") {
		t.Errorf("back:\n%s", s)
	}
	u.keys(".")
	u.settle()
	if s := u.screenText(); !strings.Contains(s, "Then A writes.") || p.State().Phase != learn.Paused {
		t.Errorf("forward:\n%s", s)
	}
	if !strings.Contains(u.screenText(), "pace wait") || p.speed != 0 {
		t.Errorf("at first, speed %g:\n%s", p.speed, u.screenText())
	}
	for range 2 {
		if u.keys(">"); p.speed != 1 || !strings.Contains(u.screenText(), "pace ×1") {
			t.Errorf("speed %g", p.speed)
		}
	}
	for range 2 {
		if u.keys("<"); p.speed != 0 || !strings.Contains(u.screenText(), "pace wait") {
			t.Errorf("speed %g", p.speed)
		}
	}
}

// lastCopy is what was copied last; "" for nothing.
func (u *ui) lastCopy() string {
	copied := ""
	for _, e := range u.settle() {
		if c, ok := e.(page.Copy); ok {
			copied = c.Text
		}
	}
	return copied
}

// At every usual size the strip of a lesson has all the words of a step, on no more than a third of the screen, and its
// command can be copied whole.
func TestUI_LessonWords(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 48}} {
		p := &fakePlayer{state: toldStep, told: []learn.Telling{{}, longest}}
		u := lessonUI(p, "", size[0], size[1])
		s := strings.Join(strings.Fields(u.screenText()), " ")
		for _, want := range []string{longest.Narration, "Look at: " + longest.LookAt, "You: " + longest.You} {
			if !strings.Contains(s, want) {
				t.Errorf("%v: %q is missing in\n%s", size, want, u.screenText())
			}
		}
		if h := u.lay.lesson.H; h > size[1]/3 {
			t.Errorf("%v: the strip takes %d lines", size, h)
		}
		u.keys("y", "u")
		if copied := u.lastCopy(); copied != longest.You {
			t.Errorf("%v: copied %q", size, copied)
		}
	}
}

// L tells a step whole where the strip can not, and plays on from there.
func TestUI_LessonPage(t *testing.T) {
	long := learn.Telling{Narration: strings.Repeat("A long story. ", 40) + "Finis.", You: "kubectl get pods"}
	p := &fakePlayer{state: learn.State{Phase: learn.Paused, Done: 2, Telling: long}, told: []learn.Telling{{Narration: "Before."}, long}}
	u := lessonUI(p, "", 80, 24)
	u.lesson.Loaded.Kubectl = " -s http://127.0.0.1:1234"
	if s := u.screenText(); strings.Contains(s, "Finis.") || !strings.Contains(s, "You: kubectl -s http://127.0.0.1:1234 get pods") {
		t.Errorf("the strip:\n%s", s)
	}
	u.keys("L")
	if s := u.screenText(); !strings.Contains(s, "Finis.") || !strings.Contains(s, "2/2 B writes") {
		t.Errorf("the page:\n%s", s)
	}
	u.keys("y")
	if copied := u.lastCopy(); copied != "kubectl -s http://127.0.0.1:1234 get pods" {
		t.Errorf("copied %q", copied)
	}
	u.keys(",")
	if s := u.screenText(); !strings.Contains(s, "(1 back) Before.") || !strings.Contains(s, "1/2 A writes") {
		t.Errorf("back:\n%s", s)
	}
	u.keys(".", ".")
	u.settle()
	if p.State().Phase != learn.Failed || !strings.Contains(u.screenText(), "expected 409, got 200") {
		t.Errorf("a step:\n%s", u.screenText())
	}
	u.keys("L")
	if u.Over != nil {
		t.Error("L does not close the page")
	}
}

// How a lesson ended is kept over restarts; one that was never played to an end is new.
func TestUI_LessonProgress(t *testing.T) {
	dir := t.TempDir()
	u := lessonUI(&fakePlayer{state: learn.State{Phase: learn.Idle}}, dir, 120, 36)
	u.keys("8")
	u.settle()
	mustSee(t, u, "! It needs the compaction on demand")
	if s := u.screenText(); !strings.Contains(s, "○ Lost update") || !strings.Contains(s, "new") {
		t.Errorf("new:\n%s", s)
	}
	u.keys(".")
	u.settle()
	u.settle()
	u = lessonUI(&fakePlayer{state: learn.State{Phase: learn.Idle}}, dir, 120, 36)
	u.keys("8")
	if s := u.screenText(); !strings.Contains(s, "✗ Lost update") || !strings.Contains(s, "failed") {
		t.Errorf("failed before:\n%s", s)
	}
}

// lacksCompaction is what a lesson needs that the server does not have.
func lacksCompaction() (string, error) {
	return "needs the compaction on demand of Kubarium (/debug/compact), which this server does not serve", nil
}

// What a lesson needs is said in words, in the list and next to it, once it is known that the server lacks it.
func TestUI_LessonNeeds(t *testing.T) {
	u := lessonUI(&fakePlayer{state: learn.State{Phase: learn.Idle}}, "", 120, 36)
	u.keys("8")
	if s := u.screenText(); strings.Contains(s, "needs") {
		t.Errorf("a need is shown that is not known to be missing:\n%s", s)
	}
	u.settle()
	if s := u.screenText(); !strings.Contains(s, "needs the comp") || !strings.Contains(s, "! It needs the compaction on demand") {
		t.Errorf("it does not say what is missing:\n%s", s)
	}
	u.lesson.Lessons[0].Lacks = func() (string, error) { return "", nil }
	u.keys("1", "8")
	u.settle()
	if s := u.screenText(); strings.Contains(s, "needs") {
		t.Errorf("a need that is met is shown:\n%s", s)
	}
}
