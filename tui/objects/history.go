package objects

import (
	"fmt"

	"kubarium/flow/object"
	"kubarium/tui/body"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// history is the tab with an object's versions, and the difference between two of them.
type history struct {
	p      *Object
	past   past
	loaded bool
	cursor term.List[int64] // by revision; it follows the newest, which comes first
	base   int64            // the version to compare with; 0 means the one before
	differ term.Viewport    // the difference
	made   difference       // that the lines of differ are of
	since  int              // generation
}

// difference is everything on which the lines of a difference depend.
type difference struct {
	from, to *version
	width    int
	managed  bool
}

// load reads the object's history.
func (h *history) load() {
	h.since++
	since, d := h.since, h.digger()
	h.p.o.env.Do(page.Work{Run: func() func() {
		found := d.dig()
		return func() {
			if since == h.since {
				h.take(found)
			}
		}
	}})
}

// digger returns a digger for the object.
func (h *history) digger() *digger {
	p, u := h.p, h.p.o.env
	return &digger{
		a: p.o.env.API, log: u.Log, of: *p.Of, key: p.key, head: u.Time.Head, mask: u.MaskerOf(p.Of.Name),
		commits: u.Time.OfObject(object.Ref{Resource: p.Of.ID(), Namespace: p.key.Namespace, Name: p.key.Name}),
	}
}

func (h *history) take(found past) {
	h.past, h.loaded = found, true
	h.cursor.Keep(len(found.versions), func(i int) int64 { return found.versions[i].revision })
}

// goTo moves the cursor to a version, once it is known; 0 is the newest.
func (h *history) goTo(revision int64) { h.cursor.Key, h.cursor.Follow = revision, revision == 0 }

// newHistory follows the newest version until another one is chosen.
func newHistory(p *Object, since int) history {
	h := history{p: p, since: since}
	h.cursor.Follow, h.cursor.Newest = true, func() int { return 0 }
	return h
}

func (h *history) selected() *version {
	i := h.cursor.At()
	if i < 0 {
		return nil
	}
	return &h.past.versions[i]
}

// Height returns the number of visible versions.
func (h *history) Height() int { return h.cursor.Height() }

// Move moves the cursor by n versions.
func (h *history) Move(n int) {
	h.moved(h.cursor.Move(n))
}

// End goes to the first version, or to the last.
func (h *history) End(bottom bool) { h.moved(h.cursor.End(bottom)) }

// moved is called after a move; on the newest version the cursor follows newer ones.
func (h *history) moved(chosen bool) {
	if !chosen {
		return
	}
	h.cursor.Follow, h.differ.Top = h.cursor.At() == 0, 0
	h.p.o.env.Chose(page.Subject{Resource: h.p.Of.ID(), Key: h.p.key}, h.selected().revision)
}

// setBase compares all versions with the selected one; called again, each with the one before it.
func (h *history) setBase() {
	v := h.selected()
	if v == nil {
		return
	}
	if h.base == v.revision {
		h.base = 0
		h.p.o.env.Say("each version is compared with the one before it")
		return
	}
	h.base = v.revision
	h.p.o.env.Say("versions are compared with rv %d; m on it again: each with the one before", h.base)
}

// compared returns the version that the selected one is compared with, nil if there is none.
func (h *history) compared() *version {
	for i := range h.past.versions {
		if h.base != 0 && h.past.versions[i].revision == h.base {
			return &h.past.versions[i]
		}
	}
	if i := h.cursor.At() + 1; i < len(h.past.versions) {
		return &h.past.versions[i]
	}
	return nil
}

// draw draws the versions, and below them the difference.
func (h *history) draw(c *term.Canvas, r term.Rect, focused bool) {
	if !h.loaded {
		c.Put(r, 1, 0, term.Dim, "looking for older versions …")
		return
	}
	vs := h.past.versions
	list := term.Rect{X: r.X, Y: r.Y, W: r.W, H: max(2, min(len(vs)+2, r.H*2/5))}
	c.Put(list, 1, 0, term.Head, term.Fit(fmt.Sprintf("%8s    %-8s  who    lines", "rv", "when"), r.W-2))
	body := list.From(1)
	body.H--
	h.cursor.Draw(c, body, term.Pick(focused, term.Selected, term.Shadowed), func(row term.Rect, i int) {
		c.Line(row, 1, 0, term.FitLine(h.versionLine(i), r.W-2))
	})
	c.Line(list, 1, list.H-1, term.FitLine(term.Text(term.Dim, h.endNote()), r.W-2))
	h.drawDifference(c, r.From(list.H))
}

// endNote describes the end of the list.
func (h *history) endNote() string {
	n := term.Plural(len(h.past.versions), "version")
	if h.past.end == "" {
		return n
	}
	return n + "; " + h.past.end
}

func (h *history) versionLine(i int) term.Line {
	v := &h.past.versions[i]
	at := "–"
	if !v.at.IsZero() {
		at = v.at.Format("15:04:05")
	}
	st := term.Bold
	switch v.letter {
	case "C":
		st = term.Add
	case "D", "T":
		st = term.Del
	case "X":
		st = term.Warn
	}
	mark := "  "
	if v.revision == h.base {
		mark = "◆ "
	}
	l := term.Line{term.Marked.Of(mark), term.Num.Of(fmt.Sprintf("%6d ", v.revision)), st.Of(v.letter),
		term.Dim.Of("  " + term.Pad(at, 10)), term.Accent.Of(term.Pad(term.Fit(v.who, 6), 7))}
	if i+1 < len(h.past.versions) && v.body != nil {
		l = append(l, term.Add.Of(fmt.Sprintf("+%d ", v.more)), term.Del.Of(fmt.Sprintf("-%d", v.less)))
	}
	return append(l, term.Dim.Of("  "+h.p.o.env.Store().Letter(v.letter)))
}

func (h *history) drawDifference(c *term.Canvas, r term.Rect) {
	v := h.selected()
	if v == nil || r.H < 2 {
		return
	}
	base := h.compared()
	title := term.Line{term.Plain.Of(fmt.Sprintf("rv %d", v.revision))}
	if base != nil && base != v {
		title = term.Line{term.Plain.Of(fmt.Sprintf("from rv %d to rv %d", base.revision, v.revision))}
	}
	if now := (difference{base, v, r.W - 1, h.p.managed}); now != h.made {
		h.made, h.differ.Lines = now, now.lines()
	}
	c.Rule(r, 0, term.Border, title, term.Line{term.Key.Of("m"), term.Dim.Of(" compare with "), term.Key.Of("J K"),
		term.Dim.Of(" scroll")})
	h.differ.Draw(c, r.From(1), r)
}

func (d difference) lines() []term.Line {
	switch d.from {
	case nil:
		text := term.Pick(d.managed, body.VersionText, body.ObjectText)
		return body.YAMLLines(body.Joined(text(d.to.body)), d.width)
	case d.to:
		return []term.Line{term.Text(term.Dim, "  the other versions are compared with this one")}
	}
	return body.Changes(d.from.body, d.to.body, body.VersionText, d.managed, d.width)
}
