package book

import (
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"kubarium/scenarios"
)

// act is a line about what happened.
func act(in ...g.Node) g.Node { return h.P(h.Class("act"), g.Group(in)) }

// request is what a step sent.
func (p lessonPage) request(s step) g.Node {
	out := g.Map(s.Before, func(text string) g.Node { return act(g.El("bdi", g.Text(text))) })
	if m := s.Request; m != nil {
		out = append(out, p.message("request", p.T("request"), h.Dir("ltr"),
			p.line("→", span("who", s.As), space, span("method", m.Method), space, h.Code(g.Text(m.Line))), header(m.Header), p.body(m.Body)))
	}
	if len(s.Each) > 0 {
		out = append(out, act(g.Text(p.T("Sent once for each of these; the last one is shown:")), space, h.Code(h.Dir("ltr"), g.Text(strings.Join(s.Each, ", ")))))
	}
	return out
}

// answer is what came back, what to look at, and what the reader can do.
func (p lessonPage) answer(s step) g.Node {
	var out g.Group
	if m := s.Answer; m != nil {
		status := span("status", m.Line)
		if m.Meant {
			status = h.Mark(h.Class("status"), g.Text(m.Line))
		}
		out = append(out, p.message("answer"+failed(m), p.T("answer of the server"), p.line("←", status), header(m.Header), p.body(m.Body)))
	}
	if s.Note != "" {
		out = append(out, act(h.Span(h.Dir("ltr"), g.Text("← "+s.Note))))
	}
	for i := range s.Events {
		m := &s.Events[i]
		out = append(out, p.message("event"+failed(m), p.T("event"),
			p.line("←", h.Span(h.Class("status"), marked(m.Meant, m.Method)), space, h.Code(g.Text(m.Line))), p.body(m.Body)))
	}
	if s.Ended {
		out = append(out, act(g.Text(p.T("←  the end of the stream"))))
	}
	if s.Heard != "" {
		out = append(out, act(h.Span(h.Dir("ltr"), g.Text(s.Heard))))
	}
	if s.Look != "" {
		out = append(out, h.P(h.Class("look"), h.B(g.Text(p.T("Look at: "))), g.Text(s.Look)))
	}
	return append(out, p.you(s))
}

// you is what the reader does, or can try.
func (p lessonPage) you(s step) g.Node {
	if s.You == "" {
		return nil
	}
	say, do := p.T("You can try, in another terminal:"), h.P(g.Text(s.You))
	if s.As == scenarios.Reader {
		say = p.T("You, in another terminal:")
	}
	if s.IsCommand() {
		do = command(s.You)
	}
	return h.Div(h.Class("you"), h.P(g.Text(say)), do)
}

// message is a request, an answer or an event.
func (p lessonPage) message(class, label string, in ...g.Node) g.Node {
	return h.Div(h.Class("message "+class), h.Role("group"), h.Aria("label", label), g.Group(in))
}

func failed(m *message) string {
	if m.Failed {
		return " failed"
	}
	return ""
}

// line is the first line of a message, after the arrow of its way.
func (p lessonPage) line(arrow string, in ...g.Node) g.Node {
	return h.P(h.Class("line"), h.Span(h.Class("way"), h.Aria("hidden", "true"), g.Text(arrow)), space, g.Group(in))
}

// marked is a text, marked if the step points at it.
func marked(meant bool, text string) g.Node {
	if meant {
		return h.Mark(g.Text(text))
	}
	return g.Text(text)
}

func header(fields []field) g.Node {
	return g.If(len(fields) > 0, h.Pre(h.Class("header"), h.Code(g.Map(fields, func(f field) g.Node {
		return g.Group{marked(f.Meant, f.Name+": "+f.Value), g.Text("\n")}
	}))))
}

// body is a body, of which all is folded below if not all is shown.
func (p lessonPage) body(b body) g.Node {
	var out g.Group
	if len(b.Short) > 0 {
		out = append(out, lines(b.Short))
	}
	if len(b.Whole) > 0 {
		out = append(out, h.Details(h.Class("whole"), h.Summary(g.Text(p.T("All of it"))), lines(b.Whole)))
	}
	return out
}

func lines(all []line) g.Node {
	return h.Pre(h.Code(g.Map(all, func(l line) g.Node {
		text := marked(l.mark == meant, l.Text)
		switch {
		case l.Gap:
			text = span("gap", "…")
		case l.mark == kept:
			text = h.B(h.Class("kept"), g.Text(l.Text))
		}
		return g.Group{g.Text(l.Indent), text, g.Text("\n")}
	})))
}
