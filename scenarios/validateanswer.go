package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kubarium/scenarios/expr"
)

// answer checks what the step says about the answer to its request.
func (c *scope) answer(s *Step) error {
	if s.Until == nil && s.Expect.None {
		return s.lost()
	}
	if s.Until == nil {
		return c.expect("expect", &s.Expect)
	}
	if s.Expect.says() {
		return errors.New("a step has expect or until, not both")
	}
	if !s.Request.writesNothing() {
		return errors.New("until repeats its request, which is for one that writes nothing: a GET, a dry run or a review")
	}
	return c.expect("until", s.Until)
}

func (c *scope) expect(what string, e *Expect) error {
	if e.None {
		return fmt.Errorf("%s: none is not for this step, which waits for an answer", what)
	}
	if e.Status < 100 || e.Status > 599 {
		return fmt.Errorf("%s says no status of the answer", what)
	}
	for what, cond := range map[string]*expr.Condition{"text": e.Text, "size": e.Size} {
		if cond == nil {
			continue
		}
		if err := c.condition(what, cond); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		cond := e.Headers[name]
		if err := c.condition(name, &cond); err != nil {
			return err
		}
	}
	return c.conditions(e.Body)
}

// says reports whether there is anything in it.
func (e *Expect) says() bool {
	return e.None || e.Status != 0 || e.Headers != nil || e.Body != nil || e.Text != nil || e.Size != nil
}
