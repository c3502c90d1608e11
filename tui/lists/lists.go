// Package lists is the page of what was listed: each walk over a collection with its pages on their snapshot.
package lists

import (
	"slices"

	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of what was listed: each walk over a collection with its pages, on the snapshot that they are
// read from.
type Page struct {
	env    *page.Env
	List   []*listing.Walk   // what the filter lets through
	cursor term.List[uint64] // by the ids of the walks
	sheet  page.Sheet
}

// New makes the page; it follows the newest list.
func New(u *page.Env) *Page {
	l := &Page{env: u, cursor: term.Tailing[uint64]()}
	l.sheet = page.Sheet{Title: "list", Words: l.Legend, Bound: l.Keys}
	return l
}

// In is the page at another moment.
func (l *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor = l.cursor.Emptied()
	p.sheet.Stand(&l.sheet)
	return p
}

func (l *Page) Name() string         { return "lists" }
func (l *Page) Height() int          { return l.cursor.Height() }
func (l *Page) Panes() []page.Pane   { return []page.Pane{l, &l.sheet} }
func (l *Page) Form() page.Form      { return page.Form{Stacked: true, Beside: 180, Two: 52} }
func (l *Page) Keys() []page.Binding { return l.env.RowKeys() }
func (l *Page) Restless() bool       { return false }

// Fold lists anew what was listed.
func (l *Page) Fold(flows []*flow.Flow) {
	if slices.ContainsFunc(flows, func(f *flow.Flow) bool { return f.Page != nil && f.Target.Verb == "list" }) {
		l.Refilter()
	}
}

// Refilter lists the walks of which the filter lets a request through, and keeps the cursor on its walk.
func (l *Page) Refilter() {
	l.List = l.List[:0]
	for _, w := range l.env.Walks.All {
		if slices.ContainsFunc(w.Chunks, func(c listing.Chunk) bool { return l.env.Feed.Verdict(c.Flow) == feed.Shows }) {
			l.List = append(l.List, w)
		}
	}
	l.cursor.Keep(len(l.List), func(i int) uint64 { return l.List[i].ID })
}

// Selected is the walk under the cursor, nil if there is none.
func (l *Page) Selected() *listing.Walk {
	i := l.cursor.At()
	if i < 0 {
		return nil
	}
	return l.List[i]
}

// open counts the walks that wait to be continued.
func (l *Page) open() int {
	n := 0
	for _, w := range l.List {
		if w.Standing(l.env.Time.Compacted) == listing.Unfinished {
			n++
		}
	}
	return n
}

func (l *Page) Tab() page.Tab {
	t := page.Tab{Name: "3 Lists", Short: "3Lists", Help: "Lists: what was listed, chunk by chunk, each on its snapshot"}
	if n := l.open(); n > 0 {
		t.Badge = term.Count(n)
	}
	return t
}

func (l *Page) Count() page.Count {
	return page.Count{What: "list", Shown: len(l.List), All: len(l.env.Walks.All)}
}

// Move selects another walk, and its newest request on every screen.
func (l *Page) Move(n int) { l.share(l.cursor.Move(n)) }

// End selects the oldest walk, or follows the newest.
func (l *Page) End(bottom bool) { l.share(l.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (l *Page) Click(i, _, y int) {
	if i == 1 {
		l.sheet.Click(y)
		return
	}
	l.share(l.cursor.Click(y - 1))
}

// share makes the request of a row that was chosen the selected one on every screen.
func (l *Page) share(chosen bool) {
	if chosen {
		l.env.Choose(l.Chosen())
	}
}

// Chosen is the newest request of the walk under the cursor, nil if it is not held.
func (l *Page) Chosen() *flow.Flow {
	if w := l.Selected(); w != nil {
		return l.env.Log.Get(w.Last().Flow.Seq)
	}
	return nil
}

func (l *Page) Legend() []string {
	return []string{
		"Each line is one list. Where it was read in chunks, with limit and continue, all requests of it are one line.",
		"A list is a snapshot: every page shows the collection as it was at the revision that the first page names, whatever was written since.",
		"Below, each block is a page, and the name between two blocks is what the continue token that led on holds beside the snapshot's revision: the next page begins behind it. A client must not look inside a token.",
		"left is remainingItemCount. It is missing for two reasons: the list is complete (–), or a selector hides how many match (?).",
		"✗410 is a token whose snapshot is compacted: that link is broken. The answer offers another token, which goes on at the newest state (┄): the whole is then of two snapshots.",
		"from says where the objects came from: cache is the snapshot in memory, " + l.env.Store().Tab + " the history of the store, read at an older revision. The badge counts lists that wait for their next page.",
	}
}
