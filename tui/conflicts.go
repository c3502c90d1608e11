package tui

import (
	"fmt"
	"slices"
	"sort"

	"kubarium/server/flow"
	"kubarium/server/flow/conflict"
	"kubarium/server/flow/lineage"
	"kubarium/tui/feed"
	"kubarium/tui/term"
)

// conflicts is the screen of writes that met somebody else's: every 409 by its kind, and the writes that no check
// stopped although they undid or took over what another client had written.
type conflicts struct {
	u      *env
	all    []conflict.Clash
	list   []*conflict.Clash // what the filter lets through
	cursor int
	top    int
	tall   int
	seq    uint64 // of the selected clash
	follow bool
	seen   uint64 // the newest clash that was on the screen
	forced bool   // the matrix is shown as it would be after force
	sheet  sheet
	made   madeClash

	lineages lineage.Log
}

// keepClashes bounds the list.
const keepClashes = 2000

func newConflicts(u *env) *conflicts {
	x := &conflicts{u: u, follow: true, lineages: lineage.Log{Log: u.log}}
	x.sheet = sheet{title: "conflict", words: x.legend, bound: x.keys}
	return x
}

func (x *conflicts) name() string   { return "conflicts" }
func (x *conflicts) Height() int    { return max(1, x.tall) }
func (x *conflicts) panes() []pane  { return []pane{x, &x.sheet} }
func (x *conflicts) form() form     { return form{stacked: true} }
func (x *conflicts) restless() bool { return false }

// fold adds what clashed, and lets go of what the log has let go of.
func (x *conflicts) fold(flows []*flow.Flow) {
	for _, f := range flows {
		if c, ok := conflict.Judge(f, &x.lineages); ok {
			x.all = append(x.all, c)
		}
		x.lineages.Note(f)
	}
	oldest := x.u.stats.Published - uint64(x.u.stats.Flows) + 1
	n := sort.Search(len(x.all), func(i int) bool { return x.all[i].Flow.Seq >= oldest })
	n = max(n, len(x.all)-keepClashes)
	if n > 0 {
		kept := slices.DeleteFunc(slices.Clone(x.all[:n]), func(c conflict.Clash) bool { return c.Flow.Seq != x.seq })
		x.all = append(kept, x.all[n:]...)
	}
	x.refilter()
}

// refilter lists what the filter lets through and keeps the cursor on its clash.
func (x *conflicts) refilter() {
	x.list = x.list[:0]
	for i := range x.all {
		if x.u.feed.Verdict(x.all[i].Flow) == feed.Shows {
			x.list = append(x.list, &x.all[i])
		}
	}
	x.cursor = max(0, min(x.cursor, len(x.list)-1))
	if x.follow {
		x.cursor = max(0, len(x.list)-1)
	}
	for i, c := range x.list {
		if c.Flow.Seq == x.seq && !x.follow {
			x.cursor = i
		}
	}
	if c := x.selected(); c != nil {
		x.seq = c.Flow.Seq
	}
}

func (x *conflicts) selected() *conflict.Clash {
	if x.cursor >= len(x.list) {
		return nil
	}
	return x.list[x.cursor]
}

// unread counts the refused requests that came since the screen was last looked at.
func (x *conflicts) unread() int {
	n := 0
	for _, c := range x.list {
		if c.Flow.Seq > x.seen && c.Flow.Status == 409 {
			n++
		}
	}
	return n
}

func (x *conflicts) tab() tabLabel {
	t := tabLabel{name: "5 Conflicts", short: "5Confl", help: "Conflicts: writes that met another's, and what each wanted"}
	if n := x.unread(); n > 0 {
		t.badge = fmt.Sprintf("!%s", term.Count(n))
	}
	return t
}

func (x *conflicts) count() rowCount {
	return rowCount{what: "conflict", shown: len(x.list), all: len(x.all)}
}

// move selects another clash, on every screen.
func (x *conflicts) Move(n int) {
	if len(x.list) == 0 || x.follow && n > 0 {
		return
	}
	x.choose(x.cursor + n)
}

func (x *conflicts) End(bottom bool) {
	if bottom {
		x.follow = true
		x.refilter()
		return
	}
	x.Move(-len(x.list))
}

func (x *conflicts) point(row int) {
	if i := x.top + row; i < len(x.list) {
		x.choose(i)
	}
}

// click puts the cursor on a row.
func (x *conflicts) click(i, _, y int) {
	if i == 1 {
		x.sheet.point(y)
	} else if y > 0 {
		x.point(y - 1)
	}
}

func (x *conflicts) choose(i int) {
	x.follow = false
	x.cursor = max(0, min(i, len(x.list)-1))
	if c := x.selected(); c != nil {
		x.seq = c.Flow.Seq
		x.u.choose(c.Flow)
	}
}

// chosen is the request of the row, for the keys that work on a request.
func (x *conflicts) chosen() *flow.Flow {
	if c := x.selected(); c != nil {
		return c.Flow
	}
	return nil
}

// madeClash is all that the lines of the sheet depend on.
type madeClash struct {
	seq    uint64
	width  int
	forced bool
	plain  bool
}
