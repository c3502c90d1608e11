// Package deletes is the page of what is going away: what holds each object, and what went because of what.
package deletes

import (
	"fmt"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of what is going away: every object that is terminating or was deleted, as a tree of what was
// deleted because of what, and for the chosen one its two phases with all that holds it.
type Page struct {
	env *page.Env
	*deletion.Log
	Rows   []deletion.Row
	cursor term.List[uint64] // by the ids of the deletions
	sheet  page.Sheet
	before []adopted // what was terminating when the UI began
}

// New makes the page; it follows the newest deletion.
func New(u *page.Env) *Page {
	d := &Page{env: u, cursor: term.Tailing[uint64](), Log: deletion.NewLog()}
	d.cursor.Newest = d.newestRoot
	d.sheet = page.Sheet{Title: "deletion", Words: d.Legend, Bound: d.Keys}
	return d
}

// In is the page at another moment, with what was terminating before the UI began as far as it was so then.
func (d *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor = d.cursor.Emptied()
	p.cursor.Newest = p.newestRoot
	p.sheet.Stand(&d.sheet)
	p.before = d.before
	for _, b := range p.before {
		if b.commit.Revision <= u.Moment.Revision {
			p.Adopt(b.commit, b.stored)
		}
	}
	return p
}

func (d *Page) Name() string       { return "deletes" }
func (d *Page) Height() int        { return d.cursor.Height() }
func (d *Page) Panes() []page.Pane { return []page.Pane{d, &d.sheet} }
func (d *Page) Form() page.Form    { return page.Form{Stacked: true, Beside: 180, Two: 52} }
func (d *Page) Restless() bool     { return d.Open() > 0 }

// Fold takes what the requests changed.
func (d *Page) Fold(flows []*flow.Flow) {
	changed := false
	for _, f := range flows {
		changed = d.Note(f) || changed
	}
	if !changed {
		return
	}
	d.Trim(d.cursor.Key)
	d.Refilter()
}

// Refilter makes the rows anew and keeps the cursor on its deletion.
func (d *Page) Refilter() {
	d.Rows = d.Tree(d.wanted)
	d.cursor.Keep(len(d.Rows), func(i int) uint64 { return d.Rows[i].ID })
}

// newestRoot is the row of the deletion that began last by itself.
func (d *Page) newestRoot() int {
	for i := len(d.Rows) - 1; i >= 0; i-- {
		if d.Rows[i].Depth == 0 {
			return i
		}
	}
	return 0
}

// Selected is the deletion under the cursor, nil if there is none.
func (d *Page) Selected() *deletion.Deletion {
	i := d.cursor.At()
	if i < 0 {
		return nil
	}
	return d.Rows[i].Deletion
}

func (d *Page) Tab() page.Tab {
	t := page.Tab{Name: "6 Deletes", Short: "6Del", Help: "Deletes: what is terminating, and what still holds it"}
	if n := d.Open(); n > 0 {
		t.Badge = "◌" + term.Count(n)
	}
	return t
}

// Count counts the deletions of the trees that are shown, those taken together in one row as well.
func (d *Page) Count() page.Count {
	n := page.Count{What: "deletion", All: len(d.All)}
	for _, r := range d.Rows {
		n.Shown += 1 + r.More
	}
	return n
}

// Move selects another deletion, and the request that began it on every screen.
func (d *Page) Move(n int) { d.share(d.cursor.Move(n)) }

// End selects the first row, or follows the deletion that began last.
func (d *Page) End(bottom bool) { d.share(d.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (d *Page) Click(i, _, y int) {
	if i == 1 {
		d.sheet.Click(y)
		return
	}
	d.share(d.cursor.Click(y - 1))
}

// share makes the request of a row that was chosen the selected one on every screen.
func (d *Page) share(chosen bool) {
	if chosen {
		d.env.Choose(d.Chosen())
	}
}

// Keys are those of rows, of which y copies the patch that removes a finalizer as well.
func (d *Page) Keys() []page.Binding {
	keys := d.env.RowKeys()[:1]
	return append(keys, page.Binding{Keys: []string{"y"}, Hint: "copy", Help: "copy a patch that removes a finalizer, or something of this row's request", Off: d.needsDeletion, Do: d.askRelease})
}

func (d *Page) needsDeletion() string {
	return page.Unless(d.Selected() != nil, "nothing is being deleted")
}

// Chosen is the request that began the deletion under the cursor, nil if it is not held.
func (d *Page) Chosen() *flow.Flow {
	if x := d.Selected(); x != nil {
		return d.env.Log.Get(x.Began.Seq)
	}
	return nil
}

func (d *Page) Legend() []string {
	return []string{
		"Each line is an object that is terminating (◌) or gone (✓). What was deleted because its owner, its namespace or the definition of its resource was stands below that, indented.",
		"A DELETE of an object with finalizers only sets its deletionTimestamp: watchers see MODIFIED, and the object stays readable. That is phase 1.",
		"Phase 2 is the write that takes the last finalizer away: it is the deletion, watchers see DELETED, and the row is gone in the same change.",
		"Below: ✓ what has been done, by whom, at which version; ○ what still holds the object. Who will act next is never guessed: last written by is what the managed fields say.",
		fmt.Sprintf("foregroundDeletion waits for dependents with blockOwnerDeletion; kubernetes, in a namespace's spec, waits until nothing is left in it. The badge counts what is terminating. At most %s ended deletions are kept.", term.Count(deletion.MaxEnded)),
	}
}

// wanted reports whether the filter lets a request of a deletion through that the pages of objects show. What Kubarium's own controllers deleted because of it is
// shown with it.
func (d *Page) wanted(x *deletion.Deletion) bool {
	if !d.env.InScope(page.Subject{Resource: x.Ref.Resource, Key: client.Key{Namespace: x.Ref.Namespace, Name: x.Ref.Name}}) {
		return false
	}
	for _, m := range []deletion.Moment{x.Began, x.Gone} {
		if m.Zero() {
			continue
		}
		f := d.env.Log.Get(m.Seq)
		if f == nil && d.env.Feed.Match == nil || f != nil && d.env.Feed.Verdict(f) == feed.Shows {
			return true
		}
	}
	return false
}
