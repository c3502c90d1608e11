package tui

import (
	"strings"
	"testing"

	"kubarium/tui/learn"
	"kubarium/tui/page"
)

// A message is about now: the next key takes it away, and so do the mouse, another page, another moment, and another
// step of the lesson. Until then it stays, and so does one that is said with such a change.
func TestMessage_Goes(t *testing.T) {
	for name, change := range map[string]func(u *ui, p *staged){
		"key":      func(u *ui, _ *staged) { u.keys("j") },
		"no key":   func(u *ui, _ *staged) { u.keys("ctrl+y") },
		"paste":    func(u *ui, _ *staged) { u.paste("x") },
		"press":    func(u *ui, _ *staged) { u.click(3, 5) },
		"wheel":    func(u *ui, _ *staged) { u.wheel(3, 5, 3) },
		"question": func(u *ui, _ *staged) { u.keys("?", "esc") },
		"page":     func(u *ui, _ *staged) { u.Show(page.Watches) },
		"moment":   func(u *ui, _ *staged) { u.goTo(4175) },
		"step": func(u *ui, p *staged) {
			p.tell(learn.Paused, shows("traffic", "list", "", "one/2"))
			u.guide.Follow()
		},
	} {
		t.Run(name, func(t *testing.T) {
			u, p, _ := stagedUI(whole(), 120, 36)
			p.tell(learn.Paused, shows("traffic", "list", "", "one/1"))
			u.guide.Follow()
			u.Show(page.Traffic)
			u.Say("about now")
			for range 2 {
				u.Dirty = true
				if !strings.Contains(u.screenText(), "about now") {
					t.Fatalf("it is not shown:\n%s", u.screenText())
				}
			}
			change(u, p)
			u.Dirty = true
			if s := u.screenText(); strings.Contains(s, "about now") {
				t.Errorf("it stays:\n%s", s)
			}
			u.Say("said again")
			change(u, p)
			u.Say("said with it")
			u.Dirty = true
			if s := u.screenText(); !strings.Contains(s, "said with it") {
				t.Errorf("what was said with the change is not shown:\n%s", s)
			}
		})
	}
}
