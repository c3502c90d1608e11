package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A lessonPage lies over the screen and tells the whole of a step: its words, and where it stands among the others. It
// follows the lesson, whose keys go on working.
type lessonPage struct {
	reader
	l *learn
}

func (l *learn) openPage() {
	l.u.over = &lessonPage{reader{title: l.loaded.Title, lines: l.pageLines}, l}
}

func (p *lessonPage) key(h host, k string) {
	switch k {
	case "L":
		h.closeOver()
	case "y":
		p.l.u.copyLessonCommand()
	case "space", ".", ",", "<", ">":
		p.l.u.press(k)
	default:
		if !p.l.answerKey(k) {
			p.reader.key(h, k)
		}
	}
}

// pageLines are the lines of a lessonPage.
func (l *learn) pageLines(w int) []line {
	s := l.loaded.Player.State()
	p := inspectorPage{w: w}
	p.title(l.stepTitle(s))
	p.blank()
	l.tellAll(&p, s)
	p.blank()
	for i, step := range l.loaded.Steps {
		p.more(stepLine(i, l.told(s), step, s, w))
	}
	p.blank()
	p.add(span{sKey, "."}, span{sDim, " step  "}, span{sKey, ","}, span{sDim, " back  "},
		span{sKey, "space"}, span{sDim, pick(s.Phase == LessonRunning, " pause  ", " run  ")}, span{sKey, "esc"}, span{sDim, " close"})
	return p.lines
}

// tellAll tells the whole of the present step, or asks its question.
func (l *learn) tellAll(p *inspectorPage, s LessonState) {
	if q := l.asking(); q != nil && l.back == 0 {
		p.more(l.questionLines(q, p.w)...)
		return
	}
	now := l.telling(s)
	p.say(sPlain, firstOf(now.Narration, l.loaded.Summary))
	if s.Problem != "" {
		p.blank()
		p.say(sErr, "✗ "+s.Problem)
	}
	if now.LookAt != "" {
		p.blank()
		p.say(sPlain, "Look at: "+now.LookAt)
	}
	if now.You != "" {
		p.blank()
		p.add(span{sBold, "You"}, span{sDim, " ("}, span{sKey, "y"}, span{sDim, " copies)"})
		for _, s := range wrapWords(l.command(now), p.w) {
			p.add(span{sAccent, s})
		}
	}
}

// command is the command that a step offers, as it finds this server.
func (l *learn) command(t Telling) string {
	if args, ok := strings.CutPrefix(t.You, "kubectl "); ok {
		return "kubectl" + l.u.serverFlag() + " " + args
	}
	return t.You
}

// offered is the command that the loaded lesson offers now; "" if there is none.
func (l *learn) offered() string {
	if l.loaded == nil {
		return ""
	}
	return l.command(l.telling(l.loaded.Player.State()))
}

// wrapWords breaks a command where it has blanks, and what is longer than a line anywhere.
func wrapWords(s string, w int) []string {
	var out []string
	at := ""
	for _, word := range strings.Split(s, " ") {
		switch {
		case at == "":
			at = word
		case ansi.StringWidth(at)+1+ansi.StringWidth(word) <= w:
			at += " " + word
		default:
			out, at = append(out, at), word
		}
		if parts := strings.Split(ansi.Hardwrap(at, w, true), "\n"); len(parts) > 1 {
			out, at = append(out, parts[:len(parts)-1]...), parts[len(parts)-1]
		}
	}
	return append(out, at)
}
