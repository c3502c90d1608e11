package inspect

import (
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/redact"
	"kubarium/tui/term"
)

// unstored describes a write that was refused because of the stored state: field by field what it would have changed.
func (in *Inspector) unstored(p *term.Column, f *flow.Flow) {
	c := f.Conflict
	p.Say(term.Plain, fmt.Sprintf("Nothing was stored: %s.", c.Kind))
	if len(c.Object) == 0 || f.Target.Verb == "delete" || f.Target.Verb == "deletecollection" {
		return
	}
	whole := f
	if sel := in.env.Sel; sel != nil && sel.Seq == f.Seq {
		whole = sel // with its secrets, which are compared but not shown
	}
	p.Blank()
	if object.Sent(whole) == nil {
		p.Say(term.Dim, "The request's body was not kept whole, or cannot be read: it cannot be compared with what "+
			"is stored.")
		return
	}
	p.Title("From what is stored to what was asked for")
	in.asked(p, whole)
}

// asked lists the fields that a refused write would have changed. Fields that the server sets regardless of the
// request, the order of fields and of named items, and the encoding of the body make no difference.
func (in *Inspector) asked(p *term.Column, f *flow.Flow) {
	w := conflict.Compare(f, nil)
	n := 0
	for i := range w.Rows {
		r := &w.Rows[i]
		if object.Same(r.Stored, r.Result) || empty(r.Stored) && empty(r.Result) {
			continue
		}
		n++
		p.Add(term.Plain.Of(term.Fit("  "+r.Path, p.W)))
		if r.Stored != nil {
			p.Add(term.Warn.Of("-   "), term.Del.Of(term.Fit(in.value(f, r.Path, r.Stored), p.W-4)))
		}
		if r.Result != nil {
			p.Add(term.Add.Of("+   " + term.Fit(in.value(f, r.Path, r.Result), p.W-4)))
		}
	}
	if n == 0 {
		p.Say(term.Dim, "  no difference except in fields that the server sets")
	}
	if w.Omitted > 0 {
		p.Say(term.Dim, fmt.Sprintf("Not compared: %s that the body leaves out; defaults may fill it in.",
			term.Plural(w.Omitted, "field")))
	}
}

// empty reports whether a value is nil, or an empty object or list, which encodings omit.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// value returns a field's value, masked if needed.
func (in *Inspector) value(f *flow.Flow, path string, v any) string {
	if !in.env.Unmasked && redact.Field(path, redact.Keys(f)) {
		return redact.Hidden
	}
	return object.Text(v)
}
