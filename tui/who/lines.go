package who

import (
	"fmt"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A link is where enter leads from a line.
type link struct {
	seq      uint64       // a request; 0 for none
	watch    uint64       // the ID of a watch; 0 for none
	object   page.Subject // whose version it is
	revision int64        // the version, or what the watch was sent; 0 for none
	tag      string       // the client of the request, where it is another one
	findings bool         // the page of findings
}

// A line is a row of a pane, with where it leads, and what it is known by from one time to the next.
type line struct {
	term.Line
	link
	key string
}

// A builder collects lines in a width.
type builder struct {
	w   int
	out []line
}

// firm is a blank at which no line is wrapped.
const firm = "\u00a0"

// item adds text that is wrapped at blanks, with its further lines indented.
func (b *builder) item(to link, key string, spans ...term.Span) {
	l := page.LineList{W: b.w}
	l.Item(0, spans...)
	for i := range l.Out {
		for j := range l.Out[i].Line {
			s := &l.Out[i].Line[j]
			s.Text = strings.ReplaceAll(s.Text, firm, " ")
		}
		b.out = append(b.out, line{l.Out[i].Line, to, fmt.Sprintf("%s/%d", key, i)})
	}
}

// one adds text that is cut to one line.
func (b *builder) one(key string, spans ...term.Span) {
	b.out = append(b.out, line{Line: term.FitLine(spans, b.w), key: key})
}

// head adds the heading of a section, after a blank line.
func (b *builder) head(text, note string) {
	b.out = append(b.out, line{key: "blank/" + text},
		line{Line: term.Line{term.Head.Of(text), term.Dim.Of("  " + note)}, key: "head/" + text})
}

// cut says that more of a section are not listed.
func (b *builder) cut(all, listed int) {
	if all > listed {
		b.out = append(b.out, line{Line: term.Text(term.Dim, fmt.Sprintf("  and %s more", term.Count(all-listed))),
			key: "cut"})
	}
}

// follow goes where a link leads: to the request, else to the watch, else to the version.
func (x *Page) follow(to link) {
	switch {
	case to.findings:
		x.env.Show(page.Doctor)
	case to.seq > 0:
		x.env.Jump(x.env.Log.Get(to.seq))
	case to.watch > 0:
		x.env.ShowWatch(to.watch, to.revision)
	default:
		x.version(to)
	}
}

// version shows the version that a link is about.
func (x *Page) version(to link) {
	if x.env.Maker(to.revision) == nil {
		x.env.SelectFlow(nil) // or the page would be of the selected one
	}
	x.env.Chose(to.object, to.revision)
	x.env.Show(page.Versions)
}

// leads reports whether a link leads anywhere.
func (l link) leads() bool { return l.findings || l.seq > 0 || l.watch > 0 || l.revision > 0 }

// clientKeys change the client.
func (x *Page) clientKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"]"}, Hint: "next", Off: x.needsClient, Do: func() { x.turn(1) },
			Help: "the next client: the one that came before it"},
		{Keys: []string{"["}, Off: x.needsClient, Do: func() { x.turn(-1) }, Help: "the client that came after it"},
	}
}

func (x *Page) needsClient() string {
	return page.Unless(x.tag != "", "no client has sent a request yet")
}
