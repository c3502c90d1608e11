// Package translation has lessons in other languages, and reports what their translations lack.
package translation

import "golang.org/x/text/language"

// A Translation has the texts of a lesson in another language. Its file is next to the lesson's: lost-update.zh.yaml next to
// lost-update.yaml. Texts that it lacks stay in the lesson's own language. Requests and expectations are not translated, nor are
// commands and the names of actors.
type Translation struct {
	Language language.Tag `yaml:"-"` // from the file's name, a tag of BCP 47
	File     string       `yaml:"-"`

	Of      string            `yaml:"of"` // the checksum of the lesson's texts above its steps that were translated; "" if it does not say
	Title   string            `yaml:"title"`
	About   string            `yaml:"about"`
	Course  string            `yaml:"course"`
	Learned string            `yaml:"learned"`
	Actors  map[string]string `yaml:"actors"` // roles by the names of actors
	Steps   []Step            `yaml:"steps"`  // in the order of the lesson's; the last ones may be missing
}

// A Step has the texts of a step.
type Step struct {
	Step    string   `yaml:"step"` // the title of the lesson's step at this place
	Of      string   `yaml:"of"`   // the checksum of the step's texts that were translated; "" if it does not say
	Title   string   `yaml:"title"`
	Tell    string   `yaml:"tell"`
	Look    string   `yaml:"look"`
	You     string   `yaml:"you"` // if it is no command
	Predict *Predict `yaml:"predict"`
}

// A Predict has the texts of a question.
type Predict struct {
	Ask     string   `yaml:"ask"`
	Choices []string `yaml:"choices"` // in the order of the lesson's; none if they are not translated
}
