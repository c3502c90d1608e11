package tui

import (
	"fmt"
	"strings"
)

// drawStrip shows where the loaded lesson stands: a rule and four lines, or one line where there is no room.
func (l *learn) drawStrip(c *canvas, r rect) {
	if r.empty() || l.loaded == nil {
		return
	}
	s := l.loaded.Player.State()
	if r.h < 5 {
		l.drawStripLine(c, r, s)
		return
	}
	st, sign := phaseSign(s.Phase)
	title := line{{sPlain, "learn · "}, {sBold, l.loaded.Title}, {sPlain, fmt.Sprintf(" · step %d/%d", s.Done, len(l.loaded.Steps))}}
	keys := " · space " + pick(s.Phase == LessonRunning, "pause", "run") + "  . step  , back  R reset  \\ hide"
	if l.asking() != nil {
		keys = " · . skip  , back  R reset  \\ hide"
	}
	c.rule(r, 0, sBorder, title, line{{st, sign + " "}, {sPlain, string(s.Phase) + l.speedNote() + keys}})
	l.drawSteps(c, rect{r.x, r.y + 1, r.w, 1}, s)
	if q := l.asking(); q != nil && l.back == 0 {
		l.drawQuestion(c, r.from(2), q)
		return
	}
	now := l.telling(s)
	told := wrap(firstOf(s.Problem, now.Narration, l.loaded.Summary), r.w-2)
	for i, t := range told[:min(2, len(told))] {
		if i == 1 && len(told) > 2 {
			t = fit(t+" "+told[2], r.w-2)
		}
		c.put(r, 1, 2+i, sPlain, t)
	}
	x := 1
	if now.LookAt != "" {
		x = c.put(r, x, 4, sPlain, fit("Look at: "+now.LookAt, r.w*6/10)) + 3
	}
	if now.You != "" {
		c.put(r, x, 4, sAccent, fit("You: "+now.You, r.w-x-1))
	}
}

// drawStripLine is the strip in one line, or in two for a question.
func (l *learn) drawStripLine(c *canvas, r rect, s LessonState) {
	st, sign := phaseSign(s.Phase)
	x := c.put(r, 1, 0, st, sign+" ")
	x = c.put(r, x, 0, sBold, fmt.Sprintf("%d/%d ", s.Done, len(l.loaded.Steps)))
	if q := l.asking(); q != nil && l.back == 0 {
		c.put(r, x, 0, sBold, fit("? "+q.Ask, r.w-x-1))
		c.line(r, 3, 1, fitLine(append(l.choices(q), span{sKey, "."}, span{sDim, " skip"}), r.w-4))
		return
	}
	keys := "space run  . step  , back"
	c.put(r, x, 0, sPlain, fit(firstOf(s.Problem, l.telling(s).Narration, l.loaded.Title), r.w-x-len(keys)-3))
	c.right(r, r.w-1, 0, sDim, keys)
}

// drawQuestion asks, with the keys that answer.
func (l *learn) drawQuestion(c *canvas, r rect, q *Question) {
	c.put(r, 1, 0, sBold, fit("? "+q.Ask, r.w-2))
	c.line(r, 3, 1, fitLine(l.choices(q), r.w-4))
	c.line(r, 3, 2, fitLine(line{{sDim, "What do you expect? The step is played when you have answered; "}, {sKey, "."}, {sDim, " goes on without."}}, r.w-4))
}

// choices are a question's answers, each after its key.
func (l *learn) choices(q *Question) line {
	var out line
	for i, choice := range q.Choices {
		out = append(out, span{sKey, choiceKey(i) + " "}, span{sPlain, choice + "   "})
	}
	return out
}

func (l *learn) drawSteps(c *canvas, r rect, s LessonState) {
	x := 1
	from := max(0, s.Done-2)
	for i := from; i < len(l.loaded.Steps) && x < r.w; i++ {
		ln := stepLine(i, fit(l.loaded.Steps[i], 28), s, r.w-x)
		ln[0].s = strings.TrimLeft(strings.Replace(ln[0].s, "  ", " ", 1), " ")
		x = c.line(rect{r.x, r.y, r.w - 1, 1}, x, 0, ln) + 2
	}
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
