package book

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/language"
	g "maragu.dev/gomponents"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/play"
	"kubarium/scenarios/words"
)

// Index is the name of the first page.
const Index = "index.html"

// A Book is what its pages say apart from the lessons.
type Book struct {
	Language string    // of the pages' own words, a tag of BCP 47; "" is English
	Program  string    // what played the lessons, with its version
	Now      time.Time // when that was
}

// A Page is a file of the book.
type Page struct {
	Name string
	HTML []byte
}

// Check says whether each lesson can have a page of its own.
func Check(lessons []*scenarios.Lesson) error {
	seen := map[string]bool{Index: true}
	for _, l := range lessons {
		if seen[file(l)] {
			return fmt.Errorf("two pages named %s cannot be in one book", file(l))
		}
		seen[file(l)] = true
	}
	return nil
}

func file(l *scenarios.Lesson) string { return l.Name + ".html" }

// Make plays lessons against a server, one after the other, and returns the pages, the index first. The first error ends it: a
// *check.Mismatch of a lesson that does not hold, or that the server lacks what one needs.
func (b *Book) Make(ctx context.Context, lessons []*scenarios.Lesson, server string, o play.Options) ([]Page, error) {
	concepts, err := scenarios.Concepts()
	if err != nil {
		return nil, err
	}
	w := words.In(b.Language)
	contents := index{chrome: b.chrome(w), courses: courses(lessons)}
	for _, c := range concepts {
		if s := sectionOf(c, lessons, b.Language); len(s.Lessons) > 0 {
			contents.concepts = append(contents.concepts, s)
		}
	}
	first, err := render(Index, contents.node())
	if err != nil {
		return nil, err
	}
	out := []Page{first}
	for i, l := range lessons {
		steps, err := played(ctx, l, server, o, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		p := lessonPage{chrome: contents.chrome, of: entry{i + 1, l}, steps: steps}
		if i > 0 {
			p.previous = &entry{i, lessons[i-1]}
		}
		if i+1 < len(lessons) {
			p.next = &entry{i + 2, lessons[i+1]}
		}
		for _, s := range contents.concepts {
			if slices.ContainsFunc(s.Lessons, func(e entry) bool { return e.Lesson == l }) {
				p.concepts = append(p.concepts, s)
			}
		}
		page, err := render(file(l), p.node())
		if err != nil {
			return nil, err
		}
		out = append(out, page)
	}
	return out, nil
}

// played plays a lesson and returns its steps.
func played(ctx context.Context, l *scenarios.Lesson, server string, o play.Options, w *words.Words) (steps []step, err error) {
	var p *play.Player
	o.Ask, o.Leave, o.Pace, o.Witness, o.See = false, false, 0, nil, nil
	o.Say = func(n int, r *check.Result) { steps = append(steps, stepOf(w, n, r, l, p.State().Namespace)) }
	p = play.New(l, server, o)
	if err := p.Playable(ctx); err != nil {
		return nil, err
	}
	if err := p.Run(ctx); err != nil { // it may have been stopped between two steps
		return nil, errors.Join(err, p.Reset(ctx))
	}
	return steps, nil
}

//go:embed book.css
var style string

// render makes a page.
func render(name string, page g.Node) (Page, error) {
	var b bytes.Buffer
	err := page.Render(&b)
	return Page{name, b.Bytes()}, err
}

// direction is how the script of a language runs: "rtl" or "ltr".
func direction(tag string) string {
	script, _ := language.Make(tag).Script()
	if slices.Contains([]string{"Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm"}, script.String()) {
		return "rtl"
	}
	return "ltr"
}
