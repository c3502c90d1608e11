package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// drawHeader shows where the server is and how it does. The less important parts are left out first.
func (u *ui) drawHeader(c *term.Canvas, r term.Rect) {
	wide := r.W >= page.WideWidth
	title, style := u.o.Source.title()
	x := c.Put(r, 1, 0, style, u.T(title))
	x = c.Put(r, x+1, 0, term.Accent, cmp.Or(u.o.Source.Name, term.Pick(wide, u.URL, shortURL(u.URL))))
	if u.past() {
		u.drawModes(c, r, u.drawPast(c, r, x+2))
		return
	}
	x = c.Put(r, x+2, 0, term.Dim, u.T(term.Pick(wide, "head rv ", "rv ")))
	x = c.Put(r, x, 0, term.Bold, fmt.Sprint(u.Time.Head))
	if u.Past() {
		u.drawModes(c, r, u.drawEnd(c, r, x+2))
		return
	}
	if u.quiet {
		u.drawModes(c, r, x+2)
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
		x = c.Put(r, x+2, 0, term.Open, term.Pick(wide, u.F("◉ %d watching", n), fmt.Sprintf("◉%d", n)))
	}
	u.drawModes(c, r, x+2)
}

// drawPast says which moment is shown, how far from the present it is, and what leads back there. New requests are
// counted on.
func (u *ui) drawPast(c *term.Canvas, r term.Rect, x int) int {
	m, wide := u.Moment, r.W >= page.WideWidth
	x = c.Put(r, x, 0, term.Mode, u.F(" PAST rv %d ", m.Revision)) + 1
	x = c.Put(r, x, 0, term.Plain, fmt.Sprintf("%s, %s", m.At.Format(time.TimeOnly), u.ago(wide)))
	x = c.Put(r, x+2, 0, term.Dim, u.T(term.Pick(u.live.Past(), "end rv ", "now rv ")))
	x = c.Put(r, x, 0, term.Bold, fmt.Sprint(u.live.Time.Head))
	if back := u.F("back to %s", u.nowWord()); wide || x+4+term.Text(term.Plain, back).Width() < r.W-9 {
		x = c.Put(r, x+2, 0, term.Key, "G")
		x = c.Put(r, x+1, 0, term.Plain, back)
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
	x = c.Put(r, x, 0, term.Dim, u.T("ends "))
	x = c.Put(r, x, 0, term.Plain, u.Now().Format(term.Pick(wide, time.DateTime, time.TimeOnly)))
	if n := u.Streams.Open(); n > 0 {
		x = c.Put(r, x+2, 0, term.Open, term.Pick(wide, u.F("◉ %d watching then", n), fmt.Sprintf("◉%d", n)))
	}
	return x + 2
}

// drawModes shows the words for modes and for what matters now, and at the right what was lost.
func (u *ui) drawModes(c *term.Canvas, r term.Rect, x int) {
	if m := u.mode(); m != live && m != "" {
		x = c.Put(r, x, 0, term.Mode, " "+u.T(m)+" ") + 2
		if n, ok := u.page().(page.Counter); ok && u.quiet && n.Count().Newer > 0 { // else the line of the filter says so
			x = c.Put(r, x-1, 0, term.Dim, u.F("%s newer ▼", term.Count(n.Count().Newer))) + 2
		}
	} else if m != "" {
		x = c.Put(r, x, 0, term.Plain, u.T(m)) + 2
	}
	if u.o.Source.trouble() != "" {
		x = c.Put(r, x, 0, term.Warn, u.T(" NO WRITES ")) + 2
	}
	x = u.drawFaults(c, r, x)
	if names := u.lesson.Replaced(); len(names) > 0 {
		x = c.Put(r, x, 0, term.Mode, " "+term.Pick(r.W >= page.WideWidth && len(names) == 1, u.F("%s PAUSED", names[0]), u.F("CONTROLLERS PAUSED %d", len(names)))+" ") + 2
	}
	if u.Namespace != "" {
		x = c.Put(r, x, 0, term.Mode, " ns "+term.Fit(u.Namespace, 20)+" ") + 2
	}
	if u.Unmasked {
		x = c.Put(r, x, 0, term.Mode, u.T(" UNMASKED ")) + 2
	}
	if n := u.lagging(); n > 0 {
		x = c.Put(r, x, 0, term.Warn, u.F(term.Pick(n == 1, "%d watch lags", "%d watches lag"), n)) + 2
	}
	u.drawLost(c, r, x)
}

// drawLost says at the right end how many requests were lost: those that aged out before the screen took them, and
// those that it has shown and the log no longer keeps. Where nothing is lost, a quiet screen says how to see more.
func (u *ui) drawLost(c *term.Canvas, r term.Rect, x int) {
	left := r.W - 1
	put := func(st term.Style, text string) {
		if n := term.Text(st, text).Width(); x+n < left {
			c.Right(r, left, 0, st, text)
			left -= n + 2
		}
	}
	if u.lost > 0 {
		put(term.Warn, "drop "+term.Count(u.lost))
	}
	if n := u.agedOut(); n > 0 && !u.past() {
		ring := fmt.Sprintf("ring %d %% %s, ", u.ringFull(), u.keptBytes())
		put(term.Dim, term.Pick(r.W >= page.WideWidth, ring, "")+u.F("%s no longer kept", term.Count(n)))
	}
	if u.quiet && left == r.W-1 {
		put(term.Dim, u.T("Q more"))
	}
}

// agedOut is how many requests of clients the log has let go of since this UI began.
func (u *ui) agedOut() uint64 {
	s := u.live.Stats
	return s.Evicted - s.EvictedOwn - min(u.gone, s.Evicted-s.EvictedOwn)
}

// ringFull is how full the log is, in percent.
func (u *ui) ringFull() (full int64) {
	s := u.live.Stats
	if s.Limits.Bytes > 0 {
		full = s.Bytes * 100 / s.Limits.Bytes
	}
	return max(full, int64(s.Flows)*100/int64(max(1, s.Limits.Flows)))
}

// keptBytes is how many bytes of requests are kept, and of how many.
func (u *ui) keptBytes() string {
	s := &u.live.Stats
	return u.F("%s of %s", term.BytesText(s.Bytes), term.BytesText(s.Limits.Bytes))
}

// kept is how much is kept of how much, and since when: "31 MiB of 64 MiB, 12 345 requests, the oldest 14:02:11".
func (u *ui) kept() string {
	s := &u.live.Stats
	flows := term.Plural(s.Flows, "request")
	if s.Limits.Flows < flow.Unlimited {
		flows = u.F("%s of at most %s", term.Count(s.Flows), term.Plural(s.Limits.Flows, "request"))
	}
	text := u.keptBytes() + ", " + flows
	if f := u.live.Log.Get(min(s.Oldest, s.OldestRepeated, s.OldestOwn)); f != nil {
		text += ", " + u.F("the oldest %s", f.Start.Format("15:04:05"))
	}
	return text
}

// lagging counts the open watches that have not sent some older change; a moment of the past has none.
func (u *ui) lagging() int {
	if u.past() || u.Past() {
		return 0
	}
	return u.lagged
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
