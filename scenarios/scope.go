package scenarios

import (
	"fmt"
	"regexp"
	"strings"

	"kubarium/scenarios/expr"
)

// keptName is a name that a placeholder may begin with.
var keptName = regexp.MustCompile(`^[a-z][a-zA-Z0-9]{0,30}$`)

// A scope is what a step may name: the placeholders that are known before it, and the watches and requests of earlier steps.
type scope struct {
	known   map[string]bool // placeholders, without braces
	watches map[string]watchState
	opened  map[string]int  // the steps that open the watches, from 1
	later   map[string]bool // names of requests that are held; false after a step has awaited the answer
}

// A watchState is what has become of a watch before a step. The zero value says that no step has opened it.
type watchState int

const (
	watchUnknown watchState = iota
	watchOpen
	watchOfReader // open, by the reader's own client
	watchClosed   // by a step with Close
	watchEnded    // by the server, as a step's Frames expect
)

func newScope() scope {
	return scope{
		known:   map[string]bool{"ns": true, "id": true, "long": true},
		watches: map[string]watchState{}, opened: map[string]int{}, later: map[string]bool{},
	}
}

func (c *scope) headers(headers map[string]string) error {
	for name, v := range headers {
		if strings.ContainsAny(name+v, "\r\n") {
			return fmt.Errorf("header %q has a line break", name)
		}
		if err := c.texts(v); err != nil {
			return err
		}
	}
	return nil
}

func (c *scope) conditions(m map[string]expr.Condition) error {
	for p, cond := range m {
		if err := expr.CheckPath(p); err != nil {
			return err
		}
		if err := c.condition(p, &cond); err != nil {
			return err
		}
	}
	return nil
}

func (c *scope) condition(of string, cond *expr.Condition) error {
	if err := cond.Check(); err != nil {
		return fmt.Errorf("%s: %w", of, err)
	}
	return c.texts(cond.Texts()...)
}

func (c *scope) keep(m map[string]string) error {
	for name, p := range m {
		if !keptName.MatchString(name) {
			return fmt.Errorf("keep: %q is not a name for a placeholder", name)
		}
		if err := expr.CheckPath(p); err != nil {
			return err
		}
	}
	for name := range m {
		c.known[name] = true
	}
	return nil
}

func (c *scope) path(p string) error {
	if err := checkPath(p); err != nil {
		return err
	}
	return c.texts(p)
}

func checkPath(p string) error {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, " \t\r\n#") {
		return fmt.Errorf("path %q does not begin with / or is not escaped", p)
	}
	return nil
}

// texts checks that all placeholders in them are known.
func (c *scope) texts(texts ...string) error {
	for _, t := range texts {
		for _, p := range expr.Placeholders(t) {
			if !c.known[strings.Trim(p, "{}")] {
				return fmt.Errorf("nothing before it keeps a value for %s", p)
			}
		}
	}
	return nil
}
