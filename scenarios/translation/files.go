package translation

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"kubarium/scenarios"
)

// Languages are those that lessons which come with Kubarium are translated into, sorted.
func Languages() ([]language.Tag, error) {
	files, err := fs.Glob(scenarios.Embedded(), "lessons/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []language.Tag
	for _, file := range files {
		if of, tag, ok := scenarios.TranslationOf(file); ok && slices.Contains(files, of) && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	slices.SortFunc(all, compareTags)
	return all, nil
}

func compareTags(a, b language.Tag) int { return strings.Compare(a.String(), b.String()) }

// LanguagesOf returns the languages into which the lesson is translated, sorted: those of the files next to its own.
func LanguagesOf(l *scenarios.Lesson) ([]language.Tag, error) {
	files, err := filesOf(l)
	return slices.SortedFunc(maps.Keys(files), compareTags), err
}

// filesOf returns the names of the files next to the lesson's own that translate it.
func filesOf(l *scenarios.Lesson) (map[language.Tag]string, error) {
	files := map[language.Tag]string{}
	if l.Source.Folder == nil {
		return files, nil
	}
	all, err := fs.ReadDir(l.Source.Folder, path.Dir(l.Source.File))
	if err != nil {
		return nil, fmt.Errorf("look for translations: %w", err)
	}
	mine := path.Base(l.Source.File)
	for _, f := range all {
		if !strings.HasPrefix(f.Name(), strings.TrimSuffix(mine, path.Ext(mine))) {
			continue
		}
		if of, tag, ok := scenarios.TranslationOf(f.Name()); ok && of == mine {
			files[tag] = f.Name()
		}
	}
	return files, nil
}

// Load reads the lesson's translation into one of its Languages.
func Load(l *scenarios.Lesson, tag language.Tag) (*Translation, error) {
	file, text, err := fileOf(l, tag)
	if err != nil {
		return nil, err
	}
	return Read(file, text, l)
}

// fileOf reads the file of a translation, and says how errors name it.
func fileOf(l *scenarios.Lesson, tag language.Tag) (file string, text []byte, err error) {
	files, err := filesOf(l)
	if err != nil {
		return "", nil, err
	}
	name, ok := files[tag]
	if !ok {
		return "", nil, fmt.Errorf("lesson %s is not translated into %s", l.Name, tag)
	}
	text, err = fs.ReadFile(l.Source.Folder, path.Join(path.Dir(l.Source.File), name))
	if err != nil {
		return "", nil, fmt.Errorf("read translation: %w", err)
	}
	return path.Join(path.Dir(l.Source.Shown), name), text, nil
}
