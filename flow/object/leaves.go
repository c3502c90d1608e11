// Package object reads the objects in flows as plain values: their fields by readable paths, the body of a request in
// any encoding, and the names of objects. The packages of analysis build on it.
//
// A plain value is what encoding/json decodes: map[string]any, []any, string, bool, nil, and json.Number for numbers. A
// path is "spec.containers[web].image": an item of a list of objects is named by one of its fields, and a name with a
// dot or a slash is in brackets, "metadata.labels[example.io/team]". Paths are for people and for comparing versions of
// one object; they are never parsed.
//
// The package knows no kinds and no schemas: it guesses which field names the items of a list, and adds no defaults.
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

// Sent returns the body of a request as a plain value, in any encoding; nil if it has none, was cut or does not decode.
func Sent(f *flow.Flow) any { return Parse(bodies.JSON(f.RequestBody)) }

// Parse returns a JSON text as a plain value, with all digits of its numbers; nil if it is not valid.
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

// In returns the value at a path of names in a plain value; nil if there is none.
func In(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// TextIn returns the string at a path of names; "" if there is none.
func TextIn(v any, path ...string) string {
	s, _ := In(v, path...).(string)
	return s
}

// Leaves returns the fields of an object that have no fields themselves, by their readable paths. Items of a list of
// objects are named, so that their order does not matter; other lists are single values.
func Leaves(v any) map[string]any {
	out := map[string]any{}
	AddLeaves(out, "", v)
	return out
}

// AddLeaves adds the leaves of the value at a path to out.
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

// JoinPath returns the path of a field in the object at a path; "" is the path of the whole.
func JoinPath(path, name string) string {
	if path == "" {
		return name
	}
	if strings.ContainsAny(name, "./") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

// itemKeys are the fields that may identify the items of a list of objects, the usual ones first.
var itemKeys = []string{"name", "uid", "containerPort", "port", "key", "type", "mountPath", "ip", "topologyKey"}

// ItemNames returns the names of the items of a list of objects in paths: the first of the usual fields that has a
// different value in each item, else their positions. ok is false for an empty list and for lists of other things.
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

// ItemKey returns the first of the usual fields that identifies the items in each of these lists; else ok is false.
func ItemKey(lists ...[]any) (key string, ok bool) {
	for _, key := range itemKeys {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !tellsApart(key, list) }) {
			return key, true
		}
	}
	return "", false
}

// tellsApart reports whether each item of a list has a different value in this field.
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

// ignoredFields are set by the server regardless of the request, or only say what an object is.
var ignoredFields = []string{
	"metadata.resourceVersion", "metadata.uid", "metadata.creationTimestamp", "metadata.generation",
	"metadata.managedFields", "metadata.selfLink", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
	"apiVersion", "kind",
}

// Ignored reports whether a field is set by the server regardless of the request, such as metadata.uid, or only says
// what the object is (apiVersion, kind): a difference in it is not a client's change.
func Ignored(path string) bool {
	return slices.ContainsFunc(ignoredFields, func(f string) bool {
		rest, ok := strings.CutPrefix(path, f)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
