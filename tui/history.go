package tui

import (
	"fmt"

	"kubarium/server/flow/object"
)

// history is the tab with an object's versions, and what differs between two of them.
type history struct {
	p      *objectPane
	past   past
	loaded bool
	cursor int
	at     int64 // the revision under the cursor; 0 follows the newest
	base   int64 // the version that others are compared with; 0 is always the one before
	top    int
	tall   int
	scroll int // of the difference
	since  int // generation
}

// load finds out anew how the object came to be.
func (h *history) load() {
	h.since++
	since, d := h.since, h.digger()
	h.p.o.u.do(workEffect{func() func() {
		found := d.dig()
		return func() {
			if since == h.since {
				h.take(found)
			}
		}
	}})
}

// digger finds the versions of the object that is shown.
func (h *history) digger() *digger {
	p, u := h.p, h.p.o.u
	return &digger{a: p.o.api, log: u.log, of: *p.of, key: p.key, commits: u.time.ofObject(object.Ref{Resource: p.of.id(), Namespace: p.key.namespace, Name: p.key.name}), head: u.time.head, mask: u.maskerOf(p.of.name)}
}

func (h *history) take(found past) {
	h.past, h.loaded = found, true
	h.cursor = 0
	for i, v := range found.versions {
		if v.revision == h.at {
			h.cursor = i
		}
	}
}

func (h *history) selected() *version {
	if h.cursor >= len(h.past.versions) {
		return nil
	}
	return &h.past.versions[h.cursor]
}

func (h *history) move(n int) {
	if len(h.past.versions) == 0 {
		return
	}
	h.cursor = max(0, min(h.cursor+n, len(h.past.versions)-1))
	h.at, h.scroll = h.past.versions[h.cursor].revision, 0
	if h.cursor == 0 {
		h.at = 0
	}
	h.p.o.u.chose(subject{h.p.of.id(), h.p.key}, h.past.versions[h.cursor].revision)
}

func (h *history) end(bottom bool) { h.move(pick(bottom, len(h.past.versions), -len(h.past.versions))) }

// setBase compares all versions with the selected one; again compares each with the one before it.
func (h *history) setBase() {
	v := h.selected()
	if v == nil {
		return
	}
	if h.base == v.revision {
		h.base = 0
		h.p.o.u.say("each version is compared with the one before it")
		return
	}
	h.base = v.revision
	h.p.o.u.say("versions are compared with rv %d; m on it again: each with the one before", h.base)
}

// compared is the version that the selected one is compared with, nil if there is none.
func (h *history) compared() *version {
	for i := range h.past.versions {
		if h.base != 0 && h.past.versions[i].revision == h.base {
			return &h.past.versions[i]
		}
	}
	if h.cursor+1 < len(h.past.versions) {
		return &h.past.versions[h.cursor+1]
	}
	return nil
}

// draw lists the versions, and under them what differs.
func (h *history) draw(c *canvas, r rect, focused bool) {
	if !h.loaded {
		c.put(r, 1, 0, sDim, "looking for older versions …")
		return
	}
	vs := h.past.versions
	list := rect{r.x, r.y, r.w, max(2, min(len(vs)+2, r.h*2/5))}
	c.put(list, 1, 0, sHead, fit(fmt.Sprintf("%8s    %-8s  who    lines", "rv", "when"), r.w-2))
	h.tall = list.h - 2
	h.top = max(0, min(h.top, h.cursor, len(vs)-h.tall), h.cursor-h.tall+1)
	for y := 0; y < h.tall && h.top+y < len(vs); y++ {
		row := list.row(y + 1)
		c.line(row, 1, 0, fitLine(h.versionLine(h.top+y), r.w-2))
		if h.top+y == h.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, pick(focused, selected, shadowed))
		}
	}
	c.line(list, 1, list.h-1, fitLine(text(sDim, h.endNote()), r.w-2))
	h.drawDifference(c, r.from(list.h))
}

// endNote says what the oldest version is.
func (h *history) endNote() string {
	n := plural(len(h.past.versions), "version")
	if h.past.end == "" {
		return n
	}
	return n + "; " + h.past.end
}

func (h *history) versionLine(i int) line {
	v := &h.past.versions[i]
	at := "–"
	if !v.at.IsZero() {
		at = v.at.Format("15:04:05")
	}
	st := sBold
	switch v.letter {
	case "C":
		st = sAdd
	case "D", "T":
		st = sDel
	case "X":
		st = sWarn
	}
	mark := "  "
	if v.revision == h.base {
		mark = "◆ "
	}
	l := line{{sMark, mark}, {sNum, fmt.Sprintf("%6d ", v.revision)}, {st, v.letter}, {sDim, "  " + pad(at, 10)}, {sAccent, pad(fit(v.who, 6), 7)}}
	if i+1 < len(h.past.versions) && v.body != nil {
		l = append(l, span{sAdd, fmt.Sprintf("+%d ", v.more)}, span{sDel, fmt.Sprintf("-%d", v.less)})
	}
	return append(l, span{sDim, "  " + letterWords[v.letter]})
}

func (h *history) drawDifference(c *canvas, r rect) {
	v := h.selected()
	if v == nil || r.h < 2 {
		return
	}
	base := h.compared()
	title := line{{sPlain, fmt.Sprintf("rv %d", v.revision)}}
	var lines []line
	switch {
	case base == nil:
		lines = yamlLines(joined(yamlText(v.body)), r.w-1)
	case base == v:
		lines = []line{text(sDim, "  the other versions are compared with this one")}
	default:
		title = line{{sPlain, fmt.Sprintf("from rv %d to rv %d", base.revision, v.revision)}}
		lines = diffLines(yamlText(base.body), yamlText(v.body), r.w-1)
	}
	c.rule(r, 0, sBorder, title, line{{sKey, "m"}, {sDim, " compare with "}, {sKey, "J K"}, {sDim, " scroll"}})
	body := r.from(1)
	h.scroll = max(0, min(h.scroll, len(lines)-body.h))
	for y := 0; y < body.h && h.scroll+y < len(lines); y++ {
		c.line(body, 0, y, lines[h.scroll+y])
	}
	if rest := len(lines) - h.scroll - body.h; rest > 0 {
		c.right(r, r.w, r.h-1, sDim, fmt.Sprintf(" %d more ▼", rest))
	}
}

func joined(lines []string) []byte {
	var out []byte
	for _, l := range lines {
		out = append(append(out, l...), '\n')
	}
	return out
}
