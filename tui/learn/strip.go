package learn

import (
	"fmt"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// stripShare is how much of the screen's height the strip of a lesson takes at most: a third.
const stripShare = 3

// StripHeight is how many lines of a screen the strip takes: a rule and what its words need; 0 if it is not shown.
func (l *Page) StripHeight(w, h int) int {
	if !l.shown() {
		return 0
	}
	most := max(2, h/stripShare)
	return min(1+len(l.stripLines(l.Loaded.Player.State(), w, most-1)), most)
}

// DrawStrip shows where the loaded lesson stands: a rule, and below it what the step tells or asks.
func (l *Page) DrawStrip(c *term.Canvas, r term.Rect) {
	if r.Empty() || l.Loaded == nil {
		return
	}
	s := l.Loaded.Player.State()
	title, note := l.stripRule(s, r.W)
	c.Rule(r, 0, term.Border, title, note)
	for y, ln := range l.stripLines(s, r.W, r.H-1) {
		c.Line(r, 1, 1+y, term.FitLine(ln, r.W-2))
	}
}

// stripRule names the lesson where there is room, and otherwise the step that the words are about; and it tells the state
// with the keys of the moment, as many as fit beside the name.
func (l *Page) stripRule(s State, w int) (title, note term.Line) {
	st, sign := phaseSign(s.Phase)
	play := term.Pick(l.Asking() != nil, ". skip", "space "+term.Pick(s.Phase == Running, "pause", "run")+"  . step")
	state := term.Line{st.Of(sign + " "), term.Plain.Of(string(s.Phase) + l.speedNote() + " · " + play)}
	if w < page.WideWidth {
		note = append(state, term.Plain.Of("  L whole"))
		return term.Line{term.Bold.Of(term.Fit(l.stepTitle(s), max(10, w-9-note.Width())))}, note
	}
	title = term.Line{term.Plain.Of("learn · "), term.Bold.Of(l.Loaded.Title), term.Plain.Of(fmt.Sprintf(" · step %d/%d", l.told(s)+1, len(l.Loaded.Steps)))}
	for _, more := range []string{"  , back  L whole  R reset  \\ hide", "  , back  L whole", "  L whole"} {
		note = append(state[:2:2], term.Plain.Of(more))
		if title.Width()+note.Width()+8 < w {
			break
		}
	}
	return title, note
}

// stepTitle is the number and the title of the step that the words are about; of the lesson before its first step.
func (l *Page) stepTitle(s State) string {
	i := l.told(s)
	if i < 0 || i >= len(l.Loaded.Steps) {
		return l.Loaded.Title
	}
	return fmt.Sprintf("%d/%d %s", i+1, len(l.Loaded.Steps), l.Loaded.Steps[i])
}

// told is the index of the step that the words are about, looking back or not; -1 before the first one.
func (l *Page) told(s State) int {
	if l.back > 0 {
		return len(l.Loaded.Player.Told()) - 1 - l.back
	}
	return current(l.Loaded, s)
}

// current is the index of the step that a lesson is at: the one that it asks about, or has told last; -1 before the first.
func current(le *Lesson, s State) int {
	switch s.Phase {
	case Idle:
		return -1
	case Waiting, Failed:
		return s.Done
	}
	return len(le.Player.Told()) - 1
}

// stripLines are the lines below the rule, at most room.
func (l *Page) stripLines(s State, w, room int) []term.Line {
	var out []term.Line
	if w >= page.WideWidth {
		out = append(out, l.stepsLine(s, w-2))
	}
	if q := l.Asking(); q != nil && l.back == 0 {
		return cut(append(out, l.questionLines(q, w-2)...), room)
	}
	return append(out, l.toldLines(s, w-2, room-len(out))...)
}

// toldLines are what a step tells, where to look, and what to try. Where that is more than there is room for, the
// narration gives way: L tells it whole.
func (l *Page) toldLines(s State, w, room int) []term.Line {
	now := l.telling(s)
	told := term.WrapLines(term.Plain, firstOf(now.Narration, l.Loaded.Summary), w)
	if s.Problem != "" {
		told = term.WrapLines(term.Err, "✗ "+s.Problem, w)
	}
	var rest []term.Line
	if now.LookAt != "" {
		rest = append(rest, labelled("Look at: ", term.Plain, term.Wrap("Look at: "+now.LookAt, w))...)
	}
	if now.You != "" {
		you := labelled("You: ", term.Accent, wrapWords("You: "+l.command(now), w))
		if last := &you[len(you)-1]; last.Width()+len(copyNote) <= w {
			*last = append(*last, term.Dim.Of(copyNote))
		}
		rest = append(rest, you...)
	}
	if most := max(1, room-len(rest)); len(told) > most {
		told = append(told[:most-1:most-1], term.FitLine(append(told[most-1], told[most]...), w))
	}
	return cut(append(told, rest...), room)
}

// copyNote says how the command of a lesson is copied: with the entry u of what y offers.
const copyNote = "   y u copies"

// labelled makes lines of a text that opens with a label.
func labelled(label string, st term.Style, wrapped []string) []term.Line {
	out := make([]term.Line, len(wrapped))
	for i, s := range wrapped {
		out[i] = term.Text(st, s)
	}
	out[0] = term.Line{term.Bold.Of(label), st.Of(strings.TrimPrefix(wrapped[0], label))}
	return out
}

func cut(lines []term.Line, room int) []term.Line { return lines[:max(0, min(len(lines), room))] }

// questionLines ask, with the keys that answer.
func (l *Page) questionLines(q *Question, w int) []term.Line {
	out := term.WrapLines(term.Bold, "? "+q.Ask, w)
	return append(append(out, choices(q, w)...),
		term.Line{term.Dim.Of("  What do you expect? "), term.Key.Of("."), term.Dim.Of(" plays the step without an answer")})
}

// choices are a question's answers, each after its key: in one line if they fit.
func choices(q *Question, w int) []term.Line {
	one := term.Line{term.Plain.Of("  ")}
	var each []term.Line
	for i, choice := range q.Choices {
		one = append(one, term.Key.Of(ChoiceKey(i)+" "), term.Plain.Of(choice+"   "))
		each = append(each, term.Line{term.Plain.Of("  "), term.Key.Of(ChoiceKey(i) + " "), term.Plain.Of(choice)})
	}
	if one.Width() <= w {
		return []term.Line{one}
	}
	return each
}

// stepsLine is the titles of the steps around the present one, in one line.
func (l *Page) stepsLine(s State, w int) term.Line {
	var out term.Line
	now := current(l.Loaded, s)
	for i := max(0, now-2); i < len(l.Loaded.Steps) && out.Width() < w; i++ {
		ln := stepLine(i, now, term.Fit(l.Loaded.Steps[i], 28), s, w)
		ln[0].Text = strings.TrimLeft(strings.Replace(ln[0].Text, "  ", " ", 1), " ")
		out = append(append(out, ln...), term.Plain.Of("  "))
	}
	return term.FitLine(out, w)
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
