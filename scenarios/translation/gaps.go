package translation

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"kubarium/scenarios"
)

// A Gap is what keeps a translation from being whole: a text that it lacks, or that was made of another text than the lesson has now.
type Gap struct {
	Step  int    // from 1; 0 for the texts above the steps
	Title string // of the step
	Field string // the text that is missing; "" for texts that were made of others
	Of    string // the checksum that does not fit; "" if the translation has none
}

func (g Gap) String() string {
	at := ""
	if g.Step > 0 {
		at = fmt.Sprintf("step %d (%s): ", g.Step, g.Title)
	}
	switch {
	case g.Field != "":
		return at + g.Field + " is not translated"
	case g.Of == "":
		return at + "does not say of which text it is a translation"
	}
	return at + "the lesson's text has changed since it was translated"
}

// A Coverage is how far lessons are translated into a language.
type Coverage struct {
	Language language.Tag
	Whole    int       // lessons whose texts are all translated, from what they are now
	Partly   []Partial // lessons with gaps
	None     []string  // names of lessons that are not translated
	Broken   []error   // files that cannot be read, which say their names
}

// A Partial is a translation with gaps.
type Partial struct {
	Lesson string
	Gaps   []Gap
}

// Complete reports whether all lessons are translated, whole and as they are now.
func (c *Coverage) Complete() bool { return len(c.Partly)+len(c.None)+len(c.Broken) == 0 }

// String is the report's line: "zh: 47 lessons whole, 1 lacks 2 texts".
func (c *Coverage) String() string {
	parts := []string{counted(c.Whole, "lesson") + " whole"}
	lacking, texts, old := 0, 0, 0
	for _, p := range c.Partly {
		missing := 0
		for _, g := range p.Gaps {
			if g.Field != "" {
				missing++
			}
		}
		texts += missing
		if missing > 0 {
			lacking++
		}
		if missing < len(p.Gaps) {
			old++
		}
	}
	if lacking > 0 {
		parts = append(parts, fmt.Sprintf("%d %s %s", lacking, map[bool]string{true: "lacks", false: "lack"}[lacking == 1], counted(texts, "text")))
	}
	for _, p := range []struct {
		n    int
		what string
	}{{old, "older than the original"}, {len(c.None), "not translated"}, {len(c.Broken), "broken"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return c.Language.String() + ": " + strings.Join(parts, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Cover reports how far lessons are translated into a language. A lesson that is not there is none that is broken.
func Cover(lessons []*scenarios.Lesson, tag language.Tag) (Coverage, error) {
	c := Coverage{Language: tag}
	for _, l := range lessons {
		tags, err := LanguagesOf(l)
		if err != nil {
			return c, err
		}
		if !slices.Contains(tags, tag) {
			c.None = append(c.None, l.Name)
			continue
		}
		t, err := Load(l, tag)
		if err != nil {
			c.Broken = append(c.Broken, err)
			continue
		}
		if gaps := t.Gaps(l); len(gaps) > 0 {
			c.Partly = append(c.Partly, Partial{l.Name, gaps})
		} else {
			c.Whole++
		}
	}
	return c, nil
}

// Gaps compares the translation with the lesson as it is now.
func (t *Translation) Gaps(l *scenarios.Lesson) []Gap {
	out := gaps(Gap{Of: t.Of}, texts(l, t))
	for i := range l.Steps {
		s, words := &l.Steps[i], &Step{}
		at := Gap{Step: i + 1, Title: s.Title}
		if i < len(t.Steps) {
			words = &t.Steps[i]
			at.Of = words.Of
		}
		out = append(out, gaps(at, stepTexts(s, words))...)
	}
	return out
}

// gaps are those of the texts at one place.
func gaps(at Gap, texts []text) []Gap {
	var out []Gap
	translated := false
	for _, t := range texts {
		translated = translated || t.translated != ""
		if t.wanted && t.says != "" && t.translated == "" && (len(out) == 0 || out[len(out)-1].Field != t.field) {
			out = append(out, Gap{Step: at.Step, Title: at.Title, Field: t.field})
		}
	}
	if translated && at.Of != checksum(texts) {
		out = append(out, at)
	}
	return out
}
