package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"kubarium/scenarios/document"
)

// watch checks a step that opens a watch.
func (c *scope) watch(s *Step) error {
	w := s.Watch
	if w.Name == "" || c.watches[w.Name] != watchUnknown {
		return errors.New("a watch has a name of its own")
	}
	c.watches[w.Name] = watchOpen
	if s.As == Reader {
		c.watches[w.Name] = watchOfReader
	}
	if err := c.headers(w.Headers); err != nil {
		return err
	}
	return c.path(w.Path)
}

// closed checks that the watch that a step closes, "" for none, is open until then.
func (c *scope) closed(name string) error {
	if name == "" {
		return nil
	}
	switch c.watches[name] {
	case watchUnknown:
		return fmt.Errorf("close: no step before opened a watch named %q", name)
	case watchOfReader:
		return fmt.Errorf("close: only the reader can end the watch %q, by ending its command", name)
	case watchClosed:
		return fmt.Errorf("close: the watch %q was closed before", name)
	case watchEnded:
		return fmt.Errorf("close: the server has ended the watch %q before", name)
	}
	c.watches[name] = watchClosed
	return nil
}

var frameTypes = []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}

// frames checks a step that waits for events of a watch.
func (c *scope) frames(f *Frames) error {
	switch c.watches[f.From] {
	case watchUnknown:
		return fmt.Errorf("frames: no step before opened a watch named %q", f.From)
	case watchClosed:
		return fmt.Errorf("frames: the watch %q was closed before", f.From)
	}
	if len(f.Expect) == 0 && !f.Ends {
		return errors.New("frames expects none")
	}
	for _, e := range f.Expect {
		if !slices.Contains(frameTypes, e.Type) {
			return fmt.Errorf("frame type %q %s", e.Type, document.NoneOf(e.Type, frameTypes))
		}
		if err := c.conditions(e.Object); err != nil {
			return err
		}
		if err := c.keep(e.Keep); err != nil {
			return err
		}
	}
	if f.Ends {
		c.watches[f.From] = watchEnded
	}
	return nil
}
