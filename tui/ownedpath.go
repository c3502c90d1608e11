package tui

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// pathText is a path of owned fields as people write it: "spec.containers[web].image".
func pathText(p fieldpath.Path) string {
	out := ""
	for _, e := range p {
		switch {
		case e.FieldName != nil:
			out = joinPath(out, *e.FieldName)
		case e.Key != nil:
			var parts []string
			for _, k := range *e.Key {
				parts = append(parts, valueText(k.Value.Unstructured()))
				if k.Name == "name" {
					parts = parts[len(parts)-1:]
					break
				}
			}
			out += "[" + strings.Join(parts, "/") + "]"
		case e.Value != nil:
			out += "[=" + valueText((*e.Value).Unstructured()) + "]"
		case e.Index != nil:
			out += fmt.Sprintf("[%d]", *e.Index)
		}
	}
	return out
}

// ownedValue is the value at a path of owned fields; nil if there is none.
func ownedValue(v any, p fieldpath.Path) any {
	for _, e := range p {
		if v = ownedStep(v, e); v == nil {
			return nil
		}
	}
	return v
}

// ownedStep goes one element of a path down.
func ownedStep(v any, e fieldpath.PathElement) any {
	if e.FieldName != nil {
		return in(v, *e.FieldName)
	}
	list, _ := v.([]any)
	for i, item := range list {
		switch {
		case e.Index != nil && *e.Index == i,
			e.Value != nil && same((*e.Value).Unstructured(), item),
			e.Key != nil && hasKey(item, *e.Key):
			return item
		}
	}
	return nil
}

// hasKey reports whether an item of a list has these key fields. One that is absent has its default, which is not
// known here, so it fits.
func hasKey(item any, key value.FieldList) bool {
	m, ok := item.(map[string]any)
	if !ok {
		return false
	}
	for _, k := range key {
		if v, there := m[k.Name]; there && !same(k.Value.Unstructured(), v) {
			return false
		}
	}
	return true
}

// namedIn is a path of owned fields as the leaves of v have it; "" if v has no such field.
func namedIn(v any, p fieldpath.Path) string {
	out := ""
	for _, e := range p {
		if e.FieldName != nil {
			out, v = joinPath(out, *e.FieldName), in(v, *e.FieldName)
			continue
		}
		list, _ := v.([]any)
		names, ok := itemNames(list)
		if !ok {
			return out // the leaf is the list as a whole
		}
		item := ownedStep(v, e)
		i := slices.IndexFunc(list, func(x any) bool { return same(x, item) })
		if i < 0 {
			return ""
		}
		out, v = out+"["+names[i]+"]", item
	}
	if v == nil {
		return ""
	}
	return out
}
