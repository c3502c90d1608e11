package tui

import (
	"context"
	"fmt"

	"kubarium/flow/rule"
	"kubarium/tui/gates"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// followGate asks the server for its gate until ctx ends, if there may be one.
func (u *ui) followGate(ctx context.Context) {
	if u.NoGate == "" {
		go u.Gate.Run(ctx)
	}
}

// heedGate takes over each new state of the gate from now on.
func (u *ui) heedGate() {
	u.Do(page.Listen{C: u.Gate.News(), Do: func() {
		u.gateTold()
		u.heedGate()
	}})
}

// drawGate shows who is held and by which rules, on every page but that of the gate: in one line, or with a few rows.
func (u *ui) drawGate(c *term.Canvas, r term.Rect) {
	g := u.Gate
	if r.Empty() || !g.Shows() {
		return
	}
	title := term.Line{term.Plain.Of(u.T("gate ")), term.Border.Of("──"), term.Pick(len(g.Held) > 0, term.Mode, term.Plain).Of(u.F(" %d held ", len(g.Held))),
		term.Border.Of("──"), term.Plain.Of(" " + u.T(term.Plural(len(g.Rules), "rule")))}
	note := term.Line{term.Key.Of("9"), term.Dim.Of(u.T(" opens it"))}
	if r.H == 1 && len(g.Held) > 0 {
		title = append(title, term.Border.Of(" ── "), term.Warn.Of("⏸ "), term.Plain.Of(heldInShort(&g.Held[0])), term.Dim.Of("  "+gates.Waits(&g.Held[0], u.Now())))
	}
	c.Rule(r, 0, term.Border, title, note)
	table := term.PlanTable(r.W-4, 1, gates.Columns(u.Now), nil)
	y := 1
	for i := range g.Held[:min(len(g.Held), stripHeld)] {
		if y >= r.H {
			return
		}
		c.Put(r, 1, y, term.Warn, "⏸")
		c.Line(r, 2, y, table.Row(&g.Held[i]))
		y++
	}
	if y < r.H && len(g.Rules) > 0 {
		c.Line(r, 1, y, term.FitLine(rulesInShort(g.Rules), r.W-2))
	}
}

// heldInShort names a held request.
func heldInShort(h *rule.Held) string {
	return fmt.Sprintf("%s %s %s before %s", h.Client.Tag, h.Target.Verb, gates.Target(h), h.Station)
}

// rulesInShort are the rules in one line, as far as there is room.
func rulesInShort(rules []rule.Active) term.Line {
	l := term.Line{term.Head.Of("rules  ")}
	for i := range rules {
		a := &rules[i]
		l = append(l, term.Dim.Of(fmt.Sprintf("%d ", a.ID)), term.Pick(a.Spent, term.Dim, term.Plain).Of(a.Line),
			term.Dim.Of(fmt.Sprintf("  hits %s%s", term.Count(a.Hits), term.Pick(a.Spent, ", spent", ""))), term.Plain.Of("    "))
	}
	return l
}

// ShowHeld shows a held request at the gate.
func (u *ui) ShowHeld(id uint64) {
	u.Show(page.Gate)
	u.gate().Show(id)
}

// clickGate opens the gate at the row of its strip that was pressed.
func (u *ui) clickGate(y int) {
	if i := y - 1; i >= 0 && i < len(u.Gate.Held) && i < stripHeld {
		u.ShowHeld(u.Gate.Held[i].ID)
		return
	}
	u.Show(page.Gate)
}

// drawFaults says in the header that requests are touched on purpose.
func (u *ui) drawFaults(c *term.Canvas, r term.Rect, x int) int {
	if n := len(u.Gate.Rules); n > 0 {
		x = c.Put(r, x, 0, term.Mode, u.F(" FAULTS %d ", n)) + 1
	}
	if n := len(u.Gate.Held); n > 0 {
		x = c.Put(r, x, 0, term.Mode, u.F(" HELD %d ", n)) + 1
	}
	return x
}

// gate prints in plain mode which requests are held since the last time. Their numbers only go up.
func (p *plain) gate() {
	p.u.gateTold()
	for i := range p.u.Gate.Held {
		h := &p.u.Gate.Held[i]
		if h.ID <= p.held {
			continue
		}
		p.held = h.ID
		if !h.Client.Own() {
			p.print("%s go %d lets it go.", p.u.gate().HeldWords(h), h.ID)
		}
	}
}
