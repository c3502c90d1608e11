package conflict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/lineage"
	"kubarium/server/flow/object"
)

// A ThreeWay compares, field by field, the version that a writer began with, the one that it met, and what it sent.
type ThreeWay struct {
	Rows                         []Row
	Based                        bool // whether the base is known; without it nobody can tell who changed what
	Partial                      bool // the request is a patch: it says nothing about the fields that it does not name
	Omitted                      int  // fields that a hand-written body leaves out, so that defaults may fill them
	Meanwhile, Asked, Both, Lost int  // rows by what happened to them
}

// A Row is one field in which the three are not all alike.
type Row struct {
	Path               string
	Base, Stored, Sent any // nil for absent
	Result             any // what would be stored if the server did not check
	By                 lineage.Writer
	Moved, Asked       bool // changed meanwhile, changed by the request
	Absent             bool // the request does not name the field
}

// Lost reports whether the request would undo what somebody else did meanwhile.
func (r *Row) Lost() bool { return r.Moved && !object.Same(r.Result, r.Stored) }

// both reports whether the request and somebody else changed the field, to different values.
func (r *Row) both() bool { return r.Moved && r.Asked && !object.Same(r.Sent, r.Stored) }

// Paths are the fields that versions are compared by, in their order: without those that the server sets, and
// without objects that are empty in one version and have fields in another.
func Paths(versions ...map[string]any) []string {
	all := lineage.AllKeys(versions...)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if !object.Ignored(path) {
			out = append(out, path)
		}
	}
	return slices.DeleteFunc(out, func(path string) bool {
		return slices.ContainsFunc(out, func(p string) bool {
			rest, ok := strings.CutPrefix(p, path)
			return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
		})
	})
}

// Compare compares the versions of a conflict with what its request asked for. writers tells who changed a field.
func Compare(f *flow.Flow, writers map[string]lineage.Writer) *ThreeWay {
	c := f.Conflict
	w := &ThreeWay{Based: len(c.Base) > 0, Partial: f.Method == "PATCH"}
	base, stored := object.Leaves(object.Parse(c.Base)), object.Leaves(object.Parse(c.Object))
	body := object.Sent(f)
	sent := object.Leaves(body)
	if w.Partial {
		addRemovals(sent, "", body)
	}
	if ops, ok := body.([]any); ok {
		sent = pointed(ops, object.Parse(c.Object))
	}
	whole := isCopy(body)
	for _, path := range Paths(base, stored, sent) {
		w.add(f, Row{Path: path, Base: base[path], Stored: stored[path], Sent: sent[path], By: writers[path]}, whole)
	}
	slices.SortFunc(w.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Path, b.Path))
	})
	return w
}

// rank puts first what cannot be kept on both sides.
func rank(r *Row) int {
	switch {
	case r.both():
		return 0
	case r.Lost():
		return 1
	case r.Asked:
		return 2
	}
	return 3
}

// add judges one field and keeps it if there is something to see.
func (w *ThreeWay) add(f *flow.Flow, r Row, whole bool) {
	status := strings.HasPrefix(r.Path, "status.")
	mine := status == (f.Target.Subresource == "status") // the subresource that the request was for writes these fields
	r.Absent = r.Sent == nil || !mine
	r.Moved = w.Based && !object.Same(r.Base, r.Stored)
	start := r.Stored
	if w.Based {
		start = r.Base
	}
	switch {
	case !mine:
		r.Sent, r.Result = nil, r.Stored
	case r.Sent == removed:
		r.Sent, r.Absent, r.Asked = nil, false, start != nil
	case r.Sent != nil:
		r.Asked, r.Result = !object.Same(r.Sent, start), r.Sent
	case w.Partial:
		r.Result = r.Stored
	case whole || IsMap(r.Path):
		r.Asked, r.Absent = start != nil, false
	case r.Stored != nil:
		w.Omitted++
	}
	if !r.Moved && !r.Asked {
		return
	}
	w.Rows = append(w.Rows, r)
	for _, n := range []struct {
		is   bool
		into *int
	}{{r.Moved, &w.Meanwhile}, {r.Asked, &w.Asked}, {r.both(), &w.Both}, {r.Lost(), &w.Lost}} {
		if n.is {
			*n.into++
		}
	}
}

// removed stands for a field that a patch takes away.
var removed any = removal{}

type removal struct{}

// addRemovals adds the fields that a merge patch takes away with null.
func addRemovals(out map[string]any, path string, v any) {
	m, _ := v.(map[string]any)
	for name, inner := range m {
		if inner == nil {
			out[object.JoinPath(path, name)] = removed
			continue
		}
		addRemovals(out, object.JoinPath(path, name), inner)
	}
}

// isCopy tells a body that was read from the server and changed from one that was written by hand: only the first has
// what the server sets. What is missing in it was taken out.
func isCopy(body any) bool {
	return object.TextIn(body, "metadata", "uid") != "" || object.TextIn(body, "metadata", "creationTimestamp") != ""
}

// IsMap reports whether a field belongs to one of the maps that no default ever fills.
func IsMap(path string) bool {
	for _, p := range []string{"metadata.labels", "metadata.annotations", "data", "binaryData", "stringData"} {
		if rest, ok := strings.CutPrefix(path, p); ok && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// pointed are the fields that a JSON Patch sets or removes, by their paths in the object that it was sent for.
func pointed(ops []any, stored any) map[string]any {
	out := map[string]any{}
	for _, op := range ops {
		path := pointerPath(object.TextIn(op, "path"), stored)
		switch object.TextIn(op, "op") {
		case "add", "replace":
			object.AddLeaves(out, path, object.In(op, "value"))
		case "remove":
			out[path] = removed
		}
	}
	return out
}

// pointerPath is a JSON pointer as people write the path, with the names of list items.
func pointerPath(pointer string, at any) string {
	path := ""
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		list, isList := at.([]any)
		if !isList {
			path, at = object.JoinPath(path, step), object.In(at, step)
			continue
		}
		i, err := strconv.Atoi(step)
		names, named := object.ItemNames(list)
		if err != nil || i < 0 || i >= len(list) || !named {
			path, at = fmt.Sprintf("%s[%s]", path, step), nil
			continue
		}
		path, at = fmt.Sprintf("%s[%s]", path, names[i]), list[i]
	}
	return path
}
