package conflict

import (
	"maps"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A demand is what the body of a request asks for.
type demand struct {
	set     map[string]any // fields with their values, by path
	cleared []string       // fields of which nothing stays but what is set
}

// removed is the value of a field that a request takes away.
var removed any = removal{}

type removal struct{}

// asked reads what a request asks for, in the way of its media type.
func asked(f *flow.Flow) *demand {
	body := object.Sent(f)
	d := &demand{set: map[string]any{}}
	if ops, ok := body.([]any); ok && f.Method == "PATCH" {
		d.pointed(ops, object.Parse(f.Conflict.Object))
		return d
	}
	if f.Method != "PATCH" || f.Target.Verb == "apply" {
		d.set = object.Leaves(body)
		return d
	}
	d.patch("", body, strings.HasPrefix(f.RequestHeader.Get("Content-Type"), "application/merge-patch+json"))
	return d
}

// patch reads a merge patch (RFC 7396), in which null takes a field away and a list replaces the stored one; or one
// that is strategic, in which a list of objects is laid over the stored one and what begins with "$" says how.
func (d *demand) patch(path string, v any, merge bool) {
	switch v := v.(type) {
	case nil:
		d.cleared = append(d.cleared, path)
	case map[string]any:
		if v["$patch"] == "replace" || v["$patch"] == "delete" {
			d.cleared = append(d.cleared, path)
		}
		if v["$patch"] == "delete" {
			return
		}
		for name, inner := range v {
			if merge || !strings.HasPrefix(name, "$") {
				d.patch(object.JoinPath(path, name), inner, merge)
			}
		}
	case []any:
		names, named := object.ItemNames(v)
		if merge || !named {
			d.cleared = append(d.cleared, path)
			object.AddLeaves(d.set, path, v)
			return
		}
		for i, item := range v {
			d.patch(path+"["+names[i]+"]", item, merge)
		}
	default:
		d.set[path] = v
	}
}

// pointed reads a JSON Patch (RFC 6902) as it would change the stored object.
func (d *demand) pointed(ops []any, stored any) {
	old := object.Leaves(stored) // before the operations change it
	var places []string
	for _, op := range ops {
		to := object.TextIn(op, "path")
		x := object.In(op, "value")
		switch object.TextIn(op, "op") {
		case "add":
			stored = put(stored, steps(to), x, true)
		case "replace":
			stored = put(stored, steps(to), x, false)
		case "remove":
			stored = cut(stored, steps(to))
			continue
		case "move":
			from := steps(object.TextIn(op, "from"))
			x = at(stored, from)
			stored = put(cut(stored, from), steps(to), x, true)
		case "copy":
			stored = put(stored, steps(to), at(stored, steps(object.TextIn(op, "from"))), true)
		default:
			continue // "test" asks for nothing
		}
		places = append(places, place(to, stored))
	}
	now := object.Leaves(stored)
	for path, v := range now {
		if !object.Same(v, old[path]) || slices.ContainsFunc(places, func(p string) bool { return under(path, p) }) {
			d.set[path] = v
		}
	}
	for path := range old {
		if now[path] == nil {
			d.cleared = append(d.cleared, path)
		}
	}
}

// over is what is asked for, by the paths of other versions as well: what is cleared is removed in them.
func (d *demand) over(versions ...map[string]any) map[string]any {
	out := maps.Clone(d.set)
	for _, v := range versions {
		for path := range v {
			if out[path] == nil && slices.ContainsFunc(d.cleared, func(c string) bool { return under(path, c) }) {
				out[path] = removed
			}
		}
	}
	return out
}
