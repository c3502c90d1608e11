package tui

import (
	"fmt"
	"slices"

	"kubarium/server/flow"
)

// conflicts is the screen of writes that met somebody else's: every 409 by its kind, and the writes that no check
// stopped although they undid or took over what another client had written.
type conflicts struct {
	u      *ui
	all    []clash
	list   []*clash // what the filter lets through
	cursor int
	top    int
	tall   int
	seq    uint64 // of the selected clash
	follow bool
	seen   uint64 // the newest clash that was on the screen
	forced bool   // the matrix is shown as it would be after force
	sheet  sheet
	made   madeClash

	lineages lineages
}

// A clash is one request that met somebody else's write.
type clash struct {
	flow   *flow.Flow
	kind   string // as the list names it
	met    string // the name of the object that a create met: its path does not say it
	undone []undone
}

// Kinds of clashes beyond those of flow.ConflictKind.
const (
	silentOverwrite = "silent overwrite"
	forcedOver      = "forced over"
	otherConflict   = "other 409"
)

// madeClash is all that the lines of the sheet depend on.
type madeClash struct {
	seq    uint64
	width  int
	forced bool
	plain  bool
}

// keepClashes bounds the list.
const keepClashes = 2000

func newConflicts(u *ui) *conflicts {
	x := &conflicts{u: u, follow: true, lineages: lineages{log: u.o.Log}}
	x.sheet = sheet{u: u, in: inConflict, title: "conflict"}
	return x
}

func (x *conflicts) context() place { return inConflicts }
func (x *conflicts) name() string   { return "conflicts" }
func (x *conflicts) height() int    { return max(1, x.tall) }
func (x *conflicts) detail() pane   { return &x.sheet }
func (x *conflicts) restless() bool { return false }

// fold adds what clashed, and lets go of what the log has let go of.
func (x *conflicts) fold(flows []*flow.Flow) {
	for _, f := range flows {
		if c, ok := x.judge(f); ok {
			x.all = append(x.all, c)
		}
		x.lineages.note(f)
	}
	stale := len(x.all) - keepClashes
	x.all = slices.DeleteFunc(x.all, func(c clash) bool {
		stale--
		return c.flow.Seq != x.seq && (stale >= 0 || !x.u.stats.Holds(c.flow))
	})
	x.refilter()
}

// judge says what kind of clash a request was, if it was one.
func (x *conflicts) judge(f *flow.Flow) (clash, bool) {
	switch {
	case f.Status == 409 && f.Conflict != nil:
		c := clash{flow: f, kind: string(f.Conflict.Kind)}
		if f.Target.Verb == "create" {
			c.met = textIn(parsed(f.Conflict.Object), "metadata", "name")
		}
		return c, true
	case f.Status == 409:
		return clash{flow: f, kind: otherConflict}, true
	case len(f.Effects) != 1 || f.Status >= 400:
		return clash{}, false
	}
	if f.Target.Verb == "update" && f.SentRevision == 0 {
		if lost := x.undone(f); len(lost) > 0 {
			return clash{flow: f, kind: silentOverwrite, undone: lost}, true
		}
	}
	if f.Target.Verb == "apply" && takenOver(f) {
		return clash{flow: f, kind: forcedOver}, true
	}
	return clash{}, false
}

// An undone is a field that one client had changed and another put back without looking.
type undone struct {
	path     string
	was, now any
	by       writer
}

// undone are the fields that a write without a resourceVersion put back to what they were before somebody else changed
// them. Only what is put back counts: a new value may well be meant.
func (x *conflicts) undone(f *flow.Flow) []undone {
	e := f.Effects[0]
	var others []writing
	for _, w := range x.lineages.between(refOf(e.Commit), 0, e.Commit.Revision-1) {
		if w.flow.Client.Tag == f.Client.Tag {
			break // it knew what there was when it wrote last
		}
		if w.effect.Commit.Type == flow.Updated {
			others = append(others, w)
		}
	}
	if len(others) == 0 {
		return nil
	}
	writers := writersOf(others)
	before, after := leaves(parsed(e.Before)), leaves(parsed(e.After))
	var out []undone
	for path, by := range writers {
		if ignoredField(path) || same(before[path], after[path]) || !same(after[path], by.was) {
			continue
		}
		out = append(out, undone{path, before[path], after[path], by})
	}
	slices.SortFunc(out, func(a, b undone) int { return compareText(a.path, b.path) })
	return out
}

// takenOver reports whether a forced apply took fields from another manager.
func takenOver(f *flow.Flow) bool {
	if len(f.Effects[0].Before) == 0 || !hasForce(f.Query) {
		return false
	}
	return makeMatrix(f, parsed(f.Effects[0].Before)).counts[clashes] > 0
}

// refilter lists what the filter lets through and keeps the cursor on its clash.
func (x *conflicts) refilter() {
	x.list = x.list[:0]
	for i := range x.all {
		if x.u.traffic.verdict(x.all[i].flow) == shows {
			x.list = append(x.list, &x.all[i])
		}
	}
	x.cursor = max(0, min(x.cursor, len(x.list)-1))
	if x.follow {
		x.cursor = max(0, len(x.list)-1)
	}
	for i, c := range x.list {
		if c.flow.Seq == x.seq && !x.follow {
			x.cursor = i
		}
	}
	if c := x.selected(); c != nil {
		x.seq = c.flow.Seq
	}
}

func (x *conflicts) selected() *clash {
	if x.cursor >= len(x.list) {
		return nil
	}
	return x.list[x.cursor]
}

// unread counts the refused requests that came since the screen was last looked at.
func (x *conflicts) unread() int {
	n := 0
	for _, c := range x.list {
		if c.flow.Seq > x.seen && c.flow.Status == 409 {
			n++
		}
	}
	return n
}

func (x *conflicts) tab() (name, badge string) {
	if n := x.unread(); n > 0 {
		badge = fmt.Sprintf("!%s", count(n))
	}
	return "5 Conflicts", badge
}

// move selects another clash, on every screen.
func (x *conflicts) move(n int) {
	if len(x.list) == 0 || x.follow && n > 0 {
		return
	}
	x.choose(x.cursor + n)
}

func (x *conflicts) end(bottom bool) {
	if bottom {
		x.follow = true
		x.refilter()
		return
	}
	x.move(-len(x.list))
}

func (x *conflicts) point(row int) {
	if i := x.top + row; i < len(x.list) {
		x.choose(i)
	}
}

func (x *conflicts) pointDetail(row int) { x.sheet.move(x.sheet.top + row - x.sheet.cursor) }

func (x *conflicts) choose(i int) {
	x.follow = false
	x.cursor = max(0, min(i, len(x.list)-1))
	if c := x.selected(); c != nil {
		x.seq = c.flow.Seq
		x.u.choose(c.flow)
	}
}

// chosen is the request of the row, for the keys that work on a request.
func (x *conflicts) chosen() *flow.Flow {
	if c := x.selected(); c != nil {
		return c.flow
	}
	return nil
}
