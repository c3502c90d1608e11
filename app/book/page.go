package book

import (
	"cmp"
	"net/url"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"kubarium/app/policy"
	"kubarium/scenarios"
	"kubarium/scenarios/words"
)

// A chrome is what all pages have.
type chrome struct {
	*words.Words
	lang, dir    string
	program, day string
}

// Generator begins the name of the program in the head of each page, by which a folder of a book is known.
const Generator = "kubarium scenario book"

func (b *Book) chrome(w *words.Words) chrome {
	lang := cmp.Or(b.Language, "en")
	return chrome{Words: w, lang: lang, dir: direction(lang), program: b.Program, day: b.Now.Format("2006-01-02")}
}

// page is a page with its head and its foot. Nothing is loaded, and only the page's own style holds.
func (c chrome) page(class, title string, body ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang(c.lang), h.Dir(c.dir),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(policy.Of(style, ""))),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("generator"), h.Content(Generator)),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.StyleEl(g.Raw(style)),
			h.TitleEl(g.Text(title)),
		),
		h.Body(h.Class(class), g.Group(body), h.Footer(h.P(g.Text(c.F("Played and written by %s on %s.", c.program, c.day))))),
	))
}

// span is a part of a line that has a style of its own.
func span(class, text string) g.Node { return h.Span(h.Class(class), g.Text(text)) }

// space parts what is on one line.
var space = g.Text(" ")

// An entry is a lesson with its number in the book.
type entry struct {
	Number int // from 1
	*scenarios.Lesson
}

// address leads to the lesson's page.
func (e entry) address() g.Node { return h.Href((&url.URL{Path: file(e.Lesson)}).String()) }

// tongue says in which language the lesson's words are.
func (e entry) tongue() g.Node {
	lang := cmp.Or(e.Language, "en")
	return g.Group{h.Lang(lang), h.Dir(direction(lang))}
}

// link leads to the lesson's page, by its title.
func (e entry) link() g.Node { return h.A(e.address(), e.tongue(), g.Text(e.Title)) }

// A section is a heading of the contents with its lessons.
type section struct {
	Title   string
	Address string // of the section on the page API Concepts; "" for a course
	Lessons []entry
}

// link leads to the section on the page API Concepts.
func (s section) link() g.Node {
	return h.A(h.Href(s.Address), h.Rel("noreferrer"), g.El("bdi", g.Text(s.Title)))
}

// courses are the lessons below the road and the courses, in their order.
func courses(lessons []*scenarios.Lesson) (out []section) {
	for i, l := range lessons {
		title := cmp.Or(l.Road, l.Course)
		at := slices.IndexFunc(out, func(s section) bool { return s.Title == title })
		if at < 0 {
			at, out = len(out), append(out, section{Title: title})
		}
		out[at].Lessons = append(out[at].Lessons, entry{i + 1, l})
	}
	return out
}

// sectionOf is a section of the page API Concepts, with those of its lessons that are in the book.
func sectionOf(c scenarios.Concept, lessons []*scenarios.Lesson, language string) section {
	s := section{Title: c.In(language), Address: scenarios.ConceptsPage + "#" + c.ID}
	for _, name := range c.Lessons {
		for i, l := range lessons {
			if l.Name == name {
				s.Lessons = append(s.Lessons, entry{i + 1, l})
			}
		}
	}
	return s
}
