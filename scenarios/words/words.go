// Package words has what Kubarium itself says on screens and terminals, in the languages that there are: hints, titles,
// questions, notices. Lessons have translations of their own; what is said about requests is English.
//
// A language is a file of English texts with their translations: fa.yaml, zh.yaml. The English text is the key, in the code where
// it is drawn, so that the code reads as before and a text without a translation is still a text. A package like
// golang.org/x/text/message would choose forms of plurals as well, which no language here has, and needs generated code.
//
// A text is a format of fmt with its verbs, and its translation has the same ones; "%[2]s" takes them in another order.
// Blanks around a text are not part of it, and a number before it is a # there: "# rules" is the key of "3 rules".
package words

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// Words are the texts of one language. A nil *Words is English.
type Words struct {
	Language string
	texts    map[string]string
}

// Languages are those with a file.
func Languages() []language.Tag {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	var tags []language.Tag
	for _, e := range entries {
		tags = append(tags, language.MustParse(strings.TrimSuffix(e.Name(), path.Ext(e.Name()))))
	}
	return tags
}

// RightToLeft reports whether a language is written from right to left, which few terminals do.
func RightToLeft(tag string) bool {
	script, _ := language.Make(tag).Script()
	return slices.Contains([]string{"Arab", "Hebr"}, script.String())
}

// In returns the words of a language by its tag; English if there is no file for it.
func In(tag string) *Words {
	read, ok := all()[tag]
	if !ok {
		return nil
	}
	return read()
}

// all are the languages, each read when it is asked for.
var all = sync.OnceValue(func() map[string]func() *Words {
	out := map[string]func() *Words{}
	for _, t := range Languages() {
		out[t.String()] = sync.OnceValue(func() *Words { return mustRead(t.String()) })
	}
	return out
})

func mustRead(tag string) *Words {
	text, err := files.ReadFile(tag + ".yaml")
	if err != nil {
		panic(err)
	}
	w := &Words{Language: tag}
	if err := yaml.UnmarshalStrict(text, &w.texts); err != nil { // a text must not be there twice
		panic(fmt.Errorf("%s.yaml: %w", tag, err))
	}
	return w
}

// Texts are the English texts with their translations.
func (w *Words) Texts() map[string]string {
	if w == nil {
		return nil
	}
	return w.texts
}

// T translates a text. One that has no translation stays as it is, and so does what is empty.
func (w *Words) T(english string) string {
	if w == nil {
		return english
	}
	bare := strings.TrimSpace(english)
	told, ok := w.texts[bare]
	if n := leadingNumber(bare); !ok && n != "" {
		told, ok = w.texts["#"+bare[len(n):]]
		told = strings.Replace(told, "#", n, 1)
	}
	if !ok {
		return english
	}
	before, after, _ := strings.Cut(english, bare)
	return before + told + after
}

// leadingNumber is the number that a text begins with, as it is grouped: "1 234"; "" for none.
func leadingNumber(s string) string {
	return strings.TrimRight(s[:len(s)-len(strings.TrimLeft(s, "0123456789 "))], " ")
}

// All translates texts.
func (w *Words) All(english []string) []string {
	out := make([]string, len(english))
	for i, s := range english {
		out[i] = w.T(s)
	}
	return out
}

// F translates a format and fills it. An argument that is a sentence is translated as well: one with a blank in it, since
// the names of objects have none.
func (w *Words) F(format string, args ...any) string {
	if w == nil {
		return fmt.Sprintf(format, args...)
	}
	told := make([]any, len(args))
	for i, a := range args {
		told[i] = a
		if s, ok := a.(string); ok {
			told[i] = w.Sentence(s)
		}
	}
	return fmt.Sprintf(w.T(format), told...)
}

// Sentence translates a text that has a blank in it, and leaves others: they may be names.
func (w *Words) Sentence(s string) string {
	if !strings.Contains(s, " ") {
		return s
	}
	return w.T(s)
}
