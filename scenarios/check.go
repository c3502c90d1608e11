package scenarios

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios/expr"
)

// A Mismatch is an expectation that did not hold.
type Mismatch struct {
	Lesson   string
	Step     int // from 1
	Title    string
	What     string // "status", "body metadata.name", "frame 2 type"
	Expected string
	Actual   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s, step %d (%s): %s: expected %s, got %s", m.Lesson, m.Step, m.Title, m.What, m.Expected, printable(shortened(m.Actual)))
}

// A check compares one step's outcome with what is expected.
type check struct {
	result *Result
	values map[string]string
	lesson string
	step   int
}

func (c *check) mismatch(what, expected, actual string) error {
	return &Mismatch{Lesson: c.lesson, Step: c.step, Title: c.result.Step.Title, What: what, Expected: expected, Actual: actual}
}

// broken is an error that is not a mismatch: there was no answer.
func (c *check) broken(err error) error {
	return fmt.Errorf("%s, step %d (%s): %w", c.lesson, c.step, c.result.Step.Title, err)
}

// answer checks an answer and makes it the step's result.
func (c *check) answer(a *answer, want *Expect) error {
	c.result.Status, c.result.Answer, c.result.Brief = a.Status, a.Body, a.brief()
	if a.Status != want.Status {
		return c.mismatch("status", fmt.Sprint(want.Status), a.brief())
	}
	if err := c.headers("header ", a.header, want.Headers); err != nil {
		return err
	}
	if want.Text != nil {
		if err := c.text("text", string(a.Body), want.Text); err != nil {
			return err
		}
	}
	if want.Size != nil {
		if err := c.text("size", fmt.Sprint(len(a.Body)), want.Size); err != nil {
			return err
		}
	}
	return c.fields("body", a.object, want.Body)
}

// headers checks those of a request or an answer; what opens their names in facts and mismatches.
func (c *check) headers(what string, h http.Header, want map[string]expr.Condition) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		cond := want[name]
		if err := c.text(what+name, strings.Join(h.Values(name), ", "), &cond); err != nil {
			return err
		}
	}
	return nil
}

// text checks a header or a whole body; an empty one is taken as none.
func (c *check) text(what, text string, cond *expr.Condition) error {
	actual := text
	if text == "" {
		actual = "none"
	}
	c.result.Facts = append(c.result.Facts, Fact{Path: what, Value: text})
	if ok, expected := cond.Holds(text, text != "", c.values); !ok {
		return c.mismatch(what, expected, actual)
	}
	return nil
}

func (c *check) fields(what string, object map[string]any, want map[string]expr.Condition) error {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		cond := want[path]
		v, found := expr.Lookup(object, path)
		actual := noField
		fact := Fact{Path: path}
		if found {
			actual = expr.Text(v)
			fact.Value = inShort(v)
		}
		c.result.Facts = append(c.result.Facts, fact)
		if ok, expected := cond.Holds(v, found, c.values); !ok {
			return c.mismatch(what+" "+path, expected, actual)
		}
	}
	return nil
}

const noField = "no such field"

// inShort shows a value to a reader: of a list, how long it is.
func inShort(v any) string {
	if list, ok := v.([]any); ok {
		return fmt.Sprintf("a list of %d", len(list))
	}
	return expr.Text(v)
}

// keep puts fields of an object into the placeholders.
func (c *check) keep(what string, object map[string]any, names map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		v, found := expr.Lookup(object, names[name])
		if !found {
			return c.mismatch(what+" "+names[name], "a value to keep", "no such field")
		}
		c.values[name] = expr.Text(v)
	}
	return nil
}
