package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/page"
)

// manyUI is a ui at the list of 1,806 deployments, of which the table reads 500.
func manyUI() (*ui, *liveAPI, *demo) {
	u, l, d := liveUI(140, 36, flow.Limits{})
	for i := range 1804 {
		l.deployments[fmt.Sprintf("d%04d", i)] = 4100
	}
	u.press(append([]string{"7"}, strings.Split("/deployments", "")...)...)
	u.press("enter", "enter")
	return u, l, d
}

func (u *ui) narrowTo(words string) {
	u.press("*", "/")
	u.press(strings.Split(words, "")...)
	u.press("enter")
}

// Words search all objects of the server, and the screen says how many there are.
func TestObjects_SearchAll(t *testing.T) {
	u, l, d := manyUI()
	mustSee(t, u, "deployments.apps  first 500 of 1 806", "first 500 of 1 806 · G reads on")
	u.narrowTo("d1703")
	mustSee(t, u, "1 of 1 806 shown", "default    d1703")
	u.narrowTo("d170")
	mustSee(t, u, "10 of 1 806 shown")
	l.write(d, flow.Deleted, "d1703")
	l.write(d, flow.Created, "d1703a")
	l.write(d, flow.Created, "d1709a")
	u.fold()
	u.settle()
	s := u.screenText()
	if !strings.Contains(s, "d1703a") || !strings.Contains(s, "d1709a") || strings.Contains(s, "default    d1703 ") {
		t.Errorf("changes are not followed:\n%s", s)
	}
	u.narrowTo("nowhere")
	mustSee(t, u, `0 of 1 807 objects have "nowhere".`)
	u.press("*", "G")
	mustSee(t, u, "1 807 shown", "web ")
	if strings.Contains(u.screenText(), "first 500") {
		t.Errorf("G does not go to the end:\n%s", u.screenText())
	}
}

// A search says how far it is while it goes on; it stops when the words change or the page is left, and goes on where
// it was. What the server refuses is said.
func TestObjects_SearchStops(t *testing.T) {
	u, l, _ := manyUI()
	u.keys("/", "x")
	step := func() { // does what is asked for now, and not what that asks for
		for _, e := range u.takeEffects() {
			switch e := e.(type) {
			case page.Work:
				e.Run()()
			case page.Later:
				e.Do()
			}
		}
		u.Dirty = true
	}
	mustSee(t, u, `0 of the first 500 of 1 806 objects have "x".`, "The others are being searched …")
	step()
	step()
	mustSee(t, u, "0 found · searched 1 000 of 1 806 …")
	u.keys("y")
	reads := len(l.read)
	u.settle()
	// The page that was under way comes to its end, and the search begins again at the end of the table.
	if pages := l.read[reads:]; len(pages) != 4 || !strings.Contains(pages[1], "d0498") {
		t.Errorf("after another letter it reads %q", pages)
	}
	mustSee(t, u, "0 of 1 806 shown")
	u.keys("z")
	step()
	u.keys("enter", "1")
	reads = len(l.read)
	u.settle()
	if pages := l.read[reads:]; len(pages) > 1 {
		t.Errorf("after the page was left it reads %q", pages)
	}
	u.press("7")
	mustSee(t, u, "0 of 1 806 shown")
	l.expired = true
	u.narrowTo("gone")
	mustSee(t, u, "0 found · searched 500 of 1 806: stopped", "✗ 410 the token is too old", "u asks again")
	l.expired = false
	u.press("u")
	mustSee(t, u, "0 of 1 806 shown")
}
