package check

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/expr"
)

// A Check compares the outcome of one step with what is expected.
type Check struct {
	Lesson string            // the lesson's name
	Number int               // of the step, from 1
	Step   scenarios.Step    // with its texts filled in
	Values map[string]string // placeholders; what the step keeps is added
}

// A check is a Check under way.
type check struct {
	Check
	result *Result
}

func (c *check) mismatch(what, expected, actual string) error {
	return &Mismatch{Lesson: c.Lesson, Step: c.Number, Title: c.Step.Title, What: what, Expected: expected, Actual: actual}
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
	if ok, expected := cond.Holds(text, text != "", c.Values); !ok {
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
			fact.Value = expr.Short(v)
		}
		c.result.Facts = append(c.result.Facts, fact)
		if ok, expected := cond.Holds(v, found, c.Values); !ok {
			return c.mismatch(what+" "+path, expected, actual)
		}
	}
	return nil
}

const noField = "no such field"

// keep puts fields of an object into the placeholders.
func (c *check) keep(what string, object map[string]any, names map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		v, found := expr.Lookup(object, names[name])
		if !found {
			return c.mismatch(what+" "+names[name], "a value to keep", noField)
		}
		c.Values[name] = expr.Text(v)
	}
	return nil
}
