package conflict

import (
	"cmp"
	"maps"
	"slices"

	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/flow/object"
)

// A ThreeWay compares, field by field, the version that a writer began with, the one that it met, and what it sent.
type ThreeWay struct {
	Rows                         []Row // what cannot be kept on both sides first, then what would be lost
	Based                        bool  // whether the base is known; without it no one knows who changed what
	Partial                      bool  // a patch, or of a subresource such as scale: other fields stay
	Omitted                      int   // fields that a hand-written body leaves out, so that defaults may fill them
	Meanwhile, Asked, Both, Lost int   // rows by what happened to them: a row may count in each
}

// A Row is one field in which the three are not all alike.
type Row struct {
	Path               string
	Base, Stored, Sent any            // nil for absent
	Result             any            // what would be stored if the server did not check
	By                 lineage.Writer // who changed it in the meantime, if that is known
	Moved, Asked       bool           // changed in the meantime, changed by the request
	Absent             bool           // the request does not name the field
}

// Lost reports whether the request would undo what another client did in the meantime.
func (r *Row) Lost() bool { return r.Moved && !object.Same(r.Result, r.Stored) }

// Both reports whether the request and another client changed the field, to different values.
func (r *Row) Both() bool { return r.Moved && r.Asked && !object.Same(r.Sent, r.Stored) }

// paths are the fields that versions are compared by, in their order: without those that the server sets, and
// without objects that are empty in one version and have fields in another.
func paths(versions ...map[string]any) []string {
	all := map[string]any{}
	for _, v := range versions {
		maps.Copy(all, v)
	}
	var out []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if !object.Ignored(path) {
			out = append(out, path)
		}
	}
	return slices.DeleteFunc(out, func(path string) bool {
		return slices.ContainsFunc(out, func(p string) bool {
			return p != path && under(p, path)
		})
	})
}

// Compare compares the versions of a stale write (flow.StaleRevision) with what its request asked for. writers says who
// changed a field in the meantime: lineage.WritersOf the writes between the two revisions of the Conflict; nil if none
// is known.
func Compare(f *flow.Flow, writers map[string]lineage.Writer) *ThreeWay {
	c := f.Conflict
	sub := f.Target.Subresource
	w := &ThreeWay{Based: len(c.Base) > 0, Partial: f.Method == "PATCH" || sub != "" && sub != "status"}
	base, stored := object.Leaves(object.Parse(c.Base)), object.Leaves(object.Parse(c.Object))
	sent := asked(f).over(base, stored)
	whole := isCopy(object.Sent(f))
	for _, path := range paths(base, stored, sent) {
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
	case r.Both():
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
	status := under(r.Path, "status")
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
	case whole || isMap(r.Path):
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
	}{{r.Moved, &w.Meanwhile}, {r.Asked, &w.Asked}, {r.Both(), &w.Both}, {r.Lost(), &w.Lost}} {
		if n.is {
			*n.into++
		}
	}
}

// isCopy reports whether a body was read from the server and changed, and not written by hand: only such a copy has the
// fields that the server sets. A field that is missing in it was taken out.
func isCopy(body any) bool {
	return object.TextIn(body, "metadata", "uid") != "" || object.TextIn(body, "metadata", "creationTimestamp") != ""
}

// isMap reports whether a field belongs to one of the maps that no default ever fills.
func isMap(path string) bool {
	for _, p := range []string{"metadata.labels", "metadata.annotations", "data", "binaryData", "stringData"} {
		if path != p && under(path, p) {
			return true
		}
	}
	return false
}

// Differences are the fields of a create that have another value in the object that it met: Stored has that value, Sent
// its own. Fields that only the stored object has are left out, since defaults and controllers fill them.
func Differences(f *flow.Flow) []Row {
	stored, sent := object.Leaves(object.Parse(f.Conflict.Object)), object.Leaves(object.Sent(f))
	var out []Row
	for _, path := range paths(sent, stored) {
		if sent[path] != nil && !under(path, "status") && !object.Same(stored[path], sent[path]) {
			out = append(out, Row{Path: path, Stored: stored[path], Sent: sent[path]})
		}
	}
	return out
}
