// Package object reads the objects in flows as plain values: their fields by paths as people write them, the body of a request in
// whatever form it was sent, and the names of objects. It is what the other packages of analysis stand on.
//
// A plain value is what encoding/json makes of a text: map[string]any, []any, string, bool, nil, and json.Number for numbers. A path is
// "spec.containers[web].image": an item of a list of objects goes by the field that names it, and a name with a dot or a slash in it
// stands in brackets, "metadata.labels[example.io/team]". Paths are for people and for comparing versions of one object; nothing reads
// them back.
//
// The package knows no kinds and no schemas. So it guesses which field names the items of a list, and what is absent is not filled with
// defaults.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

// Sent is the body of a request as a plain value, whatever encoding it was sent in; nil if it has none, was cut or does not read.
func Sent(f *flow.Flow) any { return Parse(bodies.JSON(f.RequestBody)) }

// Parse is a JSON text as a plain value, its numbers with all their digits; nil if it does not read.
func Parse(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// In is the value at a path of names in a plain value; nil if there is none.
func In(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// TextIn is the string at a path of names; "" if there is none.
func TextIn(v any, path ...string) string {
	s, _ := In(v, path...).(string)
	return s
}

// Leaves are the fields of an object that have no fields themselves, by their paths as people write them. A list of
// objects is taken apart by the names in it, so that its order does not matter; other lists are values as a whole.
func Leaves(v any) map[string]any {
	out := map[string]any{}
	AddLeaves(out, "", v)
	return out
}

// AddLeaves adds the leaves of a value that stands at a path to those that are in out already.
func AddLeaves(out map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			AddLeaves(out, JoinPath(path, name), inner)
		}
		if len(v) == 0 && path != "" {
			out[path] = v
		}
	case []any:
		names, ok := ItemNames(v)
		if !ok {
			out[path] = v
			return
		}
		for i, item := range v {
			AddLeaves(out, path+"["+names[i]+"]", item)
		}
	case nil:
	default:
		out[path] = v
	}
}

// JoinPath is the path of a field in the object at a path; "" is the path of the whole.
func JoinPath(path, name string) string {
	if path == "" {
		return name
	}
	if strings.ContainsAny(name, "./") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

// itemKeys are the fields that tell the items of a list of objects apart, the usual ones first.
var itemKeys = []string{"name", "uid", "containerPort", "port", "key", "type", "mountPath", "ip", "topologyKey"}

// ItemNames are the names by which paths tell the items of a list of objects apart: the first of the usual fields that each of them has
// with another value, else their positions. ok is false for an empty list and for lists of other things.
func ItemNames(list []any) (names []string, ok bool) {
	if len(list) == 0 {
		return nil, false
	}
	for _, key := range itemKeys {
		names = names[:0]
		for _, item := range list {
			m, isObject := item.(map[string]any)
			if !isObject {
				return nil, false
			}
			if v, has := m[key]; has && !slices.Contains(names, Text(v)) {
				names = append(names, Text(v))
			}
		}
		if len(names) == len(list) {
			return names, true
		}
	}
	names = names[:0]
	for i := range list {
		names = append(names, fmt.Sprint(i))
	}
	return names, true
}

// ItemKey is the first of the usual fields by which the items of lists are told apart in each of them; ok is false where there is none.
func ItemKey(lists ...[]any) (key string, ok bool) {
	for _, key := range itemKeys {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !tellsApart(key, list) }) {
			return key, true
		}
	}
	return "", false
}

// tellsApart reports whether each item of a list has a field with another value.
func tellsApart(key string, list []any) bool {
	seen := map[string]bool{}
	for _, item := range list {
		m, _ := item.(map[string]any)
		if m[key] == nil || seen[Text(m[key])] {
			return false
		}
		seen[Text(m[key])] = true
	}
	return true
}

// ignoredFields are those that the server sets whatever a request says, and those that only say what an object is.
var ignoredFields = []string{"metadata.resourceVersion", "metadata.uid", "metadata.creationTimestamp", "metadata.generation",
	"metadata.managedFields", "metadata.selfLink", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", "apiVersion", "kind"}

// Ignored reports whether a path is of a field that the server sets whatever a request says, such as metadata.uid, or that only says what
// the object is (apiVersion, kind): a difference there is nobody's change.
func Ignored(path string) bool {
	return slices.ContainsFunc(ignoredFields, func(f string) bool {
		rest, ok := strings.CutPrefix(path, f)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
