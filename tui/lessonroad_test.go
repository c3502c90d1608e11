package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page Learn begins with the road, how much of it is done, and which lesson is next; then the courses.
func TestUI_LessonRoad(t *testing.T) {
	done := &fakePlayer{state: learn.State{Phase: learn.Done, Done: 1}}
	fresh := &fakePlayer{state: learn.State{Phase: learn.Idle}}
	u := newUI(Options{
		Log: newDemo(flow.Limits{}).log, NoIntro: true, Now: (&clockwork{noon}).now,
		Lessons: []learn.Lesson{
			{Name: "a", Title: "First", Road: "The road: 3 lessons", Course: "Writing", Steps: []string{"A"}, Player: done},
			{Name: "b", Title: "Second", Road: "The road: 3 lessons", Course: "Reading", Steps: []string{"B"}, Player: fresh},
			{Name: "c", Title: "Third", Road: "The road: 3 lessons", Course: "Writing", Steps: []string{"C"}, Player: fresh},
			{Name: "d", Title: "Fourth", Course: "Reading", Steps: []string{"D"}, Player: fresh},
		},
	}, term.NewTheme("mono"))
	u.resize(80, 24)
	u.fold()
	u.Show(page.Learn)
	var rows []string
	for _, line := range strings.Split(u.screenText(), "\n") {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := "The road: 3 lessons 1 of 3 done\n▸ ✓ First done\n○ Second next\n○ Third new\n" +
		"Reading 0 of 1 done\n○ Fourth new\n"
	if out := strings.Join(rows, "\n"); !strings.Contains(out, want) {
		t.Errorf("the list has no\n%s:\n%s", want, u.screenText())
	}
}
