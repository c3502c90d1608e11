// Package object reads the objects in flows as plain values: their fields by paths as people write them, the body of a request in
// whatever form it was sent, and the names of objects. It knows no kinds and no versions.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/bodies"
)

// Sent is the body of a request as a plain value, whatever form it was sent in; nil if it is none or was cut.
func Sent(f *flow.Flow) any { return Parse(bodies.JSON(f.RequestBody)) }

// Parse is a JSON text as a plain value, its numbers with all their digits; nil if it is none.
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

// ItemNames are names for the items of a list of objects; ok is false for lists of other things.
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

// Text is a value in one short line: a string as it is, everything else as JSON.
func Text(v any) string {
	if s, ok := v.(string); ok {
		return OneLine(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}

// Same reports whether two plain values are equal; a missing one is nil.
func Same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return Text(a) == Text(b)
}

// ignoredFields are those that the server sets whatever a request says.
var ignoredFields = []string{"metadata.resourceVersion", "metadata.uid", "metadata.creationTimestamp", "metadata.generation",
	"metadata.managedFields", "metadata.selfLink", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", "apiVersion", "kind"}

func Ignored(path string) bool {
	return slices.ContainsFunc(ignoredFields, func(f string) bool {
		rest, ok := strings.CutPrefix(path, f)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
