package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
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
		return fmt.Errorf("line %d: unknown condition %q%s", n.Line, key, document.Meant(key, sortedKeys(targets)))
	}
	return value.Decode(target)
}

func (c *Condition) check() error {
	if c.Matches != nil {
		if _, err := regexp.Compile(*c.Matches); err != nil {
			return err
		}
	}
	if len(c.texts()) == 0 && c.Exists == nil && c.Count == nil && c.Less == nil && c.More == nil {
		return errors.New("the condition says nothing")
	}
	return nil
}

func (c *Condition) texts() []string {
	var out []string
	for _, s := range []*string{c.Is, c.Not, c.Contains, c.Newer, c.Matches} {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// holds reports whether a field has what the condition asks for; found says whether there is such a field. Otherwise
// expected is the condition in words.
func (c *Condition) holds(v any, found bool, values map[string]string) (ok bool, expected string) {
	text := func(s *string) string { return fill(*s, values) }
	switch {
	case c.Exists != nil && *c.Exists:
		return found, "a value"
	case c.Exists != nil:
		return !found, "no such field"
	case c.Is != nil:
		return found && show(v) == text(c.Is), text(c.Is)
	case c.Not != nil:
		return !found || show(v) != text(c.Not), "anything but " + text(c.Not)
	case c.Contains != nil:
		return found && has(v, text(c.Contains)), "something with " + text(c.Contains)
	case c.Newer != nil:
		return found && newer(show(v), text(c.Newer)), "a resourceVersion after " + text(c.Newer)
	case c.Matches != nil:
		re, err := regexp.Compile(text(c.Matches))
		return err == nil && found && re.MatchString(show(v)), "a match of " + text(c.Matches)
	case c.Count != nil:
		return count(v) == *c.Count, fmt.Sprintf("%d of them", *c.Count)
	case c.Less != nil:
		n, err := strconv.ParseInt(show(v), 10, 64)
		return found && err == nil && n < *c.Less, fmt.Sprintf("a number below %d", *c.Less)
	case c.More != nil:
		n, err := strconv.ParseInt(show(v), 10, 64)
		return found && err == nil && n > *c.More, fmt.Sprintf("a number above %d", *c.More)
	}
	return false, "a condition"
}

// show writes a JSON value as a lesson does.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	return compact(v)
}

func has(v any, s string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, s)
	case []any:
		for _, e := range v {
			if show(e) == s {
				return true
			}
		}
	case map[string]any:
		_, ok := v[s]
		return ok
	}
	return false
}

func count(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
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

// A segment is a step of a path into a JSON value.
type segment struct {
	key         string // of a map
	index       int    // of a list, if key is "" and field is nil
	field, want string // of a list: the first element whose field has this text
}

// parsePath reads a path: keys joined by dots; [3] is an element of a list, [metadata.name=x] the first one whose field
// has that value, ['a.b/c'] a key that has dots.
func parsePath(p string) ([]segment, error) {
	var out []segment
	rest := p
	for rest != "" {
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("path %q: a bracket is not closed", p)
			}
			s, err := parseBracket(rest[1:end])
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", p, err)
			}
			out = append(out, s)
			rest = strings.TrimPrefix(rest[end+1:], ".")
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("path %q: a key is missing", p)
		}
		out = append(out, segment{key: rest[:end]})
		rest = strings.TrimPrefix(rest[end:], ".")
	}
	if len(out) == 0 {
		return nil, errors.New("a path is empty")
	}
	return out, nil
}

func parseBracket(s string) (segment, error) {
	if len(s) > 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return segment{key: s[1 : len(s)-1]}, nil
	}
	if field, want, ok := strings.Cut(s, "="); ok && field != "" {
		return segment{field: field, want: want}, nil
	}
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 {
		return segment{}, fmt.Errorf("[%s] is not an index, a quoted key or field=value", s)
	}
	return segment{index: i}, nil
}

// lookup returns what is at a path of a JSON value, and whether there is something.
func lookup(v any, p string) (any, bool) {
	segments, err := parsePath(p)
	if err != nil {
		return nil, false
	}
	for _, s := range segments {
		found := false
		if v, found = s.of(v); !found {
			return nil, false
		}
	}
	return v, true
}

func (s segment) of(v any) (any, bool) {
	if s.key != "" {
		m, _ := v.(map[string]any)
		e, ok := m[s.key]
		return e, ok
	}
	list, _ := v.([]any)
	if s.field == "" {
		if s.index >= len(list) {
			return nil, false
		}
		return list[s.index], true
	}
	for _, e := range list {
		if f, ok := lookup(e, s.field); ok && show(f) == s.want {
			return e, true
		}
	}
	return nil, false
}

// sortedKeys gives maps an order, so that the same failure is reported each time.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
