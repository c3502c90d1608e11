package learn

import (
	"cmp"
	"fmt"
	"strings"

	"kubarium/cells"
	"kubarium/scenarios"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// stripShare is the part of the screen's height that the strip of a lesson takes at most: a third.
const stripShare = 3

// StripHeight returns how many lines the strip takes: a rule and its text; 0 if it is hidden.
func (l *Page) StripHeight(w, h int) int {
	if !l.shown() {
		return 0
	}
	s := l.Loaded.Player.State()
	most := max(2, h/stripShare)
	if s.Phase == Done || s.Notice != nil || s.Await != nil { // there is more text than the step's
		most = max(most, h*2/5)
	}
	return min(1+len(l.stripLines(s, w, most-1)), most)
}

// DrawStrip draws the state of the loaded lesson: a rule, and below it the step's text or question.
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

// stripRule has the lesson's title if there is room, else the step's; and the lesson's state with the present keys, as
// many as fit next to the title.
func (l *Page) stripRule(s State, w int) (title, note term.Line) {
	st, sign, word := l.standsAt(s)
	state := append(term.Line{st.Of(sign + " "), term.Plain.Of(l.env.T(word) + " · ")}, l.keysNow(s)...)
	state = append(state, l.keyLine([][2]string{{"esc", "leave"}}, term.Plain)...)
	pace := l.Pace()
	if w < page.WideWidth {
		state[len(state)-1].Text = strings.TrimRight(state[len(state)-1].Text, " ")
		note = append(state[:len(state):len(state)], term.Dim.Of(l.env.T("  L whole")))
		if w >= 100 {
			note = append(note, term.Dim.Of(l.env.F("  pace %s", pace)))
		}
		return term.Line{term.Bold.Of(term.Fit(l.stepTitle(s), max(10, w-9-note.Width())))}, note
	}
	title = term.Line{term.Plain.Of(l.env.T("learn · ")), term.Bold.Of(l.Loaded.Title)}
	if i := l.told(s); i >= 0 {
		title = append(title, term.Plain.Of(l.env.F(" · step %d/%d", i+1, len(l.Loaded.Steps))))
	}
	if who := l.actor(s); who != "" && title.Width()+cells.Width(who)+state.Width()+26 < w {
		title = append(title, term.Plain.Of(" · "+who))
	}
	for _, more := range []string{
		l.env.F(", back  L whole  R again  > pace %s  \\ hide", pace), l.env.F(", back  L whole  > pace %s", pace),
		l.env.F("L whole  > pace %s", pace), l.env.F("> pace %s", pace), "",
	} {
		note = append(state[:len(state):len(state)], term.Dim.Of(more))
		if title.Width()+note.Width()+8 < w {
			break
		}
	}
	return term.FitLine(title, w-note.Width()-9), note
}

// standsAt returns the lesson's state as a sign and a word.
func (l *Page) standsAt(s State) (st term.Style, sign, word string) {
	switch {
	case l.back > 0:
		return term.Dim, "◂", "looking back"
	case s.Notice != nil:
		return term.Warn, "!", "disturbed"
	case s.Phase == Waiting && s.Await != nil:
		return term.Warn, "▸", "your turn"
	case s.Phase == Waiting:
		return term.Warn, "?", "your guess"
	case s.Phase == Idle:
		return term.Dim, "○", "new"
	}
	if s.Phase == Paused && s.Came != "" {
		return term.Open, "✓", "that was it"
	}
	st, sign = phaseSign(s.Phase)
	word = string(s.Phase)
	if s.Phase == Running && !l.waits() {
		word += " " + l.Pace()
	}
	return st, sign, word
}

// actor returns the sender of the step's request with its role: "B: counts the plants".
func (l *Page) actor(s State) string {
	if l.Asking() != nil && l.back == 0 {
		return ""
	}
	name := l.telling(s).Sent.Actor
	for _, a := range l.Loaded.Actors {
		if a.Name == name {
			return a.Name + ": " + a.Role
		}
	}
	return ""
}

// keysNow are the keys that make sense in the lesson's state.
func (l *Page) keysNow(s State) term.Line {
	keys := [][2]string{{"space", term.Pick(l.waits(), "next step", "play on")}}
	switch {
	case l.back > 0:
		keys = [][2]string{{".", "forward"}}
	case s.Notice != nil:
		keys = [][2]string{{"space", "go on"}, {"w", "who did it"}}
	case s.Phase == Waiting && s.Await != nil:
		keys = [][2]string{{"y", "copy"}, {".", "play it for me"}}
	case l.Asking() != nil:
		keys = [][2]string{{strings.Join(choiceNames(l.Asking()), " "), "answer"}, {".", "skip"}}
	case s.Phase == Waiting:
		keys = [][2]string{{".", "skip"}}
	case s.Phase == Running:
		keys = [][2]string{{"space", "pause"}}
	case s.Phase == Failed:
		keys = [][2]string{{"R", "begin again"}}
	case s.Phase == Done && l.Loaded.Next == "":
		keys = nil
	case s.Phase == Done:
		keys = [][2]string{{"space", "next lesson"}}
	case s.Phase == Idle:
		keys = [][2]string{{"space", "begin"}}
	}
	return l.keyLine(keys, term.Plain)
}

// keyLine names keys with what they do.
func (l *Page) keyLine(keys [][2]string, st term.Style) term.Line {
	var out term.Line
	for _, k := range keys {
		out = append(out, term.Key.Of(k[0]), st.Of(" "+l.env.T(k[1])+"  "))
	}
	return out
}

// stepTitle returns the number and the title of the present step; before the first step, the lesson's title.
func (l *Page) stepTitle(s State) string {
	i := l.told(s)
	if i < 0 || i >= len(l.Loaded.Steps) {
		return l.Loaded.Title
	}
	return fmt.Sprintf("%d/%d %s", i+1, len(l.Loaded.Steps), l.Loaded.Steps[i])
}

// told returns the index of the step whose text is shown, looking back or not; -1 before the first one.
func (l *Page) told(s State) int {
	return current(l.Loaded, s) - l.back
}

// current returns the index of the present step: the one with an open question, or the last one told; -1 before the
// first.
func current(le *Lesson, s State) int {
	switch s.Phase {
	case Idle:
		return -1
	case Waiting, Failed:
		return s.Done
	}
	return len(le.Player.Told()) - 1
}

// stripLines are the lines below the rule, at most room of them.
func (l *Page) stripLines(s State, w, room int) []term.Line {
	var out []term.Line
	if w >= page.WideWidth {
		out = append(out, l.stepsLine(s, w-2))
	}
	if q := l.Asking(); q != nil && l.back == 0 {
		return cut(append(append(out, l.noticeLines(s, w-2)...), l.questionLines(q, w-2)...), room)
	}
	return append(out, l.toldLines(s, w-2, room-len(out))...)
}

// toldLines are the text of a step, where to look, what to do, and at the end what was learned. If there is not enough
// room, the text is cut: L shows it whole.
func (l *Page) toldLines(s State, w, room int) []term.Line {
	now := l.telling(s)
	told := term.WrapLines(term.Plain, cmp.Or(now.Narration, l.Loaded.Summary), w)
	if s.Problem != "" {
		told = term.WrapLines(term.Err, "✗ "+s.Problem, w)
	}
	if s.Phase == Idle && len(l.Loaded.Actors) > 0 {
		told = append(told, l.actorsLine(w)...)
	}
	var rest []term.Line
	if now.LookAt != "" {
		rest = append(rest, labelled(l.env.T("Look at: "), now.LookAt, w)...)
	}
	if now.You != "" && (now.Sent.Actor != scenarios.Reader || s.Await != nil && l.back == 0) { // else it was sent
		rest = append(rest, l.youLines(s, now, w)...)
	}
	rest = append(append(rest, l.awaitLines(s, w)...), l.endLines(s, w)...)
	notice := l.noticeLines(s, w)
	if most := max(1, room-len(rest)-len(notice)); len(told) > most {
		told = append(told[:most-1:most-1], term.FitLine(append(told[most-1], told[most]...), w))
	}
	return cut(append(append(notice, told...), rest...), room)
}

// actorsLine names all actors in one paragraph.
func (l *Page) actorsLine(w int) []term.Line {
	var who []string
	for _, a := range l.Loaded.Actors {
		who = append(who, a.Name+": "+a.Role)
	}
	return labelled(l.env.T("Who: "), strings.Join(who, " · "), w)
}

// youLabel is the label of a step's command: one to try, or the one that the lesson waits for.
func (l *Page) youLabel(s State) string {
	return l.env.T(term.Pick(s.Await != nil && l.back == 0, "Your turn: ", "You: "))
}

// youLines are the command of a step, with the keys that copy it.
func (l *Page) youLines(s State, now Telling, w int) []term.Line {
	label := l.youLabel(s)
	you := labelLines(label, term.Accent, wrapWords(label+l.command(now), w))
	note := l.env.T(term.Pick(s.Await != nil && l.back == 0, "   y copies", "   y u copies"))
	if last := &you[len(you)-1]; last.Width()+cells.Width(note) <= w {
		*last = append(*last, term.Dim.Of(note))
	}
	return you
}

// awaitLines say that the lesson waits for the user's command, or what came instead.
func (l *Page) awaitLines(s State, w int) []term.Line {
	switch {
	case s.Await == nil || l.back > 0:
		return nil
	case s.Await.Came != "":
		return term.WrapLines(term.Warn, l.env.F("✗ %s. Still waiting.", s.Await.Came), w)
	}
	return []term.Line{term.Text(term.Dim, term.Fit(l.env.T("Waiting for it: send it in another terminal."), w))}
}

// noticeLines describe a disturbance by another client, with the keys to go on.
func (l *Page) noticeLines(s State, w int) []term.Line {
	n := s.Notice
	if n == nil || l.back > 0 {
		return nil
	}
	said := l.env.F("! %s %s %s, which belongs to this lesson: its next texts may no longer hold.",
		n.By(l.env.Store()), n.Did, n.Object)
	ways := term.Line{term.Key.Of("  space"), term.Plain.Of(l.env.T(" goes on   ")), term.Key.Of("R"),
		term.Plain.Of(l.env.T(" begins again   "))}
	if n.Seq != 0 {
		ways = append(ways, term.Key.Of("w"), term.Plain.Of(l.env.F(" shows request #%d", n.Seq)))
	}
	return append(term.WrapLines(term.Warn, said, w), ways)
}

// endLines say at the end what was learned, and which lesson is next.
func (l *Page) endLines(s State, w int) []term.Line {
	if s.Phase != Done || l.back > 0 {
		return nil
	}
	var out []term.Line
	if l.Loaded.Learned != "" {
		out = labelled(l.env.T("Learned: "), l.Loaded.Learned, w)
	}
	if next := l.named(l.Loaded.Next); next != nil {
		line := term.Line{term.Bold.Of(l.env.T("Next: ")), term.Plain.Of(next.Title + "   "), term.Key.Of("space"),
			term.Dim.Of(l.env.T(" goes there"))}
		out = append(out, term.FitLine(line, w))
	} else {
		out = append(out, term.Line{term.Dim.Of(l.env.T("This was the last lesson; ")), term.Key.Of("8"),
			term.Dim.Of(l.env.T(" lists all"))})
	}
	return out
}

// named returns the lesson with this name, nil if there is none.
func (l *Page) named(name string) *Lesson {
	for i := range l.Lessons {
		if l.Lessons[i].Name == name {
			return &l.Lessons[i]
		}
	}
	return nil
}

// labelled returns a text after a label, in lines.
func labelled(label, text string, w int) []term.Line {
	return labelLines(label, term.Plain, term.Wrap(label+text, w))
}

// labelLines returns lines of a text that begins with a label.
func labelLines(label string, st term.Style, wrapped []string) []term.Line {
	out := make([]term.Line, len(wrapped))
	for i, s := range wrapped {
		out[i] = term.Text(st, s)
	}
	out[0] = term.Line{term.Bold.Of(label), st.Of(strings.TrimPrefix(wrapped[0], label))}
	return out
}

func cut(lines []term.Line, room int) []term.Line { return lines[:max(0, min(len(lines), room))] }

// questionLines are the question, with the keys that answer.
func (l *Page) questionLines(q *Question, w int) []term.Line {
	out := term.WrapLines(term.Bold, "? "+q.Ask, w)
	return append(append(out, choices(q, w)...),
		term.Line{term.Dim.Of(l.env.T("  What do you expect? ")), term.Key.Of("."),
			term.Dim.Of(l.env.T(" plays the step without an answer"))})
}

// choices are the answers of a question with their keys: in one line if they fit.
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

// stepsLine has the titles of the steps around the present one in one line.
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
