package app

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/app/cli"
	"kubarium/scenarios"
	"kubarium/server/nearest"
)

// findLessons returns the lessons of these names or files, all for none.
func findLessons(names []string) ([]*scenarios.Lesson, error) {
	if len(names) == 0 {
		return scenarios.All()
	}
	lessons := make([]*scenarios.Lesson, len(names))
	for i, name := range names {
		find := findLesson
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
			find = scenarios.Load
		}
		l, err := find(name)
		if err != nil {
			return nil, cli.Misuse(err)
		}
		lessons[i] = l
	}
	return lessons, nil
}

// findLesson returns the lesson of this name that comes with Kubarium.
func findLesson(name string) (*scenarios.Lesson, error) {
	names, err := scenarios.Names()
	if err != nil {
		return nil, err
	}
	if slices.Contains(names, name) {
		return scenarios.Find(name)
	}
	if near := nearest.Hint(name, names); near != "" {
		return nil, cli.Misuse(fmt.Errorf("there is no lesson %q%s", name, near))
	}
	return nil, cli.Misuse(fmt.Errorf("there is no lesson %q; \"kubarium scenario list\" names them", name))
}
