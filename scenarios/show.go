package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"kubarium/scenarios/document"
)

// A Show says what a reader's screen opens for a step. By default that is the page traffic with the step's own request.
type Show struct {
	Page   string `yaml:"page"`   // one of Pages; "" means traffic
	Pane   string `yaml:"pane"`   // list or detail; "" means detail if there is a Tab, else list
	Tab    string `yaml:"tab"`    // of the request's inspector, or of the object on the page objects; "" means any
	Object string `yaml:"object"` // path of the object or the collection to select; "" means that of the step's own request
}

// Pages, panes and tabs that a screen can open.
var (
	Pages       = []string{"traffic", "watches", "lists", "versions", "conflicts", "deletes", "objects", "gate"}
	Panes       = []string{"list", "detail"}
	RequestTabs = []string{"story", "request", "response", "stations", "sql", "effects", "raw"}
	ObjectTabs  = []string{"yaml", "fields", "history", "owners", "watched by", "rows"}
)

// check looks for words that no screen knows.
func (s Show) check() error {
	if s.Page != "" && !slices.Contains(Pages, s.Page) {
		return fmt.Errorf("show: page %q %s", s.Page, document.NoneOf(s.Page, Pages))
	}
	if s.Pane != "" && !slices.Contains(Panes, s.Pane) {
		return fmt.Errorf("show: pane %q %s", s.Pane, document.NoneOf(s.Pane, Panes))
	}
	if err := s.checkTab(); err != nil {
		return err
	}
	if _, ok := RefOf(s.Object); s.Object != "" && !ok {
		return fmt.Errorf("show: object %q is not the path of an object or a collection", s.Object)
	}
	return nil
}

func (s Show) checkTab() error {
	tabs := map[string][]string{"": RequestTabs, "traffic": RequestTabs, "objects": ObjectTabs}[s.Page]
	switch {
	case s.Tab == "":
		return nil
	case tabs == nil:
		return fmt.Errorf("show: the page %s has no tabs", s.Page)
	case !slices.Contains(tabs, s.Tab):
		return fmt.Errorf("show: tab %q %s", s.Tab, document.NoneOf(s.Tab, tabs))
	case s.Pane == "list":
		return errors.New("show: a tab is of the pane detail")
	}
	return nil
}
