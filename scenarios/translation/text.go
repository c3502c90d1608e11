package translation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"

	"kubarium/scenarios"
)

// A text is one of a lesson's, and what a translation has for it.
type text struct {
	field            string
	says, translated string
	wanted           bool // a translation without it is not whole
}

// texts returns the lesson's texts above its steps.
func texts(l *scenarios.Lesson, t *Translation) []text {
	out := []text{{"title", l.Title, t.Title, true}, {"about", l.About, t.About, true}, {"course", l.Course, t.Course, true}, {"learned", l.Learned, t.Learned, true}}
	for _, a := range l.Actors {
		out = append(out, text{"actors." + a.Name, a.Role, t.Actors[a.Name], true})
	}
	return out
}

// stepTexts returns the texts of a step, except for commands.
func stepTexts(s *scenarios.Step, t *Step) []text {
	out := []text{{"title", s.Title, t.Title, true}, {"tell", s.Tell, t.Tell, true}, {"look", s.Look, t.Look, words(s.Look)}}
	if !s.IsCommand() {
		out = append(out, text{"you", s.You, t.You, true})
	}
	if s.Predict == nil {
		return out
	}
	p := t.Predict
	if p == nil {
		p = &Predict{}
	}
	out = append(out, text{"ask", s.Predict.Ask, p.Ask, true})
	for i, c := range s.Predict.Choices {
		translated := ""
		if i < len(p.Choices) {
			translated = p.Choices[i]
		}
		out = append(out, text{"choices", c, translated, slices.ContainsFunc(s.Predict.Choices, words)})
	}
	return out
}

// checksum is a short one of what a lesson says in some texts.
func checksum(texts []text) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%s\x00%s\x00", t.field, t.says)
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}

// prose matches two words in small letters that follow each other. Such a text is to be translated; a single word may be a name.
var prose = regexp.MustCompile(`(^|[^\w.-])[a-z]+ [a-z]+\b`)

// words reports whether a text has words to translate: it is no name, no code and no field.
func words(s string) bool { return s == "yes" || s == "no" || prose.MatchString(s) }
