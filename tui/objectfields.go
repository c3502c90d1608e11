package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// managedFields is one entry of metadata.managedFields: the fields that a manager owns by one way of writing.
type managedFields struct {
	Manager, Operation, APIVersion, Subresource string
	Time                                        *time.Time
	FieldsV1                                    json.RawMessage
}

// An owner is a manager with the set of its fields.
type owner struct {
	managedFields
	set *fieldpath.Set
}

// owners reads managedFields; an entry that cannot be read owns nothing.
func owners(entries []managedFields) []owner {
	out := make([]owner, len(entries))
	for i, e := range entries {
		out[i] = owner{e, fieldpath.NewSet()}
		set := fieldpath.NewSet()
		if set.FromJSON(bytes.NewReader(e.FieldsV1)) == nil {
			out[i].set = set
		}
	}
	return out
}

// An ownedField is a field with its value and who owns it.
type ownedField struct {
	path  string
	value string
	by    []bool // for each owner
}

// ownedFields are all fields that anybody owns, in their order. What only holds other fields of the list is left out.
func ownedFields(object any, all []owner) []ownedField {
	union := fieldpath.NewSet()
	for _, o := range all {
		union = union.Union(o.set)
	}
	var out []ownedField
	union.Leaves().Iterate(func(p fieldpath.Path) {
		f := ownedField{path: fieldName(p), value: valueAt(object, p), by: make([]bool, len(all))}
		for i, o := range all {
			f.by[i] = o.set.Has(p)
		}
		out = append(out, f)
	})
	return out
}

// fieldName writes a path as people do: spec.containers[web].image.
func fieldName(p fieldpath.Path) string {
	var b strings.Builder
	for _, e := range p {
		switch {
		case e.FieldName != nil && strings.ContainsAny(*e.FieldName, "./"):
			fmt.Fprintf(&b, "[%s]", *e.FieldName)
		case e.FieldName != nil:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(*e.FieldName)
		case e.Key != nil:
			var parts []string
			for _, k := range *e.Key {
				parts = append(parts, fmt.Sprint(k.Value.Unstructured()))
			}
			fmt.Fprintf(&b, "[%s]", strings.Join(parts, ","))
		case e.Value != nil:
			fmt.Fprintf(&b, "[%v]", (*e.Value).Unstructured())
		case e.Index != nil:
			fmt.Fprintf(&b, "[%d]", *e.Index)
		}
	}
	return b.String()
}

// valueAt is the value of a field in a few words; "" if it holds others or is not there.
func valueAt(object any, p fieldpath.Path) string {
	v := object
	for _, e := range p {
		if v = step(v, e); v == nil {
			return ""
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return pick(len(v) == 0, "{}", "{…}")
	case []any:
		return pick(len(v) == 0, "[]", fmt.Sprintf("[%d]", len(v)))
	}
	return oneLine(fmt.Sprint(v))
}

// step goes one element of a path down.
func step(v any, e fieldpath.PathElement) any {
	if e.FieldName != nil {
		m, _ := v.(map[string]any)
		return m[*e.FieldName]
	}
	list, _ := v.([]any)
	for i, item := range list {
		switch {
		case e.Index != nil && *e.Index == i:
			return item
		case e.Value != nil && value.Equals(*e.Value, value.NewValueInterface(item)):
			return item
		case e.Key != nil && hasKey(item, *e.Key):
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
		if v, there := m[k.Name]; there && !value.Equals(k.Value, value.NewValueInterface(v)) {
			return false
		}
	}
	return true
}

// fieldLines lists the managers, and then each field with a mark under those that own it.
func (p *objectPane) fieldLines(w int) []line {
	all := owners(p.meta.ManagedFields)
	if len(all) == 0 {
		return wrapLines(sPlain, "Nobody has left a mark on this object's fields: it has no managedFields.", w)
	}
	out := []line{text(sHead, "  managers")}
	for i, o := range all {
		out = append(out, managerLine(i, o, w))
	}
	var object any
	if json.Unmarshal(p.body, &object) != nil {
		return out
	}
	marks := 2 * len(all)
	values := min(28, max(8, (w-marks)/4))
	names := max(10, w-marks-values-3)
	head := pad("  field", names) + pad("value", values)
	for i := range all {
		head += fmt.Sprintf("%2d", i+1)
	}
	out = append(out, nil, text(sHead, head))
	for _, f := range ownedFields(object, all) {
		if hasWords(p.words, f.path, f.value, namesOf(f, all)) {
			out = append(out, fieldLine(f, names, values))
		}
	}
	return append(out, nil, text(sDim, "  ■ owns it alone   ▣ shares it with others"))
}

func namesOf(f ownedField, all []owner) string {
	var names []string
	for i, by := range f.by {
		if by {
			names = append(names, all[i].Manager)
		}
	}
	return strings.Join(names, " ")
}

// managerLine says how a manager wrote, and how many fields it owns by that.
func managerLine(i int, o owner, w int) line {
	n := 0
	o.set.Leaves().Iterate(func(fieldpath.Path) { n++ })
	how := o.Operation
	if w >= 80 {
		how += " " + o.APIVersion
	}
	if o.Subresource != "" {
		how += " of /" + o.Subresource
	}
	l := line{{sKey, fmt.Sprintf("%3d ", i+1)}, {sAccent, pad(fit(o.Manager, 26), 16)}, {sNum, "  " + plural(n, "field")}}
	if o.Time != nil {
		l = append(l, span{sDim, " at " + o.Time.UTC().Format("15:04:05")})
	}
	return fitLine(append(l, span{sPlain, ", " + how}), w)
}

func fieldLine(f ownedField, names, values int) line {
	name := f.path
	if n := len([]rune(name)); n > names-3 {
		name = "…" + string([]rune(name)[n-(names-4):])
	}
	l := line{{sName, pad("  "+name, names)}, {sStr, pad(fit(f.value, values-1), values)}}
	n := 0
	for _, by := range f.by {
		if by {
			n++
		}
	}
	for _, by := range f.by {
		switch {
		case !by:
			l = append(l, span{sDim, " ·"})
		case n > 1:
			l = append(l, span{sWarn, " ▣"})
		default:
			l = append(l, span{sBold, " ■"})
		}
	}
	return l
}
