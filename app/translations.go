package app

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"
	"golang.org/x/text/language"

	"kubarium/app/cli"
	"kubarium/app/lang"
	"kubarium/scenarios"
	"kubarium/scenarios/translation"
)

// translations are what "scenario verify" says about the translations of lessons.
type translations struct {
	verbose bool
	whole   []string // languages into which the lessons must be translated
}

func (t *translations) flags(f *pflag.FlagSet) {
	f.BoolVarP(&t.verbose, "verbose", "v", false, "print what each translation lacks")
	f.StringSliceVar(&t.whole, "translated", nil, "fail unless the lessons are translated into these languages, whole and as they are now")
}

// cover looks at the lessons' translations: those that there are, and those that there must be.
func (t *translations) cover(lessons []*scenarios.Lesson) ([]translation.Coverage, error) {
	var all []language.Tag
	for _, word := range t.whole {
		tag, err := lang.Parse(word)
		if err != nil {
			return nil, cli.Misuse(fmt.Errorf("--translated %s: %w", word, err))
		}
		all = append(all, tag)
	}
	for _, l := range lessons {
		tags, err := translation.LanguagesOf(l)
		if err != nil {
			return nil, err
		}
		for _, tag := range tags {
			if !slices.Contains(all, tag) {
				all = append(all, tag)
			}
		}
	}
	var covers []translation.Coverage
	for _, tag := range all {
		c, err := translation.Cover(lessons, tag)
		if err != nil {
			return nil, err
		}
		covers = append(covers, c)
	}
	return covers, nil
}

// print writes a line a language, above it what cannot be read and, if asked for, each gap. It reports whether all
// can be read, and is whole where it must be.
func (t *translations) print(w io.Writer, covers []translation.Coverage) (good bool) {
	good = true
	for i, c := range covers {
		for _, err := range c.Broken {
			fmt.Fprintf(w, "FAIL  %v\n", err)
		}
		if t.verbose {
			printGaps(w, c)
		}
		must := i < len(t.whole)
		failed := len(c.Broken) > 0 || must && !c.Complete()
		good = good && !failed
		fmt.Fprintln(w, map[bool]string{true: "FAIL ", false: "ok   "}[failed], c.String())
	}
	return good
}

func printGaps(w io.Writer, c translation.Coverage) {
	for _, p := range c.Partly {
		for _, g := range p.Gaps {
			fmt.Fprintf(w, "      %s, %s: %s\n", p.Lesson, c.Language, g)
		}
	}
	for _, name := range c.None {
		fmt.Fprintf(w, "      %s, %s: is not translated\n", name, c.Language)
	}
}
