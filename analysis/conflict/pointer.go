package conflict

import (
	"slices"
	"strconv"
	"strings"

	"kubarium/flow/object"
)

// steps are the names in a JSON pointer (RFC 6901).
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	out := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range out {
		out[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
	}
	return out
}

// index is the position in a list that a step names; the length of the list for its end. ok is false if there is none.
func index(step string, list []any) (i int, ok bool) {
	if step == "-" {
		return len(list), true
	}
	i, err := strconv.Atoi(step)
	return i, err == nil && i >= 0 && i <= len(list)
}

// at is the value that a pointer leads to; nil if there is none.
func at(v any, steps []string) any {
	for _, s := range steps {
		list, ok := v.([]any)
		if !ok {
			v = object.In(v, s)
			continue
		}
		i, ok := index(s, list)
		if !ok || i == len(list) {
			return nil
		}
		v = list[i]
	}
	return v
}

// put is v with x where a pointer leads. In a list it is inserted, or replaces the item. A pointer to nothing changes
// nothing.
func put(v any, steps []string, x any, insert bool) any {
	if len(steps) == 0 {
		return x
	}
	switch v := v.(type) {
	case map[string]any:
		if _, there := v[steps[0]]; there || len(steps) == 1 {
			v[steps[0]] = put(v[steps[0]], steps[1:], x, insert)
		}
	case []any:
		i, ok := index(steps[0], v)
		switch {
		case !ok:
		case insert && len(steps) == 1:
			return slices.Insert(slices.Clone(v), i, x)
		case i < len(v):
			v[i] = put(v[i], steps[1:], x, insert)
		}
		return v
	}
	return v
}

// cut is v without what a pointer leads to.
func cut(v any, steps []string) any {
	if len(steps) == 0 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if inner, there := v[steps[0]]; there && len(steps) > 1 {
			v[steps[0]] = cut(inner, steps[1:])
		} else {
			delete(v, steps[0])
		}
	case []any:
		i, ok := index(steps[0], v)
		switch {
		case !ok || i == len(v):
		case len(steps) == 1:
			return slices.Delete(slices.Clone(v), i, i+1)
		default:
			v[i] = cut(v[i], steps[1:])
		}
		return v
	}
	return v
}

// place is a JSON pointer as the path of a field in a value; of something in a list of plain values it is the list's.
func place(pointer string, v any) string {
	path := ""
	for _, s := range steps(pointer) {
		list, isList := v.([]any)
		if !isList {
			path, v = object.JoinPath(path, s), object.In(v, s)
			continue
		}
		names, named := object.ItemNames(list)
		i, ok := index(s, list)
		if s == "-" {
			i = len(list) - 1 // it has been added
		}
		if !named || !ok || i < 0 || i >= len(list) {
			return path
		}
		path, v = path+"["+names[i]+"]", list[i]
	}
	return path
}

// under reports whether a path is that of a field, or of one in it.
func under(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
