package translation

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"kubarium/cells"
	"kubarium/scenarios"
	"kubarium/scenarios/document"
	"kubarium/scenarios/expr"
)

// Read reads a translation of a lesson; file names it in errors, which say line, step and field. Each step must be the
// lesson's at this place, and each text must have the placeholders of the lesson's own.
func Read(file string, text []byte, l *scenarios.Lesson) (*Translation, error) {
	t, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	if err := t.check(l, document.StepLines(text)); err != nil {
		return nil, err
	}
	return t, nil
}

// parse reads the form of a translation, whatever it says.
func parse(file string, text []byte) (*Translation, error) {
	t := &Translation{File: file}
	_, t.Language, _ = scenarios.TranslationOf(path.Base(file))
	if err := document.Read(file, text, "translation", t); err != nil {
		return nil, err
	}
	t.tidy()
	return t, nil
}

// tidy takes out of all texts the blanks that came of lines broken between characters of a script without blanks.
func (t *Translation) tidy() {
	for _, s := range []*string{&t.Title, &t.About, &t.Course, &t.Learned} {
		*s = withoutBreaks(*s)
	}
	for name := range t.Actors {
		t.Actors[name] = withoutBreaks(t.Actors[name])
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		for _, s := range []*string{&s.Title, &s.Tell, &s.Look} {
			*s = withoutBreaks(*s)
		}
		if p := s.Predict; p != nil {
			p.Ask = withoutBreaks(p.Ask)
			for i := range p.Choices {
				p.Choices[i] = withoutBreaks(p.Choices[i])
			}
		}
	}
}

// withoutBreaks takes out blanks between two ideographs: YAML makes them of the line breaks in a text that is folded.
func withoutBreaks(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == ' ' && i > 0 && i+1 < len(s) {
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if cells.Ideographic(before) && cells.Ideographic(after) {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// check compares what the translation has with the lesson.
func (t *Translation) check(l *scenarios.Lesson, lines []int) error {
	for name := range t.Actors {
		if !l.Actors.Has(name) {
			return fmt.Errorf("%s: actors: the lesson has no actor %q", t.File, name)
		}
	}
	if err := checkTexts(texts(l, t)); err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	for i := range t.Steps {
		words := &t.Steps[i]
		err := fmt.Errorf("the lesson has only %d steps", len(l.Steps))
		if i < len(l.Steps) {
			err = words.check(&l.Steps[i])
		}
		if err != nil {
			place := t.File
			if i < len(lines) {
				place = fmt.Sprintf("%s:%d", t.File, lines[i])
			}
			return fmt.Errorf("%s: step %d (%s): %w", place, i+1, words.Step, err)
		}
	}
	return nil
}

// check compares the texts of a step with the lesson's.
func (t *Step) check(s *scenarios.Step) error {
	if t.Step != s.Title {
		return fmt.Errorf("step: the lesson's step at this place is %q", s.Title)
	}
	if p := t.Predict; p != nil {
		switch {
		case s.Predict == nil:
			return errors.New("predict: the lesson's step asks nothing")
		case p.Choices != nil && len(p.Choices) != len(s.Predict.Choices):
			return fmt.Errorf("choices: there are %d, the lesson has %d: %s", len(p.Choices), len(s.Predict.Choices), strings.Join(s.Predict.Choices, ", "))
		}
		for i, c := range p.Choices {
			if c == "" || slices.Contains(p.Choices[:i], c) {
				return fmt.Errorf("choices: %q is empty, or there twice", c)
			}
		}
	}
	if t.You != "" && t.You != s.You && s.IsCommand() {
		return errors.New("you: a command is not translated")
	}
	return checkTexts(stepTexts(s, t))
}

// checkTexts looks whether there is an original to each text, with the same placeholders.
func checkTexts(texts []text) error {
	for _, t := range texts {
		if t.translated == "" {
			continue
		}
		if t.says == "" {
			return fmt.Errorf("%s: the lesson has no such text", t.field)
		}
		of, has := expr.Placeholders(t.says), expr.Placeholders(t.translated)
		for _, p := range has {
			if !slices.Contains(of, p) {
				return fmt.Errorf("%s: the lesson's text has no %s", t.field, p)
			}
		}
		for _, p := range of {
			if !slices.Contains(has, p) {
				return fmt.Errorf("%s: %s is missing", t.field, p)
			}
		}
	}
	return nil
}
