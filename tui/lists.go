package tui

import (
	"slices"

	"kubarium/server/flow"
	"kubarium/server/flow/listing"
	"kubarium/tui/feed"
	"kubarium/tui/term"
)

// lists is the screen of what was listed: each walk over a collection with its pages, on the snapshot that they are
// read from.
type lists struct {
	u      *env
	list   []*listing.Walk // what the filter lets through
	cursor int
	top    int
	tall   int
	id     uint64 // of the selected walk
	follow bool
	sheet  sheet
}

func newLists(u *env) *lists {
	l := &lists{u: u, follow: true}
	l.sheet = sheet{title: "list", words: l.legend, bound: l.keys}
	return l
}

func (l *lists) name() string    { return "lists" }
func (l *lists) Height() int     { return max(1, l.tall) }
func (l *lists) panes() []pane   { return []pane{l, &l.sheet} }
func (l *lists) form() form      { return form{stacked: true} }
func (l *lists) keys() []binding { return l.u.rowKeys() }
func (l *lists) restless() bool  { return false }

// fold lists anew what was listed.
func (l *lists) fold(flows []*flow.Flow) {
	if slices.ContainsFunc(flows, func(f *flow.Flow) bool { return f.Page != nil && f.Target.Verb == "list" }) {
		l.refilter()
	}
}

// refilter lists the walks of which the filter lets a request through, and keeps the cursor on its walk.
func (l *lists) refilter() {
	l.list = l.list[:0]
	for _, w := range l.u.walks.All {
		if slices.ContainsFunc(w.Chunks, func(c listing.Chunk) bool { return l.u.feed.Verdict(c.Flow) == feed.Shows }) {
			l.list = append(l.list, w)
		}
	}
	l.cursor = max(0, min(l.cursor, len(l.list)-1))
	if l.follow {
		l.cursor = max(0, len(l.list)-1)
	}
	for i, w := range l.list {
		if w.ID == l.id && !l.follow {
			l.cursor = i
		}
	}
	if w := l.selected(); w != nil {
		l.id = w.ID
	}
}

func (l *lists) selected() *listing.Walk {
	if l.cursor >= len(l.list) {
		return nil
	}
	return l.list[l.cursor]
}

// open counts the walks that wait to be continued.
func (l *lists) open() int {
	n := 0
	for _, w := range l.list {
		if w.Standing(l.u.time.Compacted) == listing.Unfinished {
			n++
		}
	}
	return n
}

func (l *lists) tab() tabLabel {
	t := tabLabel{name: "3 Lists", short: "3Lists", help: "Lists: what was listed, chunk by chunk, each on its snapshot"}
	if n := l.open(); n > 0 {
		t.badge = term.Count(n)
	}
	return t
}

func (l *lists) count() rowCount {
	return rowCount{what: "list", shown: len(l.list), all: len(l.u.walks.All)}
}

func (l *lists) Move(n int) {
	if len(l.list) > 0 && (!l.follow || n < 0) {
		l.choose(l.cursor + n)
	}
}

func (l *lists) End(bottom bool) {
	if bottom {
		l.follow = true
		l.refilter()
		return
	}
	l.Move(-len(l.list))
}

func (l *lists) point(row int) {
	if i := l.top + row; i < len(l.list) {
		l.choose(i)
	}
}

// click puts the cursor on a row.
func (l *lists) click(i, _, y int) {
	if i == 1 {
		l.sheet.point(y)
	} else if y > 0 {
		l.point(y - 1)
	}
}

func (l *lists) choose(i int) {
	l.follow = false
	l.cursor = max(0, min(i, len(l.list)-1))
	if w := l.selected(); w != nil {
		l.id = w.ID
		l.u.choose(l.chosen())
	}
}

// chosen is the newest request of the walk under the cursor, nil if it is not held.
func (l *lists) chosen() *flow.Flow {
	if w := l.selected(); w != nil {
		return l.u.log.Get(w.Last().Flow.Seq)
	}
	return nil
}

func (l *lists) legend() []string {
	return []string{
		"Each line is one list. Where it was read in chunks, with limit and continue, all requests of it are one line.",
		"A list is a snapshot: every page shows the collection as it was at the revision that the first page names, whatever was written since.",
		"Below, each block is a page, and the name between two blocks is what the continue token that led on holds beside the snapshot's revision: the next page begins behind it. A client must not look inside a token.",
		"left is remainingItemCount. It is missing for two reasons: the list is complete (–), or a selector hides how many match (?).",
		"✗410 is a token whose snapshot is compacted: that link is broken. The answer offers another token, which goes on at the newest state (┄): the whole is then of two snapshots.",
		"from says where the objects came from: cache is the snapshot in memory, SQL the history of the store, read at an older revision. The badge counts lists that wait for their next page.",
	}
}
