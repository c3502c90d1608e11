package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"kubarium/scenarios/document"
)

// Template is a lesson to begin one's own with: it passes, and its comments say what a lesson may have.
//
//go:embed template.yaml
var Template string

//go:embed lessons/*.yaml
var embedded embed.FS

// Embedded has the files of the lessons that come with Kubarium and of their translations, in the folder lessons.
func Embedded() fs.FS { return embedded }

// All returns the lessons that come with Kubarium, in the order in which they are meant to be taken.
func All() ([]*Lesson, error) {
	files, err := files()
	if err != nil {
		return nil, err
	}
	lessons := make([]*Lesson, len(files))
	for i := range files {
		if lessons[i], err = readAt(files, i); err != nil {
			return nil, err
		}
	}
	return lessons, nil
}

// Names returns the names of the lessons that come with Kubarium, in their order. It reads none of them.
func Names() ([]string, error) {
	files, err := files()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = nameOf(file)
	}
	return names, nil
}

// files are those of the lessons that come with Kubarium, in their order, without their translations.
func files() ([]string, error) {
	all, err := fs.Glob(embedded, "lessons/*.yaml")
	if err != nil {
		return nil, err
	}
	return alongRoad(slices.DeleteFunc(slices.Clone(all), func(file string) bool {
		of, _, ok := TranslationOf(file)
		return ok && slices.Contains(all, of)
	}))
}

// readAt reads the lesson in one of the files. Unless it names another, the following one is next.
func readAt(files []string, i int) (*Lesson, error) {
	b, err := embedded.ReadFile(files[i])
	if err != nil {
		return nil, err
	}
	l, err := Read(files[i], b)
	if err != nil {
		return nil, err
	}
	l.Source = Source{embedded, files[i], files[i]}
	if names, err := Road(); err == nil && i < len(names) {
		l.Road = RoadTitle(language.English)
	}
	if l.Next == "" && i+1 < len(files) {
		l.Next = nameOf(files[i+1])
	}
	return l, nil
}

// Load reads a lesson from a file.
func Load(file string) (*Lesson, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read lesson: %w", err)
	}
	folder, shown := filepath.Dir(file), filepath.ToSlash(file)
	if of, tag, ok := TranslationOf(filepath.Base(file)); ok {
		if _, err := os.Stat(filepath.Join(folder, of)); err == nil {
			return nil, fmt.Errorf("%s is a translation of %s; name that, with --lang %s", shown, of, tag)
		}
	}
	l, err := Read(shown, b)
	if err != nil {
		return nil, err
	}
	l.Source = Source{os.DirFS(folder), filepath.Base(file), shown}
	return l, nil
}

// Find returns the lesson of this name, or reads it if the name is that of a YAML file.
func Find(name string) (*Lesson, error) {
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
		return Load(name)
	}
	names, err := Names()
	if err != nil {
		return nil, err
	}
	if now, ok := renamed[name]; ok {
		name = now
	}
	i := slices.Index(names, name)
	if i < 0 {
		return nil, noLesson(name, names)
	}
	files, err := files()
	if err != nil {
		return nil, err
	}
	return readAt(files, i)
}

// renamed are the lessons that once had other names.
var renamed = map[string]string{
	"forms-of-one-object": "representations", "chunks-over-a-snapshot": "chunks", "unknown-fields": "field-validation",
	"own-kind": "custom-resource", "late-rules": "ratcheting", "own-status-and-scale": "status-and-scale",
	"own-columns": "printer-columns", "versions-of-a-kind": "two-versions",
}

// noLesson says which lessons there are, or the one that was meant.
func noLesson(name string, names []string) error {
	if near := document.Nearest(name, names); near != "" {
		return fmt.Errorf("there is no lesson %q, did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no lesson %q; \"kubarium scenario list\" names them", name)
}

// nameOf is the name of the lesson in a file: "lost-update" of "lessons/03-lost-update.yaml".
func nameOf(file string) string {
	base := path.Base(file)
	base = strings.TrimSuffix(base, path.Ext(base))
	if trimmed := strings.TrimLeft(base, "0123456789"); strings.HasPrefix(trimmed, "-") && len(trimmed) > 1 {
		return trimmed[1:]
	}
	return base
}

// Read reads a lesson; file names it in errors, which say the line: "lessons/x.yaml:12: unknown field …".
func Read(file string, text []byte) (*Lesson, error) {
	l := &Lesson{}
	if err := document.Read(file, text, "lesson", l); err != nil {
		return nil, err
	}
	l.Name = nameOf(file)
	c := &validator{file: file, lines: document.StepLines(text), scope: newScope()}
	if err := c.lesson(l); err != nil {
		return nil, err
	}
	return l, nil
}

// TranslationOf reads the name of a translation's file: the lesson's file, and the language. False says that it is no such name.
func TranslationOf(name string) (of string, tag language.Tag, ok bool) {
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
