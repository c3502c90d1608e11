package tui

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// whole is a run with something on each page: two writers, watches, conflicts, a deletion in two phases, and lists in chunks.
func whole() *demo {
	d := newDemo(flow.Limits{})
	d.story()
	d.clashes()
	d.finalizers(1)
	d.chunks("k1", 3)
	d.write("A", "update", flow.Updated, "web", 9)
	d.watch("late", "deployments", d.rv)
	d.finalizers(3)
	return d
}

// goingTo is the UI of a run at a version.
func goingTo(t *testing.T, u *ui, revision int64) {
	t.Helper()
	u.goToNamed(fmt.Sprint(revision))
	u.settle()
	if u.at() != revision {
		t.Fatalf("at rv %d instead of %d: %q", u.at(), revision, u.Toast.Text)
	}
}

// Each page has what had happened at a moment, and no more: watches that opened later, conflicts, deletions and lists that came later
// are not there yet.
func TestMoment_Pages(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	head := u.Time.Head
	seen := map[string][]string{}
	for rv := int64(4171); rv < head; rv++ {
		goingTo(t, u, rv)
		for id, what := range map[string]int{"1": len(u.traffic().Passed), "2": len(u.Streams.All), "5": u.pages[page.Conflicts].(page.Counter).Count().All, "6": u.deletes().Open(), "3": u.pages[page.Lists].(page.Counter).Count().All} {
			seen[id] = append(seen[id], fmt.Sprint(what))
		}
		for _, c := range u.Time.Commits {
			if c.Revision > rv {
				t.Fatalf("rv %d: there is a commit of rv %d", rv, c.Revision)
			}
		}
		for _, f := range u.traffic().Passed {
			if f.Revision > rv {
				t.Fatalf("rv %d: #%d tells of rv %d", rv, f.Seq, f.Revision)
			}
		}
	}
	for id, want := range map[string]string{
		"2": "2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 3 3 3 3",
		"5": "0 0 0 0 0 1 1 1 5 6 7 7 7 7 7 7 7 7 7 7",
		"6": "0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1",
		"3": "0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1",
	} {
		if have := strings.Join(seen[id], " "); have != want {
			t.Errorf("page %s: %s, want %s", id, have, want)
		}
	}
	for i := 1; i < len(seen["1"]); i++ {
		if len(seen["1"][i]) < len(seen["1"][i-1]) {
			t.Errorf("requests go away: %v", seen["1"])
		}
	}
	u.keys("G")
	if u.past() || len(u.Streams.All) != 3 {
		t.Errorf("G leads to rv %d", u.at())
	}
}

// middle is the screen without what tells of the moment itself: the header, the strip, and what keys do.
func middle(u *ui) string {
	u.Toast = page.Toast{}
	u.Dirty = true
	u.view() // what is on the screen has been seen
	u.Dirty = true
	lines := strings.Split(u.screenText(), "\n")
	var out []string
	for y, l := range lines {
		r := u.lay.strip
		if y > 0 && (y < r.Y || y >= r.Y+r.H) && y < u.h-2 {
			out = append(out, strings.TrimRight(l, " "))
		}
	}
	return strings.Join(out, "\n")
}

// atHead are the words in which the moment of the newest version differs from the present.
var atHead = regexp.MustCompile(`┃then|┃head|was answered at rv \d+|is answered now|◉ open( at rv \d+)?|since the UI started( up to rv \d+)?|─+|  +`)

// At the moment of the newest version the pages are as they are without a moment, wherever the reader is on them.
func TestMoment_HeadIsThePresent(t *testing.T) {
	keys := []string{"1", "2", "3", "4", "5", "6", "9", "j", "j", "k", "k", "enter", "esc", "tab", "]", "[", "g", "t", "F", "s", "z"}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := newDemo(flow.Limits{})
		for _, part := range random.Perm(6) {
			[]func(){d.story, d.clashes, d.overwrite, func() { d.finalizers(1 + random.IntN(3)) }, func() { d.chunks("k1", 3) }, d.cascade}[part]()
		}
		size := [][2]int{{120, 36}, {80, 24}, {200, 60}}[seed%3]
		u, _ := testUI(d, "mono", size[0], size[1])
		u.ReadOnly = "nothing is offered that can be done now alone"
		u.settle()
		for step := range 40 {
			k := keys[random.IntN(len(keys))]
			u.keys(k)
			u.settle()
			u.Over = nil
			now := middle(u)
			if u.Over != nil || u.past() {
				continue
			}
			at, _ := u.Time.Around(u.Time.Head)
			u.show(&page.Moment{Revision: at.Revision, At: noon, Run: u.live.Time})
			u.settle()
			then := middle(u)
			if a, b := atHead.ReplaceAllString(now, ""), atHead.ReplaceAllString(then, ""); a != b {
				t.Fatalf("seed %d, step %d, after %s on page %d:\n%s\nat rv %d:\n%s", seed, step, k, u.Front, now, at.Revision, then)
			}
			u.toNow()
			u.settle()
			if again := middle(u); again != now {
				t.Fatalf("seed %d, step %d, after %s on page %d:\n%s\nback again:\n%s", seed, step, k, u.Front, now, again)
			}
		}
	}
}

// The header and the strip say which moment it is, and that the run goes on; new requests do not move the pages.
func TestMoment_RunGoesOn(t *testing.T) {
	d := whole()
	u, c := testUI(d, "mono", 120, 36)
	u.keys("{", "{")
	head := u.live.Time.Head
	mustSee(t, u, fmt.Sprintf("PAST rv %d", head-2), "2 versions ago", fmt.Sprintf("now rv %d", head), "G back to now", "◆")
	was := middle(u)
	c.at = c.at.Add(time.Second)
	d.at = c.at
	for range 10 {
		d.write("C", "update", flow.Updated, "web", 3)
	}
	u.fold()
	mustSee(t, u, fmt.Sprintf("PAST rv %d", head-2), "12 versions ago", fmt.Sprintf("now rv %d", head+10), "10 req/s")
	if now := middle(u); now != was {
		t.Errorf("the pages moved:\n%s\nwas\n%s", now, was)
	}
	u.keys("G")
	if u.past() || u.Time.Head != head+10 || !u.Follow || u.Sel.Client.Tag != "C" {
		t.Errorf("back to rv %d, #%d", u.Time.Head, u.Sel.Seq)
	}
	mustSee(t, u, "LIVE")
}

// { and } go from version to version, on Versions to those of the chosen object, and behind the last is the present.
func TestMoment_Keys(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	head := u.Time.Head
	at := func(want int64) {
		t.Helper()
		if u.at() != want {
			t.Fatalf("at rv %d, want %d: %q", u.at(), want, u.Toast.Text)
		}
	}
	u.keys("}")
	at(head)
	u.keys("{", "{", "{")
	at(head - 3)
	u.keys("}", "}")
	at(head - 1)
	u.keys("}")
	at(head)
	if u.past() {
		t.Error("the newest version is not the present")
	}
	u.keys("{", "esc")
	at(head)
	u.keys("5", "{", "q")
	at(head)
	if u.Front != page.Conflicts {
		t.Errorf("q left the page with the past: %d", u.Front)
	}
	pods := int64(0)
	for _, c := range u.Time.Commits {
		if c.Name == "db-0" && c.Revision < head {
			pods = c.Revision
		}
	}
	u.keys("4")
	for i := 0; i < 9 && u.versions().Lanes[max(0, u.versions().At())].Of.Name != "db-0"; i++ {
		u.keys("j")
	}
	u.keys("{")
	at(pods)
	u.keys("G")
	u.keys("{", "p")
	if u.frozen || !strings.Contains(u.Toast.Text, "nothing moves: this is a moment of the past") {
		t.Errorf("p in the past: %q", u.Toast.Text)
	}
	for range 100 {
		u.keys("1", "{")
	}
	at(4171)
	if !strings.Contains(u.Toast.Text, "no older version") {
		t.Error(u.Toast.Text)
	}
}

// What is no version that can be shown is said to be so in a line, and changes nothing.
func TestMoment_Refused(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	for _, before := range []string{"now", "4175"} {
		u.goToNamed(before)
		was, screen := u.Moment, middle(u)
		for typed, want := range map[string]string{
			"x": `"x" is no number`, "": `"" is no number`, "4175.5": "is no number", "-3": "numbers from 1 on", "0": "numbers from 1 on", "99999999999999999999": "is no number",
			"4095": "rv 4095 is compacted: the oldest version that can be read is rv 4096", "9999": "rv 9999 is not there yet: the newest version is rv 4191",
		} {
			u.Toast = page.Toast{}
			u.goToNamed(typed)
			if u.Moment != was || !strings.Contains(u.Toast.Text, want) {
				t.Errorf("%q at %s: %q", typed, before, u.Toast.Text)
			}
		}
		if now := middle(u); now != screen {
			t.Errorf("the screen has changed:\n%s\nwas\n%s", now, screen)
		}
	}
}

// The palette takes the version behind the name of the command, and asks for it where there is none.
func TestMoment_Palette(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys(append([]string{":"}, strings.Split("at 4175", "")...)...)
	u.keys("enter")
	if u.at() != 4175 {
		t.Errorf(":at 4175 goes to %d", u.at())
	}
	u.keys(":", "a", "t", "enter")
	prompt, asked := u.Over.(*term.Prompt)
	if !asked || prompt.Edit.Text != "4175" {
		t.Fatalf(":at asks %v", u.Over)
	}
	prompt.Edit = term.NewLineEdit("4173")
	u.keys("enter")
	if u.at() != 4173 {
		t.Errorf("the line goes to %d", u.at())
	}
	u.keys(append([]string{":"}, strings.Split(":at now", "")...)...)
	u.keys("enter")
	if u.past() {
		t.Error(":at now does not go back")
	}
}

// A moment that is compacted while it is looked at stays on the screen, and that is said once.
func TestMoment_CompactedMeanwhile(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	goingTo(t, u, 4175)
	was := middle(u)
	d.log.SetHead(d.rv, 4180)
	u.fold()
	if want := "rv 4175 has been compacted since"; !strings.Contains(u.Toast.Text, want) || u.at() != 4175 {
		t.Errorf("at rv %d: %q", u.at(), u.Toast.Text)
	}
	if now := middle(u); now != was {
		t.Errorf("the screen has changed:\n%s\nwas\n%s", now, was)
	}
	u.Toast = page.Toast{}
	u.fold()
	if u.Toast.Text != "" {
		t.Errorf("it is said again: %q", u.Toast.Text)
	}
	u.keys("{")
	if u.at() != 4175 || !strings.Contains(u.Toast.Text, "rv 4174 is compacted") {
		t.Errorf("{ goes to rv %d: %q", u.at(), u.Toast.Text)
	}
}

// The strip is pressed and dragged: each cell is the newest version of it, and behind the last is the present.
func TestMoment_Mouse(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	u.view()
	r := u.strip.cells
	u.click(r.X+r.W-6, r.Y)
	if !u.past() || !u.held {
		t.Fatalf("a press on the strip: %q", u.Toast.Text)
	}
	at := u.at()
	u.drag(r.X + r.W - 3)
	if u.at() <= at {
		t.Errorf("dragged from rv %d to rv %d", at, u.at())
	}
	u.drag(r.X + r.W + 2)
	if u.past() {
		t.Errorf("behind the strip is rv %d", u.at())
	}
	u.release()
	u.click(r.X+1, r.Y)
	if u.past() || !strings.Contains(u.Toast.Text, "nothing was committed there yet") {
		t.Errorf("before the first commit: rv %d, %q", u.at(), u.Toast.Text)
	}
	u.wheel(r.X+5, r.Y, -3)
	if u.at() != d.rv-1 {
		t.Errorf("the wheel goes to rv %d", u.at())
	}
}

// A recording has moments as a run that goes on: its newest version is its end.
func TestMoment_Recording(t *testing.T) {
	u, _ := recorded(func(d *demo) { d.story(); d.clashes(); d.finalizers(2) }, Source{}, 120, 36)
	u.keys("{")
	u.settle()
	mustSee(t, u, "RECORDING", "PAST rv 4183", "1 version ago", "end rv 4184", "G back to the end")
	for _, p := range []string{"1", "2", "3", "4", "5", "6", "7", "9"} {
		u.keys(p)
		u.settle()
		text := u.screenText()
		for _, o := range offers {
			if strings.Contains(text, o) {
				t.Errorf("page %s: %q is on the screen:\n%s", p, o, text)
			}
		}
	}
	u.keys("G")
	mustSee(t, u, "ends 2026-11-21 12:00:00")
}

// A page that is of the whole run says so, and what would be done says that it is done now.
func TestMoment_SaysWhatIsNow(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	u.pages[page.Learn], u.lesson.Lessons = u.lesson, goldenLessons(&fakePlayer{})
	u.keys("{", "8")
	u.Toast = page.Toast{}
	mustSee(t, u, "This page is not of the past: it is of the whole run")
	u.keys("1", "k", "r")
	mustSee(t, u, fmt.Sprintf("The server gets it now, at rv %d", d.rv))
	u.keys("esc", "4", "s")
	mustSee(t, u, fmt.Sprintf("The server gets it now, at rv %d", d.rv), fmt.Sprintf("rv-%d", d.rv))
}

// Requests for the objects of a moment name its revision, and end with it.
func TestMoment_Client(t *testing.T) {
	d := whole()
	u, _ := testUI(d, "mono", 120, 36)
	api := &fakeAPI{}
	u.API.Transport = api
	u.keys("7")
	u.settle()
	api.asked = nil
	goingTo(t, u, 4175)
	if len(api.asked) == 0 {
		t.Fatal("nothing was asked")
	}
	for _, path := range api.asked {
		if !strings.Contains(path, "resourceVersion=4175&resourceVersionMatch=Exact") {
			t.Errorf("%s is not of the moment", path)
		}
	}
	ctx := u.API.Context
	u.keys("}")
	if ctx.Err() == nil {
		t.Error("what is asked goes on after the moment")
	}
	r := client.Resource{Version: "v1", Name: "configmaps", Namespaced: true, Verbs: []string{"get", "list"}}
	if have := u.objects().KubectlOf(&r, client.Key{Namespace: "default", Name: "web"}); !strings.Contains(have, "get --raw '/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dweb&resourceVersion=4176&resourceVersionMatch=Exact'") {
		t.Errorf("copied: %s", have)
	}
}
