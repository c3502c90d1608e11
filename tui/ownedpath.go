package tui

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
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
		switch {
		case e.FieldName != nil:
			v = in(v, *e.FieldName)
		case e.Key != nil:
			v = keyed(v, e)
		case e.Value != nil:
			want := valueText((*e.Value).Unstructured())
			list, _ := v.([]any)
			i := slices.IndexFunc(list, func(x any) bool { return valueText(x) == want })
			if i < 0 {
				return nil
			}
			v = list[i]
		case e.Index != nil:
			list, _ := v.([]any)
			if *e.Index >= len(list) {
				return nil
			}
			v = list[*e.Index]
		}
	}
	return v
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
		item := ownedValue(v, fieldpath.Path{e})
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

// keyed is the item of a list whose key fields have the values of e.
func keyed(v any, e fieldpath.PathElement) any {
	list, _ := v.([]any)
	for _, item := range list {
		fits := true
		for _, k := range *e.Key {
			got := in(item, k.Name)
			fits = fits && (got == nil && k.Name == "protocol" || valueText(got) == valueText(k.Value.Unstructured()))
		}
		if fits {
			return item
		}
	}
	return nil
}
