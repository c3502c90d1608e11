package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubarium/scenarios/document"
)

// GatePath is the path at which a server takes fault rules, and lists the requests that are held.
const GatePath = "/debug/gate"

// own is the term by which a fault rule means a lesson alone.
const own = "ns:{ns}"

// faults checks that the step's rules apply only to the lesson's own requests. The server checks the rest of them.
func (c *scope) faults(l *Lesson, s *Step) error {
	if (s.Mend || s.Faults != nil) && !slices.Contains(l.Needs, GatePath) {
		return fmt.Errorf("faults and mend need a gate: the lesson must have %s in its needs", GatePath)
	}
	for _, line := range s.Faults {
		if strings.ContainsAny(line, "\r\n") {
			return fmt.Errorf("fault rule %q is not one line", line)
		}
		_, filter, _ := strings.Cut(line, " on ")
		if strings.Contains(filter, "|") || strings.Contains(filter, "#") || !slices.Contains(strings.Fields(filter), own) {
			return fmt.Errorf("fault rule %q must apply to the lesson alone: %s after on, without | and #", line, own)
		}
		if err := c.texts(line); err != nil {
			return err
		}
	}
	if s.Later != "" && s.Request == nil {
		return errors.New("later is about a request, and there is none")
	}
	return nil
}

// sentLater checks a request that a fault rule is to hold.
func (c *scope) sentLater(s *Step) error {
	switch {
	case s.As == Reader:
		return errors.New("later: the reader's own request cannot be held while the lesson goes on")
	case s.Expect.says() || s.Until != nil || s.Keep != nil:
		return errors.New("later: what the answer must be is said by the step that awaits it")
	}
	if _, used := c.later[s.Later]; used {
		return errors.New("a request that is sent later has a name of its own")
	}
	c.later[s.Later] = true
	return nil
}

var verdicts = []string{"", "go", "refuse", "drop"}

// held checks a step that awaits the answer of a request that is held.
func (c *scope) held(s *Step) error {
	a := s.Answer
	switch {
	case !c.later[a.Of]:
		return fmt.Errorf("answer: no request %q was sent later, or its answer was awaited before", a.Of)
	case !slices.Contains(verdicts, a.Do):
		return fmt.Errorf("answer: do %q %s", a.Do, document.NoneOf(a.Do, verdicts[1:]))
	case a.Do != "refuse" && (a.Code != 0 || a.RetryAfter != 0):
		return errors.New("answer: code and retryAfter are about do: refuse")
	case a.Code != 0 && (a.Code < 400 || a.Code > 599) || a.RetryAfter < 0:
		return errors.New("answer: code is a status between 400 and 599, and retryAfter a number of seconds")
	}
	c.later[a.Of] = false
	if err := c.answer(s); err != nil {
		return err
	}
	return c.keep(s.Keep)
}

// lost checks a step whose request is to get no answer.
func (s *Step) lost() error {
	e := s.Expect
	e.None = false
	switch {
	case e.says() || s.Keep != nil:
		return errors.New("expect: none excludes all else, since there is no answer to check")
	case s.As == Reader:
		return errors.New("expect: none is not for the reader's own step, whose answer is looked at")
	}
	return nil
}
