package tui

import (
	"net/http"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A staged is a player whose state a test sets, and which notes what it is asked to do.
type staged struct {
	fakePlayer
	calls []string
}

func (p *staged) Run() error   { p.calls = append(p.calls, "run"); return nil }
func (p *staged) Step() error  { p.calls = append(p.calls, "step"); return nil }
func (p *staged) Pause() error { p.calls = append(p.calls, "pause"); return nil }
func (p *staged) Reset() error { p.calls = append(p.calls, "reset"); return nil }

func (p *staged) called() string {
	s := strings.Join(p.calls, " ")
	p.calls = nil
	return s
}

// tell makes a step the present one, and says whether it is done.
func (p *staged) tell(phase learn.Phase, t learn.Telling) {
	p.told = append(p.told, t)
	p.set(learn.State{Phase: phase, Done: len(p.told), Telling: t})
}

// stagedUI is a ui with two lessons, of which the first is loaded.
func stagedUI(d *demo, w, h int) (u *ui, first, second *staged) {
	first, second = &staged{}, &staged{}
	first.told, second.told = []learn.Telling{}, []learn.Telling{}
	first.state, second.state = learn.State{Phase: learn.Idle}, learn.State{Phase: learn.Idle}
	u = fullUI(Options{Log: d.log, NoIntro: true, Now: (&clockwork{noon}).now, Scenario: "one", Lessons: []learn.Lesson{
		{Name: "one", Title: "The first lesson", Course: "Writing", Summary: "One.", Steps: []string{"A", "B", "C"}, Actors: []learn.Actor{{Name: "A", Role: "the first writer"}},
			Learned: "That one comes first.", Next: "two", Kubectl: " -s http://127.0.0.1:1234", Player: first, Changed: make(chan struct{}, 1)},
		{Name: "two", Title: "The second lesson", Course: "Deleting", Summary: "Two.", Steps: []string{"A"}, Player: second},
	}}, term.NewTheme("mono"))
	u.API.Transport = &fakeAPI{}
	u.resize(w, h)
	u.fold()
	return u, first, second
}

// marked publishes a request as a step of a lesson sends it.
func (d *demo) marked(f *flow.Flow, mark string) *flow.Flow {
	f.Client.UserAgent = flow.LessonAgent + "/A"
	f.RequestHeader = http.Header{scenarios.MarkHeader: {mark}}
	d.log.Publish(f)
	return f
}

func shows(p, pane, tab, mark string) learn.Telling {
	return learn.Telling{Narration: "Told " + mark + ".", Show: learn.Show{Page: p, Pane: pane, Tab: tab, Resource: "deployments.apps", Namespace: "default", Name: "web"}, Sent: learn.Sent{Actor: "A", Mark: mark}}
}

// Each step opens its page, pane and tab and selects its own request, whatever is filtered, pinned or frozen; a reader who goes
// elsewhere is left alone until the next step; and leaving the lesson gives back what was shown, with the filter.
func TestUI_LessonLeads(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 48}} {
		d := newDemo(flow.Limits{})
		d.story()
		u, p, _ := stagedUI(d, size[0], size[1])
		u.applyFilter("who:k1")
		u.keys("k", "p")
		pinned := u.Sel
		step := shows("traffic", "detail", "response", "one/1")
		step.Show.Resource = ""
		own := d.marked(d.request("A", "get", "deployments", "web", 200, 1), "one/1")
		d.log.Publish(d.request("A", "get", "deployments", "web", 200, 1)) // not of the step
		p.tell(learn.Paused, step)
		u.fold()
		u.guide.Follow()
		u.fold()
		if s := u.screenText(); u.Sel != own || u.filter.text != "" || u.frozen || !strings.Contains(s, "200 OK") || u.Front != page.Traffic || u.At != 1 {
			t.Fatalf("%v: step 1 shows #%d, filter %q, frozen %v:\n%s", size, u.Sel.Seq, u.filter.text, u.frozen, s)
		}
		if s := u.screenText(); size[0] >= page.WideWidth && !strings.Contains(s, "#17 A GET deployments/web → 200 ◀ here") {
			t.Errorf("%v: no mark where to look:\n%s", size, s)
		}
		p.tell(learn.Paused, shows("conflicts", "list", "", "one/2"))
		u.guide.Follow()
		refused := d.marked(d.refused(), "one/2") // comes after the step was told
		d.marked(d.refused(), "other/2")
		u.fold()
		if u.Front != page.Conflicts || u.Sel != refused || strings.Contains(u.screenText(), "mismatch") {
			t.Fatalf("%v: step 2 shows page %d, #%d:\n%s", size, u.Front, u.Sel.Seq, u.screenText())
		}
		u.keys("2")
		u.fold()
		if u.Front != page.Watches || strings.Contains(u.screenText(), "◀ here") {
			t.Errorf("%v: the reader was dragged back", size)
		}
		p.tell(learn.Paused, shows("versions", "list", "", "one/3"))
		u.fold()
		if s := u.screenText(); u.Front != page.Versions {
			t.Errorf("%v: step 3:\n%s", size, s)
		}
		u.keys(",")
		if u.Front != page.Conflicts || u.Sel != refused {
			t.Errorf("%v: looking back shows page %d", size, u.Front)
		}
		u.keys(".")
		if u.Front != page.Versions {
			t.Errorf("%v: coming forward shows page %d", size, u.Front)
		}
		p.set(learn.State{Phase: learn.Done, Done: 3, Telling: p.told[2]})
		u.fold()
		u.keys("esc")
		if u.lesson.Loaded != nil || u.Front != page.Traffic || u.At != 0 || u.filter.text != "who:k1" || u.Sel != pinned {
			t.Errorf("%v: given back: page %d, filter %q, #%d", size, u.Front, u.filter.text, u.Sel.Seq)
		}
	}
}

// The object of a step is opened at its tab.
func TestUI_LessonLeadsToObject(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, p, _ := stagedUI(d, 120, 36)
	p.tell(learn.Paused, shows("objects", "detail", "fields", "one/1"))
	u.guide.Follow()
	u.settle()
	u.settle()
	if s := u.screenText(); u.Front != page.Objects || u.objects().Object.Name() != "fields" || !strings.Contains(s, "deployments ▸ web") && !strings.Contains(s, "web") {
		t.Errorf("tab %s:\n%s", u.objects().Object.Name(), s)
	}
	if got := u.objects().ShownSubject(); got.Resource != "deployments.apps" || got.Name != "web" {
		t.Errorf("shows %+v", got)
	}
	u.keys("\\")
	if u.Front != page.Traffic {
		t.Error("hiding the lesson does not give the page back")
	}
	u.keys("\\")
	if u.Front != page.Objects {
		t.Error("showing it again does not lead again")
	}
}

// The watch, the list and the deletion of a step are selected on their pages.
func TestUI_LessonLeadsToRow(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	d.finalizers(2)
	d.chunks("k1", 2)
	u, p, _ := stagedUI(d, 120, 36)
	w := d.watch("C", "deployments", 4171)
	opened := d.marked(&flow.Flow{Start: d.at, Method: "GET", Path: "/w", Status: 200, Phase: flow.WatchOpened, Watch: w, Client: flow.Client{Tag: "C"}, Target: w.Target}, "one/1")
	d.watch("D", "pods", 4171)
	p.tell(learn.Paused, shows("watches", "list", "", "one/1"))
	u.fold()
	if s := u.screenText(); u.Front != page.Watches || !strings.Contains(s, "▸ C ") || opened.Seq == 0 {
		t.Errorf("the watch:\n%s", s)
	}
	deleted := u.deletes().Rows[0]
	going := shows("deletes", "list", "", "none")
	going.Show.Resource, going.Show.Namespace, going.Show.Name = deleted.Ref.Resource, deleted.Ref.Namespace, deleted.Ref.Name
	p.tell(learn.Paused, going)
	u.fold()
	if u.Front != page.Deletes || u.deletes().Selected() != deleted.Deletion {
		t.Errorf("the deletion:\n%s", u.screenText())
	}
}

// While it is the reader's turn, the screen says so with the command, which y copies with the server in it, and what came in its
// place; space does not play it, . does. The page stays with what comes.
func TestUI_LessonYourTurn(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 48}} {
		u, p, _ := stagedUI(newDemo(flow.Limits{}), size[0], size[1])
		const command = "kubectl create cm a --dry-run=client -o yaml | kubectl -n lesson-1 apply -f -"
		const named = "kubectl -s http://127.0.0.1:1234 create cm a --dry-run=client -o yaml | kubectl -s http://127.0.0.1:1234 -n lesson-1 apply -f -"
		t1 := learn.Telling{Narration: "You apply.", You: command, Sent: learn.Sent{Actor: "you"}}
		p.told = append(p.told, t1)
		wait := learn.State{Phase: learn.Waiting, Telling: t1, Await: &learn.Await{Command: command}}
		p.set(wait)
		u.fold()
		s := strings.Join(strings.Fields(u.screenText()), " ")
		if !strings.Contains(s, "▸ your turn") || !strings.Contains(s, "Your turn: "+named) || !strings.Contains(s, "Waiting for it") {
			t.Errorf("%v:\n%s", size, u.screenText())
		}
		u.keys("space")
		if u.settle(); p.called() != "" || !strings.Contains(u.Toast.Text, "y copies it") {
			t.Errorf("space: %q", u.Toast.Text)
		}
		u.keys("y")
		if copied := u.lastCopy(); copied != named {
			t.Errorf("copied %q", copied)
		}
		wait.Await = &learn.Await{Command: command, Came: "k1 sent a get of configmaps/a; this step wants an apply of configmaps/a"}
		p.set(wait)
		u.Dirty = true
		if s := strings.Join(strings.Fields(u.screenText()), " "); !strings.Contains(s, "✗ k1 sent a get of configmaps/a; this step wants an apply of configmaps/a. Still waiting.") {
			t.Errorf("%v came:\n%s", size, u.screenText())
		}
		u.keys(".")
		if u.settle(); p.called() != "step" {
			t.Error(". does not play it")
		}
	}
}

// What the lesson does by itself is shown at once: the UI listens, and listens again.
func TestUI_LessonChanged(t *testing.T) {
	u, p, _ := stagedUI(newDemo(flow.Limits{}), 120, 36)
	for round := range 2 {
		var heard *page.Listen
		for _, e := range u.settle() {
			if l, ok := e.(page.Listen); ok {
				heard = &l
			}
		}
		if heard == nil || heard.C != u.lesson.Loaded.Changed {
			t.Fatalf("round %d: nobody listens", round)
		}
		u.view()
		p.told = append(p.told, learn.Telling{})
		p.set(learn.State{Phase: learn.Paused, Done: round + 1, Telling: learn.Telling{Narration: strings.Repeat("It came. ", round+1)}})
		heard.Do()
		if s := u.screenText(); !strings.Contains(s, strings.TrimSpace(strings.Repeat("It came. ", round+1))) {
			t.Errorf("round %d:\n%s", round, s)
		}
	}
}

// Somebody else's write is told with who, what and which object, and the ways on work.
func TestUI_LessonNotice(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		d := newDemo(flow.Limits{})
		d.story()
		u, p, _ := stagedUI(d, size[0], size[1])
		p.told = append(p.told, learn.Telling{Narration: "A reads."})
		p.set(learn.State{Phase: learn.Paused, Done: 1, Telling: p.told[0], Notice: &learn.Notice{Who: "k1", Did: "patched", Object: "configmaps/tank and 2 more", Seq: 15}})
		u.fold()
		s := strings.Join(strings.Fields(u.screenText()), " ")
		for _, want := range []string{"! disturbed", "k1 patched configmaps/tank and 2 more, which belongs to this lesson", "space goes on", "R begins again", "w shows request #15", "A reads."} {
			if !strings.Contains(s, want) {
				t.Errorf("%v: %q is missing in\n%s", size, want, u.screenText())
			}
		}
		u.keys("w")
		if u.Sel == nil || u.Sel.Seq != 15 || u.Front != page.Traffic {
			t.Errorf("w shows %+v", u.Sel)
		}
		u.keys("space")
		if u.settle(); p.called() != "run" {
			t.Error("space does not go on")
		}
		u.keys("R")
		mustSee(t, u, "Begin the lesson again?")
	}
}

// Looking back pauses a lesson that goes on by itself, and space comes to the present before it plays.
func TestUI_LessonBackPauses(t *testing.T) {
	u, p, _ := stagedUI(newDemo(flow.Limits{}), 120, 36)
	u.keys(">", ">", "space")
	u.settle()
	p.told = append(p.told, learn.Telling{Narration: "First."}, learn.Telling{Narration: "Second."})
	p.set(learn.State{Phase: learn.Running, Done: 1, Telling: p.told[1]})
	p.called()
	if s := u.screenText(); !strings.Contains(s, "running ×1 · space pause") {
		t.Errorf("running:\n%s", s)
	}
	u.keys(",")
	if u.settle(); p.called() != "pause" || !strings.Contains(u.screenText(), "looking back · . forward") {
		t.Errorf("looking back:\n%s", u.screenText())
	}
	p.set(learn.State{Phase: learn.Paused, Done: 2, Telling: p.told[1]})
	u.keys("space")
	if u.settle(); p.called() != "" || !strings.Contains(u.screenText(), "Second.") {
		t.Errorf("space:\n%s", u.screenText())
	}
}

// The end says what was learned and which lesson is next; space loads and starts that one, from its beginning.
func TestUI_LessonEnd(t *testing.T) {
	for phase, want := range map[learn.Phase]string{learn.Idle: "run", learn.Done: "reset run"} {
		u, p, next := stagedUI(newDemo(flow.Limits{}), 80, 24)
		next.set(learn.State{Phase: phase})
		p.tell(learn.Done, learn.Telling{Narration: "The last words."})
		u.fold()
		s := strings.Join(strings.Fields(u.screenText()), " ")
		for _, want := range []string{"✓ done", "The last words.", "Learned: That one comes first.", "Next: The second lesson space goes there"} {
			if !strings.Contains(s, want) {
				t.Errorf("%q is missing in\n%s", want, u.screenText())
			}
		}
		u.keys("space")
		if u.settle(); u.lesson.Loaded.Name != "two" || next.called() != want || p.called() != "" {
			t.Errorf("%s: space loads %s", phase, u.lesson.Loaded.Name)
		}
		next.tell(learn.Done, learn.Telling{Narration: "All told."})
		u.Dirty = true
		mustSee(t, u, "This was the last lesson")
		u.keys("space")
		if u.settle(); next.called() != "" {
			t.Error("space goes on after the last lesson")
		}
	}
}

// Page 8 lists lessons course by course, with the roles of the actors, and / narrows it by words of titles, names, topics and states.
func TestUI_LessonSearch(t *testing.T) {
	u, p, _ := stagedUI(newDemo(flow.Limits{}), 120, 36)
	p.tell(learn.Done, learn.Telling{})
	u.keys("8")
	for _, want := range []string{"Writing", "1 of 1 done", "Deleting", "0 of 1 done", "A: the first writer", "kubarium --scenario one", "2 lessons"} {
		mustSee(t, u, want)
	}
	for words, want := range map[string]string{"second": "The second lesson", "deleting": "The second lesson", "two": "The second lesson", "new": "The second lesson", "done": "The first lesson"} {
		u.keys("/")
		for _, k := range strings.Split(words, "") {
			u.key(k)
		}
		u.keys("enter")
		s := u.screenText()
		list, _, _ := strings.Cut(s, "learn ·")
		if other := map[string]string{"The first lesson": "The second lesson", "The second lesson": "The first lesson"}[want]; !strings.Contains(list, want) || strings.Contains(list, other) || !strings.Contains(s, "1 of 2 lessons shown") {
			t.Errorf("/ %s:\n%s", words, s)
		}
		u.keys("esc")
		mustSee(t, u, "all lessons; words narrow them")
	}
	u.keys("/", "x", "y", "z", "enter")
	mustSee(t, u, "No lesson has these words.")
	u.keys("enter")
	if !strings.Contains(u.Toast.Text, "no lesson has these words") {
		t.Errorf("enter: %q", u.Toast.Text)
	}
	u.keys("*", "j", "enter")
	if u.lesson.Loaded.Name != "two" || !strings.Contains(u.screenText(), "space begin") {
		t.Errorf("enter loads %s", u.lesson.Loaded.Name)
	}
}

// However long a lesson's title and its actors' roles are, the strip says how it stands and how it goes on.
func TestUI_LessonLongNames(t *testing.T) {
	for n := range 80 {
		u, p, _ := stagedUI(newDemo(flow.Limits{}), 120, 36)
		u.lesson.Loaded.Title = strings.Repeat("x", n)
		p.tell(learn.Paused, learn.Telling{Narration: "Told.", Sent: learn.Sent{Actor: "A"}})
		u.fold()
		if s := u.screenText(); !strings.Contains(s, "▸ paused · space next step") {
			t.Fatalf("a title of %d letters:\n%s", n, s)
		}
	}
}

// The welcome card says that space begins the first lesson, and space does.
func TestUI_IntroBeginsLesson(t *testing.T) {
	p := &staged{}
	p.told, p.state = []learn.Telling{}, learn.State{Phase: learn.Idle}
	u := fullUI(Options{Log: newDemo(flow.Limits{}).log, Now: (&clockwork{noon}).now, Lessons: []learn.Lesson{{Name: "one", Title: "The first lesson", Steps: []string{"A"}, Player: p}}}, term.NewTheme("mono"))
	u.resize(80, 24)
	mustSee(t, u, "space begins the first lesson")
	u.keys("space")
	if u.settle(); p.called() != "run" || u.Over != nil {
		t.Error("space does not begin the lesson")
	}
	mustSee(t, u, "The first lesson")
}

// The mark where to look stands behind a title that is too long for its pane, and comes only with what is meant.
func TestUI_LessonMark(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, p, _ := stagedUI(d, 120, 36)
	step := shows("traffic", "detail", "response", "one/1")
	step.Show.Resource = ""
	p.tell(learn.Paused, step)
	u.fold()
	if s := u.screenText(); strings.Contains(s, "◀ here") {
		t.Errorf("before the request:\n%s", s)
	}
	d.marked(d.request("A", "get", "deployments", strings.Repeat("long-", 20), 404, 1), "one/1")
	u.fold()
	mustSee(t, u, "… ◀ here")
}

// A step of the page of lists that lists nothing, as a write between two chunks, is at once what there is to see.
func TestUI_LessonLeadsToLists(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, p, _ := stagedUI(d, 120, 36)
	d.chunks("k1", 2)
	d.marked(d.request("A", "delete", "deployments", "web", 200, 1), "one/1")
	p.tell(learn.Paused, shows("lists", "list", "", "one/1"))
	u.fold()
	if u.Front != page.Lists {
		t.Errorf("shows page %d", u.Front)
	}
	mustSee(t, u, "lists ◀ here")
}
