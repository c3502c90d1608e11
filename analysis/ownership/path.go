package ownership

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"kubarium/flow/object"
)

// PathText is a path of owned fields as people write it: "spec.containers[web].image".
func PathText(p fieldpath.Path) string {
	out := ""
	for _, e := range p {
		switch {
		case e.FieldName != nil:
			out = object.JoinPath(out, *e.FieldName)
		case e.Key != nil:
			var parts []string
			for _, k := range *e.Key {
				parts = append(parts, object.Text(k.Value.Unstructured()))
				if k.Name == "name" {
					parts = parts[len(parts)-1:]
					break
				}
			}
			out += "[" + strings.Join(parts, "/") + "]"
		case e.Value != nil:
			out += "[=" + object.Text((*e.Value).Unstructured()) + "]"
		case e.Index != nil:
			out += fmt.Sprintf("[%d]", *e.Index)
		}
	}
	return out
}

// ValueAt is the value at a path of owned fields; nil if there is none.
func ValueAt(v any, p fieldpath.Path) any {
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
		return object.In(v, *e.FieldName)
	}
	list, _ := v.([]any)
	for i, item := range list {
		switch {
		case e.Index != nil && *e.Index == i,
			e.Value != nil && object.Same((*e.Value).Unstructured(), item),
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
		if v, there := m[k.Name]; there && !object.Same(k.Value.Unstructured(), v) {
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
			out, v = object.JoinPath(out, *e.FieldName), object.In(v, *e.FieldName)
			continue
		}
		list, _ := v.([]any)
		names, ok := object.ItemNames(list)
		if !ok {
			return out // the leaf is the list as a whole
		}
		item := ownedStep(v, e)
		i := slices.IndexFunc(list, func(x any) bool { return object.Same(x, item) })
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
