package app

import (
	"kubarium/app/cli"
	"kubarium/scenarios"
)

// findLessons returns the lessons of these names or files, all for none.
func findLessons(names []string) ([]*scenarios.Lesson, error) {
	if len(names) == 0 {
		return scenarios.All()
	}
	lessons := make([]*scenarios.Lesson, len(names))
	for i, name := range names {
		l, err := scenarios.Find(name)
		if err != nil {
			return nil, cli.Misuse(err)
		}
		lessons[i] = l
	}
	return lessons, nil
}
