package scenarios

import (
	"maps"
	"slices"
	"unicode"

	"kubarium/cells"
)

// A place is a step of a lesson with what its placeholders stood for when it was told.
type place struct {
	index  int
	values map[string]string // nobody changes it
}

// place is that of a step as it would be told now. The caller holds turn.
func (p *Player) place(i int) place {
	if p.stage == nil {
		return place{index: i}
	}
	return place{i, maps.Clone(p.stage.values)}
}

// step is the step at the place in the words of a lesson.
func (at place) step(words *Lesson) Step { return words.Steps[at.index].filled(at.values) }

// inWords is a step of the lesson as it is told.
func (p *Player) inWords(i int) Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.words.Steps[i]
}

// Retell goes on in the words of the same lesson in another language, see Lesson.In, also for what was told already.
func (p *Player) Retell(l *Lesson) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.words = l
	for i := range p.told {
		p.told[i].Step = p.told[i].at.step(l)
	}
	s := &p.state
	if s.Step.Title == "" { // nothing was told yet
		return
	}
	before := s.Step.Predict
	s.Step = s.at.step(l)
	if now := s.Step.Predict; now != nil {
		if i := slices.Index(before.Choices, s.Answer); i >= 0 {
			s.Answer = now.Choices[i]
		}
	}
	if s.Await != nil {
		s.Await = &Await{Command: s.Step.You, Came: s.Await.Came}
	}
}

// wordsOf counts the words of a text, for the time that it takes to read. In scripts without blanks two characters are a word.
func wordsOf(text string) int {
	words, characters, within := 0, 0, false
	for _, r := range text {
		switch {
		case cells.Ideographic(r):
			if unicode.IsLetter(r) {
				characters++
			}
			within = false
		case unicode.IsSpace(r):
			within = false
		case !within:
			words, within = words+1, true
		}
	}
	return words + (characters+1)/2
}
