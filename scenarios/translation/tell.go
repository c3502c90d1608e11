package translation

import (
	"slices"

	"golang.org/x/text/language"

	"kubarium/scenarios"
)

// original is the language of the lessons themselves.
var original = language.English

// Choose returns the one of some languages that suits a reader who wants others, in order of preference. It returns false if that is
// the lessons' own language, or if none suits.
func Choose(all []language.Tag, wanted ...language.Tag) (language.Tag, bool) {
	_, i, confidence := language.NewMatcher(append([]language.Tag{original}, all...)).Match(wanted...)
	if i == 0 || confidence == language.No {
		return language.Und, false
	}
	return all[i-1], true
}

// In returns the lesson in the language that suits a reader who wants these, in order of preference. Texts that are not translated
// stay in the lesson's own language. It is the lesson itself if no translation suits.
func In(l *scenarios.Lesson, wanted ...language.Tag) (*scenarios.Lesson, error) {
	all, err := LanguagesOf(l)
	if err != nil || len(all) == 0 {
		return l, err
	}
	tag, ok := Choose(all, wanted...)
	if !ok {
		return l, nil
	}
	t, err := Load(l, tag)
	if err != nil {
		return nil, err
	}
	return t.tell(l), nil
}

// tell returns the lesson with the texts of the translation.
func (t *Translation) tell(l *scenarios.Lesson) *scenarios.Lesson {
	out := *l
	out.Language = t.Language.String()
	out.Title, out.About = either(t.Title, l.Title), either(t.About, l.About)
	out.Course, out.Learned = either(t.Course, l.Course), either(t.Learned, l.Learned)
	if l.Road != "" {
		out.Road = scenarios.RoadTitle(t.Language)
	}
	out.Actors = slices.Clone(l.Actors)
	for i, a := range l.Actors {
		out.Actors[i].Role = either(t.Actors[a.Name], a.Role)
	}
	out.Steps = slices.Clone(l.Steps)
	for i, words := range t.Steps {
		s := &out.Steps[i]
		s.Title, s.Tell = either(words.Title, s.Title), either(words.Tell, s.Tell)
		s.Look, s.You = either(words.Look, s.Look), either(words.You, s.You)
		s.Predict = words.Predict.tell(s.Predict)
	}
	return &out
}

// tell returns the question with the texts of the translation.
func (t *Predict) tell(p *scenarios.Predict) *scenarios.Predict {
	if p == nil || t == nil {
		return p
	}
	out := scenarios.Predict{Ask: either(t.Ask, p.Ask), Choices: p.Choices, Answer: p.Answer}
	if t.Choices != nil {
		out.Choices = t.Choices
		out.Answer = t.Choices[slices.Index(p.Choices, p.Answer)]
	}
	return &out
}

func either(translated, text string) string {
	if translated != "" {
		return translated
	}
	return text
}
