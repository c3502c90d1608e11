package objects

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/analysis/ownership"
	"kubarium/cells"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// An ownedField is a field with its value and its managers.
type ownedField struct {
	path  string
	value string
	by    []bool // for each owner
}

// ownedFields returns all fields with a manager, in their order, except those that only contain other such fields.
func ownedFields(object any, all []ownership.Owner) []ownedField {
	union := fieldpath.NewSet()
	for _, o := range all {
		union = union.Union(o.Set)
	}
	var out []ownedField
	union.Leaves().Iterate(func(p fieldpath.Path) {
		f := ownedField{path: ownership.PathText(p), value: briefly(ownership.ValueAt(object, p)),
			by: make([]bool, len(all))}
		for i, o := range all {
			f.by[i] = o.Set.Has(p)
		}
		out = append(out, f)
	})
	return out
}

// briefly returns a value in a few words; "" if there is none.
func briefly(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case map[string]any:
		return term.Pick(len(v) == 0, "{}", "{…}")
	case []any:
		return term.Pick(len(v) == 0, "[]", fmt.Sprintf("[%d]", len(v)))
	}
	return object.OneLine(fmt.Sprint(v))
}

// fieldLines are the managers, and then each field with a mark for each of its managers.
func (p *Object) fieldLines(w int) []term.Line {
	var object any
	if json.Unmarshal(p.body, &object) != nil {
		return nil
	}
	all := ownership.Of(object)
	if len(all) == 0 {
		return term.WrapLines(term.Plain, "No manager owns fields of this object: it has no managedFields.", w)
	}
	out := []term.Line{term.Text(term.Head, "  managers")}
	for i, o := range all {
		out = append(out, managerLine(i, o, w))
	}
	marks := 2 * len(all)
	values := min(28, max(8, (w-marks)/4))
	names := max(10, w-marks-values-3)
	head := term.Pad("  field", names) + term.Pad("value", values)
	for i := range all {
		head += fmt.Sprintf("%2d", i+1)
	}
	out = append(out, nil, term.Text(term.Head, head))
	for _, f := range ownedFields(object, all) {
		if label.HasWords(p.words, f.path, f.value, namesOf(f, all)) {
			out = append(out, fieldLine(f, names, values))
		}
	}
	return append(out, nil, term.Text(term.Dim, "  ■ owns it alone   ▣ shares it with others"))
}

func namesOf(f ownedField, all []ownership.Owner) string {
	var names []string
	for i, by := range f.by {
		if by {
			names = append(names, all[i].Name)
		}
	}
	return strings.Join(names, " ")
}

// managerLine describes a manager, how it wrote, and how many fields it owns.
func managerLine(i int, o ownership.Owner, w int) term.Line {
	n := 0
	o.Set.Iterate(func(fieldpath.Path) { n++ })
	how := o.Operation
	if w >= 80 {
		how += " " + o.APIVersion
	}
	if o.Subresource != "" {
		how += " of /" + o.Subresource
	}
	l := term.Line{
		term.Key.Of(fmt.Sprintf("%3d ", i+1)), term.Accent.Of(term.Pad(term.Fit(o.Name, 26), 16)),
		term.Num.Of("  " + term.Plural(n, "field")),
	}
	if at, err := time.Parse(time.RFC3339, o.Time); err == nil {
		l = append(l, term.Dim.Of(" at "+at.UTC().Format("15:04:05")))
	}
	return term.FitLine(append(l, term.Plain.Of(", "+how)), w)
}

func fieldLine(f ownedField, names, values int) term.Line {
	name := cells.FitLeft(f.path, names-3)
	l := term.Line{term.Name.Of(term.Pad("  "+name, names)), term.Str.Of(term.Pad(term.Fit(f.value, values-1), values))}
	n := 0
	for _, by := range f.by {
		if by {
			n++
		}
	}
	for _, by := range f.by {
		switch {
		case !by:
			l = append(l, term.Dim.Of(" ·"))
		case n > 1:
			l = append(l, term.Warn.Of(" ▣"))
		default:
			l = append(l, term.Bold.Of(" ■"))
		}
	}
	return l
}
