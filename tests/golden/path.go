package golden

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A step of a path: the key of an object, or a selector of list elements.
type segment struct {
	key    string
	list   bool     // a selector: all elements, unless narrowed by what follows
	index  int      // this element alone; -1 for none
	field  string   // only elements whose field has one of values; "" for none
	values []string // the texts between the bars
}

// parsePath splits a path such as "body.items[metadata.name=a|b].data.['x.y/z'][0]".
func parsePath(path string) []segment {
	var segs []segment
	for path != "" {
		switch path[0] {
		case '.':
			path = path[1:]
		case '[':
			inside, rest, _ := strings.Cut(path[1:], "]")
			segs = append(segs, parseSelector(inside))
			path = rest
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			segs = append(segs, segment{key: path[:end], index: -1})
			path = path[end:]
		}
	}
	return segs
}

// parseSelector parses the text between brackets.
func parseSelector(text string) segment {
	if name, ok := strings.CutPrefix(text, "'"); ok {
		return segment{key: strings.TrimSuffix(name, "'"), index: -1}
	}
	s := segment{list: true, index: -1}
	if i, err := strconv.Atoi(text); err == nil {
		s.index = i
	} else if field, values, ok := strings.Cut(text, "="); ok {
		s.field, s.values = field, strings.Split(values, "|")
	}
	return s
}

// selects reports whether a selector includes a list's element i, which is v.
func (s segment) selects(i int, v any) bool {
	if s.index >= 0 {
		return s.index == i
	}
	if s.field == "" {
		return true
	}
	got, ok := lookup(v, parsePath(s.field))
	return ok && slices.Contains(s.values, fmt.Sprint(got))
}

// first returns the index of the first element of list that is selected, -1 if there is none.
func (s segment) first(list []any) int {
	for i, v := range list {
		if s.list && s.selects(i, v) {
			return i
		}
	}
	return -1
}

// lookup finds the value at a path without lists.
func lookup(v any, path []segment) (any, bool) {
	for _, s := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[s.key]
			if !ok || s.list {
				return nil, false
			}
			v = next
		case []any:
			i := s.first(c)
			if i < 0 {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// keep returns the parts of v that paths select; it returns false if there are none. An object or a list on a path
// stays, even if it is empty. A list keeps the elements that any path selects, but those that a path filters by a field
// only if they match.
func keep(v any, paths [][]segment) (any, bool) {
	for _, p := range paths {
		if len(p) == 0 {
			return v, true
		}
	}
	if len(paths) == 0 {
		return nil, false
	}
	switch c := v.(type) {
	case map[string]any:
		return keepKeys(c, paths), true
	case []any:
		return keepElements(c, paths), true
	}
	return nil, false
}

func keepKeys(c map[string]any, paths [][]segment) map[string]any {
	out := map[string]any{}
	for key, v := range c {
		var below [][]segment
		for _, p := range paths {
			if !p[0].list && p[0].key == key {
				below = append(below, p[1:])
			}
		}
		if kept, ok := keep(v, below); ok {
			out[key] = kept
		}
	}
	return out
}

func keepElements(c []any, paths [][]segment) []any {
	out := []any{}
	for i, v := range c {
		var below [][]segment
		dropped := false
		for _, p := range paths {
			if !p[0].list {
				continue
			}
			if p[0].selects(i, v) {
				below = append(below, p[1:])
			} else if p[0].field != "" {
				dropped = true
			}
		}
		if kept, ok := keep(v, below); ok && !dropped {
			out = append(out, kept)
		}
	}
	return out
}

// drop removes what a path names from v, in place; a removed list element becomes null.
func drop(v any, path []segment) {
	if len(path) == 0 {
		return
	}
	s := path[0]
	switch c := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(c, s.key)
			return
		}
		drop(c[s.key], path[1:])
	case []any:
		for i, e := range c {
			switch {
			case !s.list || !s.selects(i, e):
			case len(path) == 1:
				c[i] = nil
			default:
				drop(e, path[1:])
			}
		}
	}
}

// project applies a step's compare and ignore to an answer.
func project(answer map[string]any, compare, ignore []string) map[string]any {
	if compare != nil {
		paths := make([][]segment, len(compare))
		for i, p := range compare {
			paths[i] = parsePath(p)
		}
		kept, _ := keep(answer, paths)
		answer, _ = kept.(map[string]any)
	}
	for _, p := range ignore {
		drop(answer, parsePath(p))
	}
	return answer
}
