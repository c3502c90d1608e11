package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

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

// CheckPath returns why a path cannot be read, nil if it can.
func CheckPath(path string) error {
	_, err := parsePath(path)
	return err
}

// Lookup returns what is at a path of a JSON value, and whether there is something.
func Lookup(v any, p string) (any, bool) {
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

// LastKey is the key that a path ends with, without its quotes: "x.io/y" of "labels['x.io/y']". Of an element of a list it is
// the key of the list.
func LastKey(path string) (key string) {
	segments, _ := parsePath(path) // CheckPath says what is wrong with it
	for _, s := range segments {
		if s.key != "" {
			key = s.key
		}
	}
	return key
}

// Steps returns the keys (string) and indexes (int) that lead to a path of a JSON value, as far as there is something;
// all reports whether they lead to its end.
func Steps(v any, path string) (steps []any, all bool) {
	segments, err := parsePath(path)
	if err != nil {
		return nil, false
	}
	for _, s := range segments {
		next, found := s.of(v)
		if !found {
			return steps, false
		}
		step := any(s.key)
		if s.key == "" {
			step = s.at(v.([]any))
		}
		v, steps = next, append(steps, step)
	}
	return steps, true
}

func (s segment) of(v any) (any, bool) {
	if s.key != "" {
		m, _ := v.(map[string]any)
		e, ok := m[s.key]
		return e, ok
	}
	list, _ := v.([]any)
	i := s.at(list)
	if i < 0 {
		return nil, false
	}
	return list[i], true
}

// at is the index of the element that the segment means, -1 if there is none.
func (s segment) at(list []any) int {
	switch {
	case s.field == "" && s.index < len(list):
		return s.index
	case s.field == "":
		return -1
	}
	return slices.IndexFunc(list, func(e any) bool {
		f, ok := Lookup(e, s.field)
		return ok && Text(f) == s.want
	})
}

// TextAt returns the text of the value at a path; "" if there is none.
func TextAt(v any, path string) string {
	if v, ok := Lookup(v, path); ok {
		return Text(v)
	}
	return ""
}

// Text writes a JSON value as a lesson does.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	return JSON(v)
}

// JSON is a value as JSON in one line.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Object decodes a JSON object, with numbers as json.Number; nil if there is none to read.
func Object(r io.Reader) map[string]any {
	var object map[string]any
	d := json.NewDecoder(r)
	d.UseNumber()
	if d.Decode(&object) != nil {
		return nil
	}
	return object
}

// Short shows a value to a reader: of a list, only how long it is.
func Short(v any) string {
	if list, ok := v.([]any); ok {
		return fmt.Sprintf("a list of %d", len(list))
	}
	return Text(v)
}

// has reports whether a text, a list or a map has a text in it, as an element or as a key.
func has(v any, s string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, s)
	case []any:
		for _, e := range v {
			if Text(e) == s {
				return true
			}
		}
	case map[string]any:
		_, ok := v[s]
		return ok
	}
	return false
}

// count returns the length of a list or a map, 0 for others.
func count(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}
