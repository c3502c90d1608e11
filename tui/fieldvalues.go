package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/server/flow"
)

// sentObject is the body of a request as a plain value, whatever form it was sent in; nil if it is none or was cut.
func sentObject(f *flow.Flow) any {
	if f.RequestBody.Cut {
		return nil
	}
	b := f.RequestBody.Kept
	if v := parsed(b); v != nil {
		return v
	}
	if text := readable(b); text != nil {
		return parsed(text)
	}
	if isText(b) {
		if j, err := yaml.YAMLToJSON(b); err == nil {
			return parsed(j)
		}
	}
	return nil
}

// parsed is a JSON text as a plain value, its numbers with all their digits; nil if it is none.
func parsed(b []byte) any {
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

// in is the value at a path of names in a plain value; nil if there is none.
func in(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// textIn is the string at a path of names; "" if there is none.
func textIn(v any, path ...string) string {
	s, _ := in(v, path...).(string)
	return s
}

// leaves are the fields of an object that have no fields themselves, by their paths as people write them. A list of
// objects is taken apart by the names in it, so that its order does not matter; other lists are values as a whole.
func leaves(v any) map[string]any {
	out := map[string]any{}
	addLeaves(out, "", v)
	return out
}

func addLeaves(out map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			addLeaves(out, joinPath(path, name), inner)
		}
		if len(v) == 0 && path != "" {
			out[path] = v
		}
	case []any:
		names, ok := itemNames(v)
		if !ok {
			out[path] = v
			return
		}
		for i, item := range v {
			addLeaves(out, path+"["+names[i]+"]", item)
		}
	case nil:
	default:
		out[path] = v
	}
}

func joinPath(path, name string) string {
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

// itemNames are names for the items of a list of objects; ok is false for lists of other things.
func itemNames(list []any) (names []string, ok bool) {
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
			if v, has := m[key]; has && !slices.Contains(names, valueText(v)) {
				names = append(names, valueText(v))
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

// valueText is a value in one short line: a string as it is, everything else as JSON.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return oneLine(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}

// same reports whether two plain values are equal; a missing one is nil.
func same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return valueText(a) == valueText(b)
}

// shortPath cuts a path from its left, where it is least telling.
func shortPath(path string, w int) string {
	path = strings.TrimPrefix(path, ".")
	n := text(sPlain, path).width()
	if n <= w || w < 4 {
		return fit(path, w)
	}
	rs := []rune(path)
	return "…" + string(rs[len(rs)-(w-1):])
}
