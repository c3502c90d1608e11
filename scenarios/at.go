package scenarios

import (
	"errors"
	"fmt"

	"kubarium/scenarios/expr"
)

// An At is the place on the screen to which the Look of a step leads: there the screen scrolls, and marks what is there.
// Without any of Path, Header, Lane and Row it is the line of the step's own request.
type At struct {
	Request int    `yaml:"request"` // the step whose request is meant, from 1; 0 means the step's own
	Path    string `yaml:"path"`    // a field of the body or object that the step shows, as in Expect.Body; it may be missing
	Header  string `yaml:"header"`  // a header of the request or answer that the step shows
	Lane    string `yaml:"lane"`    // the line of a watch, by its name, on the page watches; of an object on the page versions
	Row     string `yaml:"row"`     // a text on the line that is meant; it may have placeholders
}

// at checks a step's place. The place of a watch's lane is that of the step that opened the watch.
func (c *validator) at(l *Lesson, s *Step) error {
	a := s.At
	if a == nil {
		return nil
	}
	names := 0
	for _, text := range []string{a.Path, a.Header, a.Lane, a.Row} {
		if text != "" {
			names++
		}
	}
	if names > 1 {
		return errors.New("at: a place is one of path, header, lane and row")
	}
	if a.Request < 0 || a.Request > len(l.Steps) {
		return fmt.Errorf("at: there is no step %d", a.Request)
	}
	if a.Path != "" {
		if err := expr.CheckPath(a.Path); err != nil {
			return fmt.Errorf("at: %w", err)
		}
	}
	if (a.Path != "" || a.Header != "") && s.Show.Tab == "" && s.Show.Page != "objects" {
		return errors.New("at: a path or a header is on a tab; name it in show")
	}
	if a.Lane != "" && s.Show.Page == "watches" {
		opened, ok := c.opened[a.Lane]
		if !ok {
			return fmt.Errorf("at: no step up to this one opened a watch named %q", a.Lane)
		}
		a.Request = opened
	} else if a.Lane != "" && s.Show.Page != "versions" {
		return errors.New("at: lanes are on the pages watches and versions")
	}
	return c.texts(a.Path, a.Row, a.Lane)
}
