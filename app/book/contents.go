package book

import (
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// An index is the first page.
type index struct {
	chrome
	courses, concepts []section
}

func (p index) node() g.Node {
	title := p.T("Lessons on the Kubernetes API")
	return p.page("index", title,
		h.Header(
			h.P(h.Class("imprint"), h.Lang("en"), g.Text("Kubarium")),
			h.H1(g.Text(title)),
			h.P(h.Class("about"), g.Text(p.T("Each lesson was played against an API server. All that is printed here was really sent, and really came back."))),
		),
		h.Main(p.reading(), p.byCourse(), g.Iff(len(p.concepts) > 0, p.byConcept)),
	)
}

// reading says how to read the pages.
func (p index) reading() g.Node {
	return h.Section(h.Aria("labelledby", "reading"),
		h.H2(h.ID("reading"), g.Text(p.T("How to read it"))),
		h.Ul(h.Class("reading"),
			h.Li(g.Text(p.T("Each step shows what was sent and what came back. Bodies are set as YAML, shortened to what the step is about; all of it is folded below. The fields of managedFields are left out where a lesson is not about them."))),
			h.Li(g.Text(p.T("This is marked:")), space, h.Mark(g.Text(p.T("what the step points at"))), g.Text("; "),
				h.B(h.Class("kept"), g.Text(p.T("a value that later steps use"))), g.Text(".")),
			h.Li(g.Text(p.T("Before some steps there is a question. Answer it before you open the answer."))),
			h.Li(g.Text(p.T("To play a lesson yourself, start kubarium in one terminal, and in another type the command at the beginning of the lesson. Names that a server makes up will be others than here."))),
		),
	)
}

func (p index) byCourse() g.Node {
	return h.Nav(h.Aria("labelledby", "courses"),
		h.H2(h.ID("courses"), g.Text(p.T("By course"))),
		g.Map(p.courses, func(s section) g.Node {
			return h.Section(h.Class("course"), h.H3(g.Text(s.Title)), h.Ol(g.Map(s.Lessons, func(e entry) g.Node {
				return h.Li(h.Value(strconv.Itoa(e.Number)), e.link(), space, h.Span(h.Class("summary"), e.tongue(), g.Text(e.About)))
			})))
		}),
	)
}

func (p index) byConcept() g.Node {
	return h.Nav(h.Aria("labelledby", "concepts"),
		h.H2(h.ID("concepts"), g.Text(p.T("By the sections of API Concepts"))),
		h.P(g.Text(p.T("The sections are those of the page Kubernetes API Concepts, to which their titles lead."))),
		h.Dl(h.Class("concepts"), g.Map(p.concepts, func(s section) g.Node {
			return g.Group{h.Dt(s.link()), g.Map(s.Lessons, func(e entry) g.Node { return h.Dd(e.link()) })}
		})),
	)
}
