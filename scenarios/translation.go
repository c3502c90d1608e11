package scenarios

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// A Translation has the texts of a lesson in another language. It stands beside the lesson: lost-update.zh.yaml beside
// lost-update.yaml. What it lacks is told in the lesson's own language. Requests and expectations are not translated, nor are
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
	Steps   []StepTranslation `yaml:"steps"`  // in the order of the lesson's; the last ones may be missing
}

// A StepTranslation has the texts of a step.
type StepTranslation struct {
	Step    string              `yaml:"step"` // the title of the lesson's step at this place
	Of      string              `yaml:"of"`   // the checksum of the step's texts that were translated; "" if it does not say
	Title   string              `yaml:"title"`
	Tell    string              `yaml:"tell"`
	Look    string              `yaml:"look"`
	You     string              `yaml:"you"` // if it is no command
	Predict *PredictTranslation `yaml:"predict"`
}

// A PredictTranslation has the texts of a question.
type PredictTranslation struct {
	Ask     string   `yaml:"ask"`
	Choices []string `yaml:"choices"` // in the order of the lesson's; none if they are not translated
}

// A source is the file of a lesson, beside which its translations stand. The zero source is that of a lesson without a file.
type source struct {
	folder fs.FS
	file   string // in folder
	shown  string // file as errors name it
}

// original is the language of the lessons themselves.
var original = language.English

// Languages are those that lessons which come with Kubarium are translated into, sorted.
func Languages() ([]language.Tag, error) {
	files, err := fs.Glob(embedded, "lessons/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []language.Tag
	for _, file := range files {
		if of, tag, ok := translationOf(file); ok && slices.Contains(files, of) && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	slices.SortFunc(all, compareTags)
	return all, nil
}

func compareTags(a, b language.Tag) int { return strings.Compare(a.String(), b.String()) }

// Languages are those into which the lesson is translated, sorted: those of the files beside its own.
func (l *Lesson) Languages() ([]language.Tag, error) {
	files, err := l.translations()
	return slices.SortedFunc(maps.Keys(files), compareTags), err
}

// translations are the names of the files beside the lesson's own that translate it.
func (l *Lesson) translations() (map[language.Tag]string, error) {
	files := map[language.Tag]string{}
	if l.source.folder == nil {
		return files, nil
	}
	all, err := fs.ReadDir(l.source.folder, path.Dir(l.source.file))
	if err != nil {
		return nil, fmt.Errorf("look for translations: %w", err)
	}
	mine := path.Base(l.source.file)
	for _, f := range all {
		if !strings.HasPrefix(f.Name(), strings.TrimSuffix(mine, path.Ext(mine))) {
			continue
		}
		if of, tag, ok := translationOf(f.Name()); ok && of == mine {
			files[tag] = f.Name()
		}
	}
	return files, nil
}

// translationOf reads the name of a translation's file: the lesson's file, and the language. False says that it is no such name.
func translationOf(name string) (of string, tag language.Tag, ok bool) {
	ext := path.Ext(name)
	if ext != ".yaml" && ext != ".yml" {
		return "", language.Und, false
	}
	bare := strings.TrimSuffix(name, ext)
	suffix := path.Ext(bare)
	if suffix == "" || suffix == path.Base(bare) {
		return "", language.Und, false
	}
	tag, err := language.Parse(suffix[1:])
	return strings.TrimSuffix(bare, suffix) + ext, tag, err == nil && tag != language.Und
}

// Choose returns the one of some languages that suits a reader who wants others, the dearest first. The lessons' own is one of them;
// it, or none that suits, is false.
func Choose(all []language.Tag, wanted ...language.Tag) (language.Tag, bool) {
	_, i, confidence := language.NewMatcher(append([]language.Tag{original}, all...)).Match(wanted...)
	if i == 0 || confidence == language.No {
		return language.Und, false
	}
	return all[i-1], true
}

// In returns the lesson as it is told in the language that suits a reader who wants these, the dearest first: text by text, and what
// is not translated in the lesson's own words. It is the lesson itself if no translation suits.
func (l *Lesson) In(wanted ...language.Tag) (*Lesson, error) {
	all, err := l.Languages()
	if err != nil || len(all) == 0 {
		return l, err
	}
	tag, ok := Choose(all, wanted...)
	if !ok {
		return l, nil
	}
	t, err := l.Translation(tag)
	if err != nil {
		return nil, err
	}
	return l.told(t), nil
}

// Translation reads the lesson's translation into one of its Languages.
func (l *Lesson) Translation(tag language.Tag) (*Translation, error) {
	file, text, err := l.translationFile(tag)
	if err != nil {
		return nil, err
	}
	return ReadTranslation(file, text, l)
}

// translationFile reads the file of a translation, and says how errors name it.
func (l *Lesson) translationFile(tag language.Tag) (file string, text []byte, err error) {
	files, err := l.translations()
	if err != nil {
		return "", nil, err
	}
	name, ok := files[tag]
	if !ok {
		return "", nil, fmt.Errorf("lesson %s is not translated into %s", l.Name, tag)
	}
	text, err = fs.ReadFile(l.source.folder, path.Join(path.Dir(l.source.file), name))
	if err != nil {
		return "", nil, fmt.Errorf("read translation: %w", err)
	}
	return path.Join(path.Dir(l.source.shown), name), text, nil
}

// told is the lesson in the words of a translation.
func (l *Lesson) told(t *Translation) *Lesson {
	out := *l
	out.Title, out.About = either(t.Title, l.Title), either(t.About, l.About)
	out.Course, out.Learned = either(t.Course, l.Course), either(t.Learned, l.Learned)
	out.Actors = slices.Clone(l.Actors)
	for i, a := range l.Actors {
		out.Actors[i].Role = either(t.Actors[a.Name], a.Role)
	}
	out.Steps = slices.Clone(l.Steps)
	for i, words := range t.Steps {
		s := &out.Steps[i]
		s.Title, s.Tell = either(words.Title, s.Title), either(words.Tell, s.Tell)
		s.Look, s.You = either(words.Look, s.Look), either(words.You, s.You)
		s.Predict = s.Predict.told(words.Predict)
	}
	return &out
}

// told is the question in the words of a translation.
func (p *Predict) told(t *PredictTranslation) *Predict {
	if p == nil || t == nil {
		return p
	}
	out := Predict{Ask: either(t.Ask, p.Ask), Choices: p.Choices, Answer: p.Answer}
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
