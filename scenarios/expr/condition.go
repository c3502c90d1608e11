// Package expr is the small language inside lessons: placeholders in texts, paths into JSON values, and conditions on what
// these lead to.
package expr

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"kubarium/scenarios/document"
)

// A Condition is what a field must be. In a lesson it is a plain value, for equality, or a map with one of the keys
// below. Numbers and booleans are compared by how they are written.
type Condition struct {
	Is       *string
	Not      *string
	Exists   *bool
	Contains *string // in a text, or as an element of a list or a key of a map
	Newer    *string // a resourceVersion that this one must come after
	Matches  *string // a regular expression
	Count    *int    // how many elements a list or a map has
	Less     *int64  // a number that this one must be below
	More     *int64  // a number that this one must be above
}

// UnmarshalYAML reads either form.
func (c *Condition) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		c.Is = &n.Value
		return nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return fmt.Errorf("line %d: a condition is a value, or one of is, not, exists, contains, newer, matches, count, less, more", n.Line)
	}
	key, value := n.Content[0].Value, n.Content[1]
	targets := map[string]any{
		"is": &c.Is, "not": &c.Not, "exists": &c.Exists, "contains": &c.Contains, "newer": &c.Newer, "matches": &c.Matches,
		"count": &c.Count, "less": &c.Less, "more": &c.More,
	}
	target := targets[key]
	if target == nil {
		return fmt.Errorf("line %d: unknown condition %q%s", n.Line, key, document.Meant(key, slices.Sorted(maps.Keys(targets))))
	}
	return value.Decode(target)
}

// Check returns what is wrong with the condition itself.
func (c *Condition) Check() error {
	if c.Matches != nil {
		if _, err := regexp.Compile(*c.Matches); err != nil {
			return err
		}
	}
	if len(c.Texts()) == 0 && c.Exists == nil && c.Count == nil && c.Less == nil && c.More == nil {
		return errors.New("the condition says nothing")
	}
	return nil
}

// Texts returns the texts of the condition that may have placeholders.
func (c *Condition) Texts() []string {
	var out []string
	for _, s := range []*string{c.Is, c.Not, c.Contains, c.Newer, c.Matches} {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// Holds reports whether a field has what the condition asks for; found says whether there is such a field. Otherwise
// expected is the condition in words.
func (c *Condition) Holds(v any, found bool, values map[string]string) (ok bool, expected string) {
	text, want := Text(v), func(s *string) string { return Fill(*s, values) }
	number, err := strconv.ParseInt(text, 10, 64)
	switch {
	case c.Exists != nil && *c.Exists:
		return found, "a value"
	case c.Exists != nil:
		return !found, "no such field"
	case c.Is != nil:
		return found && text == want(c.Is), want(c.Is)
	case c.Not != nil:
		return !found || text != want(c.Not), "anything but " + want(c.Not)
	case c.Contains != nil:
		return found && has(v, want(c.Contains)), "something with " + want(c.Contains)
	case c.Newer != nil:
		return found && newer(text, want(c.Newer)), "a resourceVersion after " + want(c.Newer)
	case c.Matches != nil:
		re, err := regexp.Compile(want(c.Matches))
		return err == nil && found && re.MatchString(text), "a match of " + want(c.Matches)
	case c.Count != nil:
		return count(v) == *c.Count, fmt.Sprintf("%d of them", *c.Count)
	case c.Less != nil:
		return found && err == nil && number < *c.Less, fmt.Sprintf("a number below %d", *c.Less)
	case c.More != nil:
		return found && err == nil && number > *c.More, fmt.Sprintf("a number above %d", *c.More)
	}
	return false, "a condition"
}

// newer compares two resourceVersions of one resource as the API defines it: as decimal numbers of any length.
func newer(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if strings.Trim(a+b, "0123456789") != "" {
		return false
	}
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
