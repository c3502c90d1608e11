package learn

import (
	"cmp"
	"strings"

	"kubarium/cells"
	"kubarium/tui/term"
)

// A lessonPage is an overlay with the whole text of a step, and the list of all steps. It follows the lesson, whose
// keys still work.
type lessonPage struct {
	term.Reader
	l *Page
}

func (l *Page) openPage() {
	l.env.Over = &lessonPage{term.Reader{Title: l.Loaded.Title, Lines: l.pageLines}, l}
}

// Key handles the keys of the page; those of the lesson still work.
func (p *lessonPage) Key(h term.Host, k string) {
	switch k {
	case "L":
		h.CloseOver()
	case "y":
		p.l.env.CopyLessonCommand()
	case "space", ".", ",", "<", ">", "R":
		p.l.env.Press(k)
	default:
		if k == "esc" || !p.l.AnswerKey(k) { // esc closes the overlay
			p.Reader.Key(h, k)
		}
	}
}

// pageLines are the lines of a lessonPage.
func (l *Page) pageLines(w int) []term.Line {
	s := l.Loaded.Player.State()
	p := term.Column{W: w}
	p.Title(l.stepTitle(s))
	p.Blank()
	l.tellAll(&p, s)
	p.Blank()
	for i, step := range l.Loaded.Steps {
		p.More(stepLine(i, l.told(s), step, s, w))
	}
	p.Blank()
	p.Add(l.pageKeys(s)...)
	return p.Lines
}

// pageKeys are the present keys, for the end of the page.
func (l *Page) pageKeys(s State) term.Line {
	return append(l.keysNow(s), l.keyLine([][2]string{{",", "back"}, {"R", "again"}, {"esc", "close"}}, term.Dim)...)
}

// tellAll adds the whole text of the present step, or its question.
func (l *Page) tellAll(p *term.Column, s State) {
	if q := l.Asking(); q != nil && l.back == 0 {
		p.More(l.questionLines(q, p.W)...)
		return
	}
	p.More(l.noticeLines(s, p.W)...)
	now := l.telling(s)
	p.Say(term.Plain, cmp.Or(now.Narration, l.Loaded.Summary))
	if s.Problem != "" {
		p.Blank()
		p.Say(term.Err, "✗ "+s.Problem)
	}
	if now.LookAt != "" {
		p.Blank()
		p.Say(term.Plain, l.env.T("Look at: ")+now.LookAt)
	}
	if now.You != "" {
		p.Blank()
		p.Add(term.Bold.Of(strings.TrimRight(l.youLabel(s), ":： ")), term.Dim.Of(" ("), term.Key.Of("y"),
			term.Dim.Of(l.env.T(" copies)")))
		for _, s := range wrapWords(l.command(now), p.W) {
			p.Add(term.Accent.Of(s))
		}
		p.More(l.awaitLines(s, p.W)...)
	}
	if end := l.endLines(s, p.W); len(end) > 0 {
		p.Blank()
		p.More(end...)
	}
}

// command returns the command of a step, with the flags for this server.
func (l *Page) command(t Telling) string { return t.Command(l.Loaded.Kubectl) }

// offered returns the command that the loaded lesson offers now; "" if there is none.
func (l *Page) offered() string {
	if l.Loaded == nil {
		return ""
	}
	return l.command(l.telling(l.Loaded.Player.State()))
}

// wrapWords breaks a command at its blanks, and words that are longer than a line anywhere.
func wrapWords(s string, w int) []string {
	var out []string
	at := ""
	for _, word := range strings.Split(s, " ") {
		switch {
		case at == "":
			at = word
		case cells.Width(at)+1+cells.Width(word) <= w:
			at += " " + word
		default:
			out, at = append(out, at), word
		}
		for n := cells.Cut(at, w); n < len(at) && n > 0; n = cells.Cut(at, w) {
			out, at = append(out, at[:n]), at[n:]
		}
	}
	return append(out, at)
}
