package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// drawHeader shows where the server is and how it does. The less important parts are left out first.
func (u *ui) drawHeader(c *term.Canvas, r term.Rect) {
	wide := r.W >= page.WideWidth
	title, style := u.o.Source.title()
	x := c.Put(r, 1, 0, style, title)
	x = c.Put(r, x+1, 0, term.Accent, cmp.Or(u.o.Source.Name, term.Pick(wide, u.URL, shortURL(u.URL))))
	if u.past() {
		u.drawModes(c, r, u.drawPast(c, r, x+2))
		return
	}
	x = c.Put(r, x+2, 0, term.Dim, term.Pick(wide, "head rv ", "rv "))
	x = c.Put(r, x, 0, term.Bold, fmt.Sprint(u.Time.Head))
	if u.Past() {
		u.drawModes(c, r, u.drawEnd(c, r, x+2))
		return
	}
	if !u.o.ReduceMotion && r.W >= 52 {
		cells := u.rate.Seconds(u.Clock())
		if !wide {
			cells = cells[term.RateCells-5:]
		}
		x = c.Put(r, x+2, 0, term.Open, term.Spark(cells)) - 1
	}
	x = c.Put(r, x+2, 0, term.Plain, term.Count(u.rate.PerSecond(u.Clock()))+term.Pick(wide, " req/s", "/s"))
	if n := u.Streams.Open(); n > 0 {
		x = c.Put(r, x+2, 0, term.Open, term.Pick(wide, fmt.Sprintf("◉ %d watching", n), fmt.Sprintf("◉%d", n)))
	}
	u.drawModes(c, r, x+2)
}

// drawPast says which moment is shown, how far from the present it is, and what leads back there. New requests are
// counted on.
func (u *ui) drawPast(c *term.Canvas, r term.Rect, x int) int {
	m, wide := u.Moment, r.W >= page.WideWidth
	x = c.Put(r, x, 0, term.Mode, fmt.Sprintf(" PAST rv %d ", m.Revision)) + 1
	x = c.Put(r, x, 0, term.Plain, fmt.Sprintf("%s, %s", m.At.Format(time.TimeOnly), u.ago(wide)))
	x = c.Put(r, x+2, 0, term.Dim, term.Pick(u.live.Past(), "end rv ", "now rv "))
	x = c.Put(r, x, 0, term.Bold, fmt.Sprint(u.live.Time.Head))
	if back := "G back to " + u.nowWord(); wide || x+2+len(back) < r.W-9 {
		x = c.Put(r, x+2, 0, term.Key, "G")
		x = c.Put(r, x+1, 0, term.Plain, back[2:])
	} else if x+7 < r.W-9 {
		x = c.Put(r, x+2, 0, term.Key, "G")
		x = c.Put(r, x+1, 0, term.Plain, u.nowWord())
	}
	if wide && !u.live.Past() {
		x = c.Put(r, x+2, 0, term.Dim, term.Count(u.rate.PerSecond(u.Clock()))+" req/s")
	}
	return x + 2
}

// drawEnd shows when a run has ended, and which watches were open then.
func (u *ui) drawEnd(c *term.Canvas, r term.Rect, x int) int {
	wide := r.W >= page.WideWidth
	x = c.Put(r, x, 0, term.Dim, "ends ")
	x = c.Put(r, x, 0, term.Plain, u.Now().Format(term.Pick(wide, time.DateTime, time.TimeOnly)))
	if n := u.Streams.Open(); n > 0 {
		x = c.Put(r, x+2, 0, term.Open, term.Pick(wide, fmt.Sprintf("◉ %d watching then", n), fmt.Sprintf("◉%d", n)))
	}
	return x + 2
}

// drawModes shows the words for modes, and at the right what the record costs.
func (u *ui) drawModes(c *term.Canvas, r term.Rect, x int) {
	if m := u.mode(); m != live && m != "" {
		x = c.Put(r, x, 0, term.Mode, " "+m+" ") + 2
	} else if m != "" {
		x = c.Put(r, x, 0, term.Plain, m) + 2
	}
	if u.o.Source.trouble() != "" {
		x = c.Put(r, x, 0, term.Warn, " NO WRITES ") + 2
	}
	x = u.drawFaults(c, r, x)
	if u.Namespace != "" {
		x = c.Put(r, x, 0, term.Mode, " ns "+term.Fit(u.Namespace, 20)+" ") + 2
	}
	if u.Unmasked {
		x = c.Put(r, x, 0, term.Mode, " UNMASKED ") + 2
	}
	drop := fmt.Sprintf("drop %s", term.Count(u.lost))
	st := term.Dim
	if u.lost > 0 {
		st = term.Warn
	}
	if r.W >= page.WideWidth && !u.past() {
		full := int64(0)
		if u.Stats.Limits.Bytes > 0 {
			full = u.Stats.Bytes * 100 / u.Stats.Limits.Bytes
			full = max(full, int64(u.Stats.Flows)*100/int64(max(1, u.Stats.Limits.Flows)))
		}
		if ring := fmt.Sprintf("ring %d %% %s", full, term.BytesText(u.Stats.Bytes)); x+len(ring)+2+len(drop) < r.W {
			x = c.Put(r, x, 0, term.Dim, ring) + 2
		}
	}
	if x+len(drop) < r.W {
		c.Right(r, r.W-1, 0, st, drop)
	}
}

// shortURL is the port alone for the usual host.
func shortURL(url string) string {
	s := strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://")
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		if rest, ok := strings.CutPrefix(s, host); ok {
			return rest
		}
	}
	return s
}

func (u *ui) drawTabs(c *term.Canvas, r term.Rect) {
	u.eachTab(func(s page.ID, x int, name, badge string) {
		st := term.Plain
		if s == u.Front {
			st = term.Tab
		}
		x = c.Put(r, x, 0, st, name)
		if badge != "" {
			c.Put(r, x+term.Pick(name[1] == ' ', 1, 0), 0, term.Open, badge)
		}
	})
	if u.lay.slim {
		return
	}
	c.Right(r, r.W-1, 0, term.Dim, u.tabNote())
}

func (u *ui) tabNote() string {
	if len(u.Marks) > 0 {
		return fmt.Sprintf("◆ %d marked", len(u.Marks))
	}
	return u.o.Version
}

// eachTab calls f with each screen's tab and the column where it begins.
func (u *ui) eachTab(f func(s page.ID, x int, name, badge string)) {
	x, short := 1, u.crowded()
	for _, s := range u.screens() {
		label := u.pages[s].Tab()
		name, badge := term.Pick(short, label.Short, label.Name), label.Badge
		f(s, x, name, badge)
		x += term.Text(term.Plain, name+badge).Width() + term.Pick(short, 1, 3)
		if badge != "" && !short {
			x++
		}
	}
}

// crowded reports whether the tabs in full, and the note next to them, are wider than the screen.
func (u *ui) crowded() bool {
	x := 1 + term.Text(term.Plain, u.tabNote()).Width() + 1
	for _, s := range u.screens() {
		t := u.pages[s].Tab()
		x += term.Text(term.Plain, t.Name+t.Badge).Width() + 3 + term.Pick(t.Badge == "", 0, 1)
	}
	return x > u.w
}
