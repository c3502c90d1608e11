package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/term"
)

// recorded is the UI of a recording of a story, which ended at noon; the clock on the wall goes on.
func recorded(story func(d *demo), source Source, w, h int) (*ui, *clockwork) {
	d := newDemo(flow.Limits{})
	story(d)
	ends, wall := &clockwork{noon}, &clockwork{noon.Add(time.Hour)}
	source.Kind, source.Name = Recording, "run.kubarium"
	u := fullUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", Version: "v0.1.0", NoIntro: true, Now: ends.now, Clock: wall.now, Source: source}, term.NewTheme("mono"))
	u.API.Transport = &fakeAPI{}
	u.resize(w, h)
	u.fold()
	u.settle()
	return u, wall
}

// offers are what no page of a recording may say: that something can be done on the server, or that it goes on.
var offers = []string{"In another window", "kubectl -s", "kubectl create", "kubectl get", "since the UI started", "sends it again", "yet.", "copies a patch", "req/s", "LIVE", "is answered now", "for a lesson"}

// No page of a recording offers what needs the server, or speaks of a run that goes on, with requests or without.
func TestRecording_SaysWhatIsSo(t *testing.T) {
	stories := map[string]func(d *demo){
		"nothing": func(*demo) {},
		"a story": func(d *demo) { d.story(); d.clashes(); d.finalizers(2) },
	}
	for name, story := range stories {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
			for _, page := range []string{"1", "2", "3", "4", "5", "6", "7", "9", "0"} {
				u, _ := recorded(story, Source{}, size[0], size[1])
				u.keys(page)
				u.settle()
				for _, k := range []string{"", "g", "j", "j", "j", "tab", "enter", "G"} {
					if k != "" {
						u.keys(k)
						u.settle()
					}
					text := u.screenText()
					for _, o := range offers {
						if strings.Contains(text, o) {
							t.Fatalf("%s, page %s at %v after %q: %q is on the screen:\n%s", name, page, size, k, o, text)
						}
					}
				}
			}
		}
	}
}

// The header says when the run ended, and what was open then; a recording that goes on has its rate.
func TestRecording_Header(t *testing.T) {
	note := ""
	u, _ := recorded(func(d *demo) { d.story() }, Source{Note: func() string { return note }}, 120, 36)
	if text := u.screenText(); !strings.Contains(text, "ends 2026-11-21 12:00:00  ◉ 2 watching then") {
		t.Errorf("the header does not say when the run ended:\n%s", text)
	}
	u.keys("p")
	if u.frozen || !strings.Contains(u.Toast.Text, "the recording has ended") {
		t.Errorf("p froze what does not move: %q", u.Toast.Text)
	}
	if note = Following; !u.restless() {
		t.Error("the end of a run that is followed would not be seen")
	}
	u.Dirty = true
	if text := u.screenText(); !strings.Contains(text, "FOLLOWING") || !strings.Contains(text, "req/s") || strings.Contains(text, "ends 2026") {
		t.Errorf("the header does not say that the run goes on:\n%s", text)
	}
}

// A line that is shown for some seconds goes away although the time of the run stands still, and ^c twice is by the clock on the wall.
func TestRecording_Clock(t *testing.T) {
	u, wall := recorded(func(d *demo) { d.story() }, Source{}, 120, 36)
	u.Say("for a while")
	wall.at = wall.at.Add(7 * time.Second)
	u.settle()
	if u.Toast.Text != "" {
		t.Errorf("%q stays", u.Toast.Text)
	}
	u.keys("ctrl+c")
	wall.at = wall.at.Add(3 * time.Second)
	u.keys("ctrl+c")
	for _, e := range u.takeEffects() {
		if _, quits := e.(quitEffect); quits {
			t.Error("two ^c that are three seconds apart quit")
		}
	}
	if u.restless() {
		t.Error("the picture of what has ended is drawn anew")
	}
}

// The card, the words of plain mode and the list of an empty kind are of a recording, also of one without objects.
func TestRecording_Words(t *testing.T) {
	u, _ := recorded(func(d *demo) { d.story() }, Source{}, 120, 36)
	u.Over = &intro{u}
	if text := u.screenText(); !strings.Contains(text, "This is a recording of the server at http://127.0.0.1:8080") || strings.Contains(text, "listens") {
		t.Errorf("the card:\n%s", text)
	}
	if s := u.o.greeting(); s != "This is the recording run.kubarium of the server at http://127.0.0.1:8080." {
		t.Error(s)
	}
	attached := Options{Source: Source{Kind: Attached}, URL: "http://127.0.0.1:9"}
	if s := attached.greeting(); s != "Attached to http://127.0.0.1:9, which goes on when this is closed." {
		t.Error(s)
	}
	for bare, want := range map[bool]string{true: "only requests, not the objects", false: "when the recording ended."} {
		u, _ := recorded(func(d *demo) { d.story() }, Source{Bare: bare}, 120, 36)
		u.keys("7", "G", "enter")
		u.settle()
		if text := u.screenText(); !strings.Contains(text, want) {
			t.Errorf("bare %v: %q is not on\n%s", bare, want, text)
		}
	}
}

// The states of a recording are kept as golden files.
func TestRecording_Golden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		for name, c := range map[string]struct {
			story func(d *demo)
			keys  []string
		}{
			"recording":         {func(d *demo) { d.story() }, nil},
			"recording-watches": {func(d *demo) { d.story() }, []string{"2"}},
			"recording-empty":   {func(*demo) {}, []string{"4"}},
			"recording-deletes": {func(d *demo) { d.finalizers(2) }, []string{"6"}},
		} {
			name = fmt.Sprintf("%s-%dx%d-mono", name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				u, _ := recorded(c.story, Source{}, size[0], size[1])
				u.keys(c.keys...)
				compareGolden(t, name, u.view()+"\n")
			})
		}
	}
}
