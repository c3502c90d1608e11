package main

import (
	"regexp"
	"testing"
)

// Each suite has a name of its own, a whole commit and packages; an unknown name is refused.
func TestReadSuites(t *testing.T) {
	all, err := readSuites()
	if err != nil {
		t.Fatal(err)
	}
	commit, repository := regexp.MustCompile(`^[0-9a-f]{40}$`), regexp.MustCompile(`^[\w.-]+/[\w.-]+$`)
	names := map[string]bool{}
	for _, s := range all {
		if names[s.Name] || s.Name == "" || !commit.MatchString(s.Commit) || !repository.MatchString(s.Repository) || len(s.Packages) == 0 {
			t.Errorf("%+v", s)
		}
		names[s.Name] = true
	}
	if got, err := choose(all, []string{all[1].Name}); err != nil || len(got) != 1 || got[0].Name != all[1].Name {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := choose(all, []string{"none"}); err == nil {
		t.Error("an unknown name is accepted")
	}
}
