package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubarium/server/flow"
)

// A threeWay compares, field by field, the version that a writer began with, the one that it met, and what it sent.
type threeWay struct {
	rows                         []wayRow
	based                        bool // whether the base is known; without it nobody can tell who changed what
	partial                      bool // the request is a patch: it says nothing about the fields that it does not name
	omitted                      int  // fields that a hand-written body leaves out, so that defaults may fill them
	meanwhile, asked, both, lost int  // rows by what happened to them
}

// A wayRow is one field in which the three are not all alike.
type wayRow struct {
	path               string
	base, stored, sent any // nil for absent
	result             any // what would be stored if the server did not check
	by                 writer
	moved, asked       bool // changed meanwhile, changed by the request
	absent             bool // the request does not name the field
}

// lost reports whether the request would undo what somebody else did meanwhile.
func (r *wayRow) lost() bool { return r.moved && !same(r.result, r.stored) }

// both reports whether the request and somebody else changed the field, to different values.
func (r *wayRow) both() bool { return r.moved && r.asked && !same(r.sent, r.stored) }

// ignoredFields are those that the server sets whatever a request says.
var ignoredFields = []string{"metadata.resourceVersion", "metadata.uid", "metadata.creationTimestamp", "metadata.generation",
	"metadata.managedFields", "metadata.selfLink", "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", "apiVersion", "kind"}

func ignoredField(path string) bool {
	return slices.ContainsFunc(ignoredFields, func(f string) bool {
		rest, ok := strings.CutPrefix(path, f)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// comparable are the fields that versions are compared by, in their order: without those that the server sets, and
// without objects that are empty in one version and have fields in another.
func comparable(versions ...map[string]any) []string {
	all := allKeys(versions...)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if !ignoredField(path) {
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

// compareThree compares the versions of a conflict with what its request asked for. writers tells who changed a field.
func compareThree(f *flow.Flow, writers map[string]writer) *threeWay {
	c := f.Conflict
	w := &threeWay{based: len(c.Base) > 0, partial: f.Method == "PATCH"}
	base, stored := leaves(parsed(c.Base)), leaves(parsed(c.Object))
	body := sentObject(f)
	sent := leaves(body)
	if w.partial {
		addRemovals(sent, "", body)
	}
	if ops, ok := body.([]any); ok {
		sent = pointed(ops, parsed(c.Object))
	}
	whole := isCopy(body)
	for _, path := range comparable(base, stored, sent) {
		w.add(f, wayRow{path: path, base: base[path], stored: stored[path], sent: sent[path], by: writers[path]}, whole)
	}
	slices.SortFunc(w.rows, func(a, b wayRow) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.path, b.path))
	})
	return w
}

// rank puts first what cannot be kept on both sides.
func rank(r *wayRow) int {
	switch {
	case r.both():
		return 0
	case r.lost():
		return 1
	case r.asked:
		return 2
	}
	return 3
}

// add judges one field and keeps it if there is something to see.
func (w *threeWay) add(f *flow.Flow, r wayRow, whole bool) {
	status := strings.HasPrefix(r.path, "status.")
	mine := status == (f.Target.Subresource == "status") // the subresource that the request was for writes these fields
	r.absent = r.sent == nil || !mine
	r.moved = w.based && !same(r.base, r.stored)
	start := r.stored
	if w.based {
		start = r.base
	}
	switch {
	case !mine:
		r.sent, r.result = nil, r.stored
	case r.sent == removed:
		r.sent, r.absent, r.asked = nil, false, start != nil
	case r.sent != nil:
		r.asked, r.result = !same(r.sent, start), r.sent
	case w.partial:
		r.result = r.stored
	case whole || isMap(r.path):
		r.asked, r.absent = start != nil, false
	case r.stored != nil:
		w.omitted++
	}
	if !r.moved && !r.asked {
		return
	}
	w.rows = append(w.rows, r)
	for _, n := range []struct {
		is   bool
		into *int
	}{{r.moved, &w.meanwhile}, {r.asked, &w.asked}, {r.both(), &w.both}, {r.lost(), &w.lost}} {
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
			out[joinPath(path, name)] = removed
			continue
		}
		addRemovals(out, joinPath(path, name), inner)
	}
}

// isCopy tells a body that was read from the server and changed from one that was written by hand: only the first has
// what the server sets. What is missing in it was taken out.
func isCopy(body any) bool {
	return textIn(body, "metadata", "uid") != "" || textIn(body, "metadata", "creationTimestamp") != ""
}

// isMap reports whether a field belongs to one of the maps that no default ever fills.
func isMap(path string) bool {
	for _, p := range []string{"metadata.labels", "metadata.annotations", "data", "binaryData", "stringData"} {
		if rest, ok := strings.CutPrefix(path, p); ok && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// pointed are the fields that a JSON Patch sets or removes, by their paths in the object that it was sent for.
func pointed(ops []any, object any) map[string]any {
	out := map[string]any{}
	for _, op := range ops {
		path := pointerPath(textIn(op, "path"), object)
		switch textIn(op, "op") {
		case "add", "replace":
			addLeaves(out, path, in(op, "value"))
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
			path, at = joinPath(path, step), in(at, step)
			continue
		}
		i, err := strconv.Atoi(step)
		names, named := itemNames(list)
		if err != nil || i < 0 || i >= len(list) || !named {
			path, at = fmt.Sprintf("%s[%s]", path, step), nil
			continue
		}
		path, at = fmt.Sprintf("%s[%s]", path, names[i]), list[i]
	}
	return path
}

// verdict says what the comparison comes to, and what to do.
func (w *threeWay) verdict(c *flow.Conflict) string {
	switch {
	case !w.based:
		return fmt.Sprintf("at rv %d this object cannot be read: that revision is compacted, or the object was not there yet. So nobody can tell who changed what: read rv %d and look before writing again", c.Sent, c.Stored)
	case w.both > 0:
		return fmt.Sprintf("%s changed on both sides: one value must give way, and only a person or a rule can say which", plural(w.both, "field"))
	case w.asked == 0 && w.meanwhile == 0:
		return fmt.Sprintf("no field that a client sets differs: only versions or field owners moved on; read rv %d and send it again", c.Stored)
	case w.asked == 0:
		return "the request changes nothing of its own: sent without the check it would only have undone what was written meanwhile"
	}
	return fmt.Sprintf("no field changed on both sides: reading rv %d again and making the same change keeps both", c.Stored)
}
