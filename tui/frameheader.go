package tui

import (
	"fmt"
	"strings"
)

// drawHeader shows where the server is and how it does. What matters less gives way first.
func (u *ui) drawHeader(c *canvas, r rect) {
	wide := r.w >= wideWidth
	x := c.put(r, 1, 0, sBold, "KUBARIUM")
	x = c.put(r, x+1, 0, sAccent, pick(wide, u.url, shortURL(u.url)))
	x = c.put(r, x+2, 0, sDim, pick(wide, "head rv ", "rv "))
	x = c.put(r, x, 0, sBold, fmt.Sprint(u.time.head))
	if !u.o.ReduceMotion && r.w >= 52 {
		cells := u.rate.bucket[:]
		if !wide {
			cells = cells[rateCells-5:]
		}
		x = c.put(r, x+2, 0, sOpen, spark(cells)) - 1
	}
	x = c.put(r, x+2, 0, sPlain, count(u.rate.perSecond())+pick(wide, " req/s", "/s"))
	if n := u.streams.open(); n > 0 {
		x = c.put(r, x+2, 0, sOpen, pick(wide, fmt.Sprintf("◉ %d watching", n), fmt.Sprintf("◉%d", n)))
	}
	u.drawModes(c, r, x+2)
}

// drawModes shows the words for modes, and at the right what the record costs.
func (u *ui) drawModes(c *canvas, r rect, x int) {
	if m := u.mode(); m != "LIVE" {
		x = c.put(r, x, 0, sMode, " "+m+" ") + 2
	} else {
		x = c.put(r, x, 0, sPlain, m) + 2
	}
	if u.unmasked {
		x = c.put(r, x, 0, sMode, " UNMASKED ") + 2
	}
	drop := fmt.Sprintf("drop %s", count(u.lost))
	st := sDim
	if u.lost > 0 {
		st = sWarn
	}
	if r.w >= wideWidth {
		full := int64(0)
		if u.stats.Limits.Bytes > 0 {
			full = u.stats.Bytes * 100 / u.stats.Limits.Bytes
			full = max(full, int64(u.stats.Flows)*100/int64(max(1, u.stats.Limits.Flows)))
		}
		x = c.put(r, x, 0, sDim, fmt.Sprintf("ring %d %% %s", full, bytesText(u.stats.Bytes))) + 2
	}
	if x+len(drop) < r.w {
		c.right(r, r.w-1, 0, st, drop)
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

func (u *ui) drawTabs(c *canvas, r rect) {
	u.eachTab(func(s screenID, x int, name, badge string) {
		st := sPlain
		if s == u.screen {
			st = sTab
		}
		x = c.put(r, x, 0, st, name)
		if badge != "" {
			c.put(r, x+pick(name[1] == ' ', 1, 0), 0, sOpen, badge)
		}
	})
	if u.lay.slim {
		return
	}
	c.right(r, r.w-1, 0, sDim, u.tabNote())
}

func (u *ui) tabNote() string {
	if len(u.marks) > 0 {
		return fmt.Sprintf("◆ %d marked", len(u.marks))
	}
	return u.o.Version
}

// eachTab calls f with each screen's tab and the column where it begins.
func (u *ui) eachTab(f func(s screenID, x int, name, badge string)) {
	x, short := 1, u.crowded()
	for _, s := range u.screens() {
		label := u.pages[s].tab()
		name, badge := pick(short, label.short, label.name), label.badge
		f(s, x, name, badge)
		x += text(sPlain, name+badge).width() + pick(short, 1, 3)
		if badge != "" && !short {
			x++
		}
	}
}

// crowded reports whether the tabs in full, and the note beside them, are wider than the screen.
func (u *ui) crowded() bool {
	x := 1 + text(sPlain, u.tabNote()).width() + 1
	for _, s := range u.screens() {
		t := u.pages[s].tab()
		x += text(sPlain, t.name+t.badge).width() + 3 + pick(t.badge == "", 0, 1)
	}
	return x > u.w
}
