package translation

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"kubarium/cells"
	"kubarium/scenarios"
)

// Renewed returns the file of the lesson's translation into a language, renewed, and what is still to do in it. It keeps what was
// translated, with the checksums of the lesson's texts as they are now. Missing texts are there as comments, in the lesson's own
// words; so are texts that have changed since they were translated, above their old translations.
func Renewed(l *scenarios.Lesson, tag language.Tag) (string, []Gap, error) {
	old := &Translation{Language: tag}
	files, err := filesOf(l)
	if err != nil {
		return "", nil, err
	}
	if _, ok := files[tag]; ok {
		file, text, err := fileOf(l, tag)
		if err != nil {
			return "", nil, err
		}
		if old, err = parse(file, text); err != nil {
			return "", nil, err
		}
	}
	steps, lost := matched(l, old)
	old.Steps = steps
	w := &writer{}
	w.lesson(l, old)
	for _, s := range lost {
		w.lost(s)
	}
	return w.b.String(), old.Gaps(l), nil
}

// matched puts the steps of a translation into the lesson's order: each at the step of its title, or at the place that it has if neither
// has another. Those that belong nowhere are lost.
func matched(l *scenarios.Lesson, t *Translation) (steps, lost []Step) {
	steps = make([]Step, len(l.Steps))
	taken := make([]bool, len(t.Steps))
	find := func(i int, fits func(at int) bool) {
		for at := range t.Steps {
			if steps[i].Step == "" && !taken[at] && fits(at) {
				steps[i], taken[at] = t.Steps[at], true
			}
		}
	}
	for i := range l.Steps {
		find(i, func(at int) bool { return at == i && t.Steps[at].Step == l.Steps[i].Title })
	}
	for i := range l.Steps {
		find(i, func(at int) bool { return t.Steps[at].Step == l.Steps[i].Title })
	}
	for i := range l.Steps {
		find(i, func(at int) bool { return at == i && t.Steps[at].Step != "" })
	}
	for i := range l.Steps {
		steps[i].fit(&l.Steps[i])
	}
	for at, s := range t.Steps {
		if !taken[at] {
			lost = append(lost, s)
		}
	}
	return steps, lost
}

// fit makes a translation one of a step; it is old if that had another title, or other choices.
func (t *Step) fit(s *scenarios.Step) {
	if t.Step != s.Title && t.Step != "" && t.Of == "" {
		t.Of = "renamed"
	}
	t.Step = s.Title
	if p := t.Predict; p != nil {
		switch {
		case s.Predict == nil:
			t.Predict = nil
		case p.Choices != nil && len(p.Choices) != len(s.Predict.Choices):
			p.Choices = nil
		}
	}
}

// A writer writes a translation's file.
type writer struct {
	b      strings.Builder
	indent string
}

func (w *writer) lesson(l *scenarios.Lesson, t *Translation) {
	texts := texts(l, t)
	w.line("of: " + checksum(texts))
	w.changed(t.Of, texts)
	w.texts(texts[:4])
	if len(l.Actors) > 0 {
		w.line("actors:")
		w.indent = "  "
		for i, a := range l.Actors {
			w.text(a.Name, texts[4+i])
		}
		w.indent = ""
	}
	w.line("steps:")
	for i := range l.Steps {
		w.step(&l.Steps[i], &t.Steps[i])
	}
}

func (w *writer) step(s *scenarios.Step, t *Step) {
	w.line("- " + keyed("step", s.Title))
	w.indent = "  "
	defer func() { w.indent = "" }()
	texts := stepTexts(s, t)
	w.line("of: " + checksum(texts))
	w.changed(t.Of, texts)
	alone := slices.IndexFunc(texts, func(t text) bool { return t.field == "ask" })
	if alone < 0 {
		w.texts(texts)
		return
	}
	w.texts(texts[:alone])
	w.line("predict:")
	w.indent = "    "
	w.texts(texts[alone : alone+1])
	w.choices(texts[alone+1:])
}

// choices writes the answers to a question, in one line.
func (w *writer) choices(texts []text) {
	list := func(of func(t text) string) string {
		var all []string
		for _, t := range texts {
			all = append(all, flow(of(t)))
		}
		return "choices: [" + strings.Join(all, ", ") + "]"
	}
	switch {
	case len(texts) > 0 && texts[0].translated != "":
		w.line(list(func(t text) string { return t.translated }))
	case len(texts) > 0 && texts[0].wanted:
		w.comment(list(func(t text) string { return t.says }))
	}
}

// changed writes as comments what the lesson says now, if the translation was made of something else.
func (w *writer) changed(of string, texts []text) {
	if of == "" || of == checksum(texts) {
		return
	}
	w.comment("The lesson's text has changed. It says now:")
	for _, t := range texts {
		if t.says != "" {
			w.comment("  " + t.field + ": " + t.says)
		}
	}
}

// lost writes as a comment what was translated of a step that the lesson does not have any more.
func (w *writer) lost(t Step) {
	w.comment("The lesson has no such step any more:")
	b, _ := yaml.Marshal([]Step{t}) // texts alone
	w.comment(strings.TrimSpace(string(b)))
}

func (w *writer) texts(texts []text) {
	for _, t := range texts {
		w.text(t.field, t)
	}
}

// text writes what a text is translated with, or as a comment what is to be translated.
func (w *writer) text(name string, t text) {
	switch {
	case t.translated != "":
		w.line(keyed(name, t.translated))
	case t.wanted && t.says != "":
		w.comment(keyed(name, t.says))
	}
}

func (w *writer) line(s string) {
	for _, s := range strings.Split(s, "\n") {
		w.b.WriteString(w.indent + s + "\n")
	}
}

// comment writes lines that are to be read alone.
func (w *writer) comment(s string) { w.line("# " + strings.ReplaceAll(s, "\n", "\n# ")) }

// longText is how wide a text may be, in cells, that follows its key in the same line.
const longText = 110

// keyed is a key with its text, in lines if it is long and has blanks to break them at.
func keyed(name, value string) string {
	words := strings.Fields(value)
	if cells.Width(value) <= longText || strings.ContainsFunc(value, cells.Ideographic) || strings.Join(words, " ") != value {
		return name + ": " + scalar(value)
	}
	lines := []string{words[0]}
	for _, word := range words[1:] {
		last := &lines[len(lines)-1]
		if cells.Width(*last)+1+cells.Width(word) > longText {
			lines = append(lines, word)
			continue
		}
		*last += " " + word
	}
	return name + ": >-\n  " + strings.Join(lines, "\n  ")
}

// scalar is a text as YAML has it in a block, in quotes if it needs them.
func scalar(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil || strings.Contains(strings.TrimSpace(string(b)), "\n") {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSpace(string(b))
}

// flow is a text as YAML has it in a list in one line.
func flow(s string) string {
	plain := scalar(s)
	if plain == s && strings.ContainsAny(s, ",[]{}?") {
		return fmt.Sprintf("%q", s)
	}
	return plain
}
