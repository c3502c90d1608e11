package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/page"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A view is a state of the screen, and the keys that lead to it.
type view struct {
	name  string
	empty bool
	keys  []string
	asks  bool // what the UI asks the server for is answered after each key
	late  bool // the UI began after the store, and has read back what was before

	edit func(text string) string // what is done in the editor, while somebody else writes the object

	etcd bool        // the objects are in etcd
	also func(*demo) // what happens behind the story

	lesson *learn.State // of a loaded lesson; nil for none
}

// views are the states of the screen that are kept as golden files, and the keys that lead to them.
var views = []view{
	{name: "empty", empty: true},
	{name: "watches-empty", empty: true, keys: []string{"2"}},
	{name: "traffic"},
	{name: "conflict", keys: []string{"k", "k", "k", "k"}},
	{name: "inspector", keys: []string{"k", "k", "k", "k", "enter"}},
	{name: "request", keys: []string{"k", "enter", "]"}},
	{name: "stations", keys: []string{"k", "k", "enter", "]", "]", "]"}},
	{name: "sql", keys: []string{"k", "k", "enter", "]", "]", "]", "]"}},
	{name: "sql-plans", asks: true, keys: []string{"k", "k", "enter", "]", "]", "]", "]", "enter"}},
	{name: "effects", keys: []string{"k", "k", "enter", "[", "["}},
	{name: "watches", keys: []string{"2"}},
	{name: "frozen", keys: []string{"p"}},
	{name: "help", keys: []string{"?"}},
	{name: "quit", keys: []string{"q"}},
	{name: "copy", keys: []string{"y"}},
	{name: "export", keys: []string{"m", "x"}},
	{name: "export-form", keys: []string{"x", "a"}},
	{name: "export-file", keys: []string{"x", "a", "h"}},
	{name: "replay", keys: []string{"k", "k", "r"}},
	{name: "view", keys: []string{"v"}},
	{name: "grouped", also: (*demo).kubectlRuns},
	{name: "unfolded", also: (*demo).kubectlRuns, keys: []string{"enter"}},
	{name: "versions", keys: []string{"4"}},
	{name: "versions-empty", empty: true, keys: []string{"4"}},
	{name: "versions-late", empty: true, asks: true, late: true, keys: []string{"4"}},
	{name: "versions-before", asks: true, late: true, keys: []string{"4", "g", "l", "l", "l"}},
	{name: "versions-older", keys: []string{"4", "h", "h"}},
	{name: "versions-object", keys: []string{"4", "j", "h"}},
	{name: "versions-detail", keys: []string{"4", "j", "h", "enter"}},
	{name: "versions-whole", keys: []string{"4", "t"}},
	{name: "objects", keys: []string{"7", "j"}, asks: true},
	{name: "objects-table", keys: []string{"7", "j", "j", "j", "enter"}, asks: true},
	{name: "objects-none", keys: []string{"7", "G", "enter"}, asks: true},
	{name: "objects-yaml", keys: []string{"7", "j", "j", "j", "enter", "j", "enter"}, asks: true},
	{name: "objects-going", keys: []string{"7", "j", "j", "j", "enter", "enter"}, asks: true},
	{name: "objects-fields", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "]"}, asks: true},
	{name: "objects-watched", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "[", "["}, asks: true},
	{name: "objects-rows", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "["}, asks: true},
	{name: "objects-label", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "t", "t", "i", "e", "r"}, asks: true},
	{name: "objects-scale", keys: []string{"7", "j", "j", "j", "enter", "j", "s"}, asks: true},
	{name: "objects-delete", keys: []string{"7", "j", "j", "j", "enter", "j", "D"}, asks: true},
	{name: "objects-delete-held", keys: []string{"7", "j", "j", "j", "enter", "D"}, asks: true},
	{name: "objects-undo", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "]", "]", "j", "U"}, asks: true},
	{name: "objects-clash", keys: []string{"7", "j", "j", "j", "enter", "j", "E"}, asks: true, edit: func(text string) string { return strings.Replace(text, "image: web:1.0", "image: web:1.1", 1) }},
	{name: "objects-clash-both", keys: []string{"7", "j", "j", "j", "enter", "j", "E"}, asks: true, edit: func(text string) string { return strings.Replace(text, "replicas: 8", "replicas: 5", 1) }},
	{name: "objects-refused", keys: []string{"7", "j", "j", "j", "enter", "j", "s", "enter"}, asks: true},
	{name: "objects-goto", keys: []string{"7", ":", "d", "e", "p", "l", "o", "y"}, asks: true},
	{name: "objects-namespace", keys: []string{"7", "j", "j", "j", "enter", ":", "n", "s", "space", "d", "e", "v", "enter"}, asks: true},
	{name: "lesson", lesson: &toldStep},
	{name: "lesson-whole", lesson: &toldStep, keys: []string{"L"}},
	{name: "lesson-asks", lesson: &askedStep},
	{name: "lesson-yours", lesson: &yourStep},
	{name: "lesson-came", lesson: &cameStep},
	{name: "lesson-notice", lesson: &disturbedStep},
	{name: "lesson-end", lesson: &lastStep},
	{name: "lessons", lesson: &toldStep, keys: []string{"8"}},
	{name: "lessons-narrowed", lesson: &toldStep, keys: []string{"8", "/", "n", "e", "w"}},
	{name: "objects-history", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "]", "]", "j"}, asks: true},
}

// toldStep and askedStep are a lesson's longest step, and one that asks.
var (
	toldStep  = learn.State{Phase: learn.Paused, Done: 2, Telling: longest}
	askedStep = learn.State{Phase: learn.Waiting, Done: 1, Question: &learn.Question{Ask: "B writes. What is the answer?", Choices: []string{"200", "409"}, Right: "409"}}
	longest   = learn.Telling{
		Narration: "B still holds version 4171, in which there are three fish. If this write went through, A's fish would be gone " +
			"without anybody having wanted that. The server compares 4171 with the stored 4176: not equal, so 409.",
		LookAt: "the failed rv check, and no new mark on the axis of versions",
		You:    `kubectl -n lesson-lost-update-4k7gk patch configmap tank --type json -p '[{"op":"add","path":"/data/snails","value":"2"}]'`,
		Sent:   learn.Sent{Actor: "B"},
	}
)

// What a lesson says beside its steps: that it waits for its reader, that somebody else has disturbed it, and its end.
var (
	yours    = learn.Telling{Narration: "A patch sends only what is to change, so the plants stay as they are.", LookAt: "four fish, and still seven plants", You: `kubectl -n lesson-lost-update-4k7gk patch configmap tank --type merge -p '{"data":{"fish":"4"}}'`}
	yourStep = learn.State{Phase: learn.Waiting, Done: 1, Telling: yours, Await: &learn.Await{Command: yours.You}}
	cameStep = learn.State{Phase: learn.Waiting, Done: 1, Telling: yours, Await: &learn.Await{Command: yours.You, Came: "k1 sent an update of configmaps/tank; this step wants a patch of configmaps/tank"}}

	disturbedStep = learn.State{Phase: learn.Paused, Done: 2, Telling: longest, Notice: &learn.Notice{Who: "k2", Did: "patched", Object: "configmaps/tank", Seq: 15}}
	lastStep      = learn.State{Phase: learn.Done, Done: 3, Telling: learn.Telling{Narration: "A's fish is lost, and nobody was told. That is the lost update.", LookAt: "three fish"}}
)

// goldenLessons are two courses; the lesson that is loaded is played by p.
func goldenLessons(p learn.Player) []learn.Lesson {
	other := &fakePlayer{state: learn.State{Phase: learn.Idle}}
	return []learn.Lesson{
		{Name: "chunks", Course: "Reading", Title: "Lists in chunks", Summary: "A list, page by page.", Steps: []string{"A lists"}, Player: other},
		{Name: "expired-token", Course: "Reading", Title: "A token that expired", Summary: "A list that takes too long.", Steps: []string{"A lists"}, Lacks: lacksCompaction, Player: other},
		{Name: "lost-update", Course: "Writing", Title: "Two writers and a lost update", Summary: "Two people change the same object.", Steps: []string{"A reads it", "B writes", "B reads again"},
			Actors:  []learn.Actor{{Name: "A", Role: "feeds the fish"}, {Name: "B", Role: "counts the plants"}},
			Learned: "Send the resourceVersion that you have read, and a write that would undo somebody else's is refused with 409. Then read, change and write again. A PUT without a version replaces whatever is there.",
			Next:    "dry-run", Player: p},
		{Name: "dry-run", Course: "Writing", Title: "A write that only asks", Summary: "What would happen if.", Steps: []string{"A asks"}, Player: other},
	}
}

// extremes are the states that are kept as golden files at the sizes below and above the usual ones too.
var extremes = []string{"traffic", "inspector", "watches", "versions", "versions-detail", "objects-yaml"}

// A wide screen is used, and a small one keeps its details.
func TestView_GoldenExtremes(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {200, 60}} {
		for _, v := range views {
			if !slices.Contains(extremes, v.name) {
				continue
			}
			name := fmt.Sprintf("%s-%dx%d-mono", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { compareGolden(t, name, drawView(v, "mono", size)) })
		}
	}
}

// The screen at four sizes, in mono and dark, is as it was looked at and found good.
func TestView_Golden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 48}} {
		for _, themeName := range []string{"mono", "dark"} {
			for _, v := range views {
				name := fmt.Sprintf("%s-%dx%d-%s", v.name, size[0], size[1], themeName)
				t.Run(name, func(t *testing.T) { compareGolden(t, name, drawView(v, themeName, size)) })
			}
		}
	}
}

func drawView(v view, themeName string, size [2]int) string {
	d := newDemo(flow.Limits{})
	d.etcd = v.etcd
	if !v.empty {
		d.story()
	}
	if v.also != nil {
		v.also(d)
	}
	u, _ := testUI(d, themeName, size[0], size[1])
	if v.lesson != nil {
		told := []learn.Telling{{Narration: "A reads."}, {Narration: "B writes."}, {}}[:v.lesson.Done]
		if v.lesson.Await != nil {
			told = append(told, v.lesson.Telling)
		} else if v.lesson.Question == nil {
			told[len(told)-1] = v.lesson.Telling
		}
		p := &fakePlayer{state: *v.lesson, told: told}
		u.pages[page.Learn], u.lesson.Lessons = u.lesson, goldenLessons(p)
		u.lesson.Open("lost-update")
	}
	if v.late {
		u.recall()
		u.settle()
	}
	u.view()
	for _, k := range v.keys {
		u.key(k)
		if v.asks {
			u.settleEdits(v.edit)
		}
		u.view()
	}
	return u.view() + "\n"
}

// settleEdits does what the ui asked the program for, with edit for an editor.
func (u *ui) settleEdits(edit func(text string) string) {
	for _, e := range u.settle() {
		if e, ok := e.(page.Edit); ok && edit != nil {
			u.API.Transport.(*fakeAPI).clashes = true
			e.Done([]byte(edit(string(e.Text))), nil)
			u.settle()
		}
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	compareGoldenIn(t, "testdata", name, got)
}

func compareGoldenIn(t *testing.T, folder, name, got string) {
	t.Helper()
	file := filepath.Join(folder, name+".golden")
	if *update {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the screen has changed (-update accepts it):\n%s\nwant:\n%s", ansi.Strip(got), ansi.Strip(string(want)))
	}
}

// Without colours no two states look the same.
func TestView_MonoStatesDiffer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		seen := map[string]string{}
		for _, v := range views {
			s := drawView(v, "mono", size)
			if other, ok := seen[s]; ok {
				t.Errorf("%v: %s looks like %s", size, v.name, other)
			}
			seen[s] = v.name
			if strings.Contains(s, "hunter") || strings.Contains(s, "aHVudGVyMg") || strings.Contains(s, "s3cr3t") {
				t.Errorf("%v: %s shows a secret", size, v.name)
			}
		}
	}
}
