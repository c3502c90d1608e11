package book

import (
	"fmt"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"kubarium/scenarios"
)

// A lessonPage is that of a lesson.
type lessonPage struct {
	chrome
	of             entry
	steps          []step
	previous, next *entry
	concepts       []section
}

func (p lessonPage) node() g.Node {
	return p.page("lesson", p.of.Title+" · "+p.T("Lessons on the Kubernetes API"),
		p.around("around", p.T("Lessons")),
		h.Main(p.of.tongue(), p.head(), g.Map(p.steps, p.step), p.learned(), p.further()),
		p.around("around below", p.T("More lessons")),
	)
}

// around leads to the contents and the neighbours.
func (p lessonPage) around(class, label string) g.Node {
	to := func(e *entry, class, rel, way string) g.Node {
		if e == nil {
			return nil
		}
		return h.A(h.Class(class), h.Rel(rel), e.address(), span("way", way), space, h.Span(e.tongue(), g.Text(e.Title)))
	}
	return h.Nav(h.Class(class), h.Aria("label", label),
		h.A(h.Class("up"), h.Href(Index), g.Text(p.T("Contents"))),
		to(p.previous, "previous", "prev", p.T("Previous")),
		to(p.next, "next", "next", p.T("Next")),
	)
}

func (p lessonPage) head() g.Node {
	return h.Header(
		h.P(h.Class("imprint"), g.Textf("%d · %s", p.of.Number, p.of.Course)),
		h.H1(g.Text(p.of.Title)),
		h.P(h.Class("about"), g.Text(p.of.About)),
		h.Dl(h.Class("actors"), g.Map(p.of.Actors, func(a scenarios.Actor) g.Node {
			return g.Group{h.Dt(g.El("bdi", g.Text(a.Name))), h.Dd(g.Text(a.Role))}
		})),
		h.Div(h.Class("you"), h.P(g.Text(p.T("To play it yourself, with kubarium running:"))), command("kubarium scenario run "+p.of.Name)),
	)
}

// command is what a reader may type.
func command(text string) g.Node { return h.Pre(h.Dir("ltr"), h.Code(g.Text(text))) }

// step is a step; with a question, its answer is folded.
func (p lessonPage) step(s step) g.Node {
	id := fmt.Sprint("step-", s.Number)
	rest := g.Group{h.P(g.Text(s.Tell)), p.request(s), p.answer(s)}
	if s.Predict != nil {
		rest = g.Group{p.request(s), h.Div(h.Class("question"),
			h.P(h.B(g.Text(p.T("Question"))), space, g.Text(s.Predict.Ask)),
			h.Ul(g.Map(s.Predict.Choices, func(c string) g.Node { return h.Li(g.Text(c)) })),
			h.Details(h.Class("solution"), h.Summary(g.Text(p.T("Answer"))),
				h.P(h.Class("right"), g.Text(s.Predict.Answer)), h.P(g.Text(s.Tell)), p.answer(s)),
		)}
	}
	return h.Section(h.Class("step"), h.Aria("labelledby", id),
		h.H2(h.ID(id), span("number", fmt.Sprint(s.Number)), space, g.Text(s.Title)), rest)
}

func (p lessonPage) learned() g.Node {
	return g.If(p.of.Learned != "", h.Section(h.Class("learned"), h.Aria("labelledby", "learned"),
		h.H2(h.ID("learned"), g.Text(p.T("You know now"))), h.P(g.Text(p.of.Learned))))
}

// further leads to what API Concepts says about it.
func (p lessonPage) further() g.Node {
	return g.If(len(p.concepts) > 0, h.Section(h.Class("further"), h.Aria("labelledby", "further"),
		h.H2(h.ID("further"), g.Text(p.T("In API Concepts"))),
		h.Ul(g.Map(p.concepts, func(s section) g.Node { return h.Li(s.link()) }))))
}
