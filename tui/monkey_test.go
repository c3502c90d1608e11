package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/term"
)

// Whatever is pressed, clicked, resized and published, in any order, every frame keeps its size and nothing panics.
func TestUI_AnyInput(t *testing.T) {
	t.Chdir(t.TempDir()) // x writes files
	keys := []string{"a", "c", "o", "d", "e", ":", "4", "0", "~", "\"", "(", "esc", "esc", "enter", "backspace", "delete", "space", "ctrl+w", "ctrl+h"}
	keys = append(keys, boundKeys()...)
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		d := newDemo(flow.Limits{Flows: 60})
		p := &fakePlayer{state: learn.State{Phase: learn.Idle}}
		u := fullUI(Options{Log: d.log, Now: (&clockwork{noon}).now, Lessons: []learn.Lesson{{Name: "l", Title: "L", Steps: []string{"one", "two"}, Player: p}}}, term.NewTheme("dark"))
		u.API.Transport = &fakeAPI{}
		if round%3 > 0 {
			d.story()
		}
		u.fold()
		for i := range 2000 {
			switch n := rnd.IntN(20); {
			case n == 0:
				u.resize(10+rnd.IntN(180), 4+rnd.IntN(50))
			case n == 1:
				u.click(rnd.IntN(u.w), rnd.IntN(u.h))
			case n == 2:
				u.wheel(rnd.IntN(u.w), rnd.IntN(u.h), 3-6*rnd.IntN(2))
			case n == 3:
				d.write("A", "update", flow.Updated, fmt.Sprint("web-", i), 3)
				u.fold()
			case n == 4:
				d.log.Publish(d.refused())
				u.fold()
			case n == 8:
				d.finalizers(rnd.IntN(4))
				d.chunks("k1", rnd.IntN(5))
				d.clashes()
				u.fold()
			case n == 5:
				u.settle()
			case n == 7:
				phases := []learn.Phase{learn.Idle, learn.Waiting, learn.Running, learn.Done}
				p.set(learn.State{Phase: phases[rnd.IntN(4)], Done: rnd.IntN(3), Question: &learn.Question{Ask: "200 or 409?", Choices: []string{"200", "409"}, Right: "409"}})
			case n == 6:
				u.paste("who:A\ncode:4")
			default:
				if p, ok := u.Over.(*term.Prompt); ok {
					p.Edit = term.NewLineEdit(strings.ReplaceAll(p.Edit.Text, "/", "")) // only here
				}
				u.key(keys[rnd.IntN(len(keys))])
			}
			frame := u.view()
			if lines := strings.Split(frame, "\n"); len(lines) != u.h {
				t.Fatalf("round %d step %d: %d lines at %dx%d", round, i, len(lines), u.w, u.h)
			}
			for _, l := range strings.Split(frame, "\n") {
				if ansi.StringWidth(l) > u.w {
					t.Fatalf("round %d step %d: a line of %d cells at %dx%d", round, i, ansi.StringWidth(l), u.w, u.h)
				}
			}
		}
	}
}
