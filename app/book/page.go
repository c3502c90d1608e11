package book

import (
	"cmp"
	"html/template"
	"slices"

	"kubarium/app/policy"
	"kubarium/scenarios"
	"kubarium/scenarios/words"
)

// A chrome is what all pages have.
type chrome struct {
	Lang, Dir string
	Policy    string // the Content-Security-Policy: nothing is loaded, and only the page's own style holds
	Generator string
	Style     template.CSS
	Program   string
	Day       string
}

// Generator begins the name of the program in the head of each page, by which a folder of a book is known.
const Generator = "kubarium scenario book"

func (b *Book) chrome(w *words.Words) chrome {
	lang := cmp.Or(b.Language, "en")
	return chrome{
		Lang: lang, Dir: direction(lang), Generator: Generator, Style: template.CSS(style), Program: b.Program, Day: b.Now.Format("2006-01-02"),
		Policy: policy.Of(style, ""),
	}
}

// An entry is a lesson with its number in the book.
type entry struct {
	Number int // from 1
	*scenarios.Lesson
}

func (e entry) File() string { return file(e.Lesson) }
func (e entry) Dir() string  { return direction(e.Lang()) }

// Lang is the language of the lesson's words.
func (e entry) Lang() string { return cmp.Or(e.Language, "en") }

// A section is a heading of the contents with its lessons.
type section struct {
	Title   string
	Address string // of the section on the page API Concepts; "" for a course
	Lessons []entry
}

// An index is the first page.
type index struct {
	chrome
	Courses, Concepts []section
}

// A lessonPage is that of a lesson.
type lessonPage struct {
	chrome
	Of             entry
	Steps          []step
	Previous, Next *entry
	Concepts       []section
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
