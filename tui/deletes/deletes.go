// Package deletes is the page of what is going away: what holds each object, and what went because of what.
package deletes

import (
	"fmt"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of what is going away: every object that is terminating or was deleted, as a tree of what was
// deleted because of what, and for the chosen one its two phases with all that holds it.
type Page struct {
	page.List[deletion.Row, uint64] // by the ids of the deletions
	*deletion.Log
	before []adopted // what was terminating when the UI began
	read   int64     // the newest commit that was looked at
}

// New makes the page; it follows the newest deletion.
func New(e *page.Env) *Page {
	d := &Page{Log: deletion.NewLog()}
	d.List = page.NewList(e, page.ListSpec[deletion.Row, uint64]{
		Name: "deletes", Row: "deletion", Form: page.Form{Stacked: true, Beside: 180, Two: 52}, Legend: legend(),
		Keys: d.Keys, Tail: true,
		Key:     func(t *deletion.Row) uint64 { return t.ID },
		Request: func(t *deletion.Row) *flow.Flow { return e.Log.Get(t.Began.Seq) },
		All:     func() int { return len(d.All) },
		Last:    func() bool { return d.Gone },
		Note: func() term.Line {
			return term.Text(term.Dim, "◌ terminating  ✓ gone  └ deleted because of the line above")
		},
		Columns: d.columns, Notice: d.notice, Heading: d.heading,
		Detail: func(l *page.LineList, t *deletion.Row) { d.phases(l, t.Deletion) },
		Word:   "deletes", Number: func(t *deletion.Row) uint64 { return t.ID }, Sentence: d.sentence,
		Nothing: func() string { return "Nothing is terminating, and nothing was deleted yet." },
	})
	d.Cursor.Newest = d.newestRoot
	return d
}

// In is the page at another moment, with what was terminating before the UI began as far as it was so then.
func (d *Page) In(e *page.Env) page.Page {
	p := New(e)
	p.TakePlace(&d.List)
	p.before = d.before
	for _, b := range p.before {
		if b.commit.Revision <= e.Moment.Revision {
			p.Adopt(b.commit, b.stored)
		}
	}
	return p
}

func (d *Page) Restless() bool { return d.Open() > 0 }

// Fold takes what the requests changed, and the ends of deletions that no request here has made.
func (d *Page) Fold(flows []*flow.Flow) {
	changed := false
	for _, f := range flows {
		changed = d.Note(f) || changed
	}
	for _, c := range d.Env.Time.Since(d.read) {
		changed = d.Committed(c) || changed
		d.read = c.Revision
	}
	if !changed {
		return
	}
	d.Trim(d.Cursor.Key)
	d.Refilter()
}

// Refilter makes the rows again and keeps the cursor on its deletion.
func (d *Page) Refilter() {
	tree := d.Tree(d.wanted)
	rows := make([]*deletion.Row, len(tree))
	for i := range tree {
		rows[i] = &tree[i]
	}
	d.Set(rows)
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
	if t := d.List.Selected(); t != nil {
		return t.Deletion
	}
	return nil
}

// Seek selects the deletion that a request began or ended, or that of an object.
func (d *Page) Seek(s page.Sought) bool {
	return s.Flow != nil && d.Find(func(t *deletion.Row) bool { return t.Began.Seq == s.Flow.Seq || t.Gone.Seq == s.Flow.Seq }) ||
		d.Find(func(t *deletion.Row) bool {
			return t.Ref.Resource == s.Resource && t.Ref.Namespace == s.Namespace && t.Ref.Name == s.Name
		})
}

func (d *Page) Tab() page.Tab {
	t := page.Tab{Name: "6 Deletes", Short: "6Del", Help: "Deletes: what is terminating, and what still holds it"}
	if n := d.Open(); n > 0 {
		t.Badge = "◌" + term.Count(n)
		t.Means = t.Badge + ": so many objects are terminating: deleted, but finalizers or the objects in them hold them."
	}
	return t
}

// Count counts the deletions of the trees that are shown, those taken together in one row as well.
func (d *Page) Count() page.Count {
	n := d.List.Count()
	for _, r := range d.Rows {
		n.Shown += r.More
	}
	return n
}

// Keys are those of rows, of which y copies the patch that removes a finalizer as well.
func (d *Page) Keys() []page.Binding {
	keys := d.Env.RowKeys()[:1]
	return append(keys, page.Binding{Keys: []string{"y"}, Hint: "copy", Help: "copy a patch that removes a finalizer, or something of this row's request", Off: d.needsDeletion, Do: d.askRelease})
}

func (d *Page) needsDeletion() string {
	return page.Unless(d.Selected() != nil, "nothing is being deleted")
}

// wanted reports whether the filter lets a request of a deletion through that the pages of objects show. What
// Kubarium's own controllers deleted because of it is shown with it.
func (d *Page) wanted(x *deletion.Deletion) bool {
	if !d.Env.InScope(page.Subject{Resource: x.Ref.Resource, Key: client.Key{Namespace: x.Ref.Namespace, Name: x.Ref.Name}}) {
		return false
	}
	for _, m := range []deletion.Moment{x.Began, x.Gone} {
		if m.Zero() {
			continue
		}
		f := d.Env.Log.Get(m.Seq)
		if f == nil && d.Env.Feed.Match == nil || f != nil && d.Env.Feed.Verdict(f) == feed.Shows {
			return true
		}
	}
	return false
}

func (d *Page) sentence(t *deletion.Row) string {
	_, state := d.State(t.Deletion)
	also := ""
	if t.More > 0 {
		also = fmt.Sprintf(" and %s more of that kind", term.Count(t.More))
	}
	if t.Depth > 0 {
		also += ", because of what was deleted before it"
	}
	return fmt.Sprintf("%s%s: %s, deleted by %s at %s.", label.Ref(t.Ref), also, state, t.Began.Who, rv(t.Began))
}

// About is the sheet about a deletion, shown or not.
func (d *Page) About(number uint64) []page.SheetLine {
	for _, x := range d.All {
		if x.ID == number {
			l := &page.LineList{W: page.PlainWidth}
			d.phases(l, x)
			return l.Out
		}
	}
	return nil
}

func legend() []string {
	return []string{
		"Each line is an object that is terminating (◌) or gone (✓). Objects that were deleted because their owner, " +
			"their namespace or the definition of their resource was, are below that, indented.",
		"A DELETE of an object with finalizers only sets its deletionTimestamp: watchers see MODIFIED, and the " +
			"object stays readable. That is phase 1.",
		"Phase 2 is the write that takes the last finalizer away: it is the deletion, watchers see DELETED, and the " +
			"row is gone in the same change.",
		"Below: ✓ what has been done, by whom, at which version; ○ what still holds the object. The page does not " +
			"guess which client acts next: last written by is what the managed fields say.",
		"foregroundDeletion waits for dependents with blockOwnerDeletion; kubernetes, in a namespace's spec, waits " +
			"until nothing is left in it. The badge counts what is terminating. Only the newest ended deletions are kept.",
	}
}

// Whose is the client that asked for the deletion under the cursor.
func (d *Page) Whose() (tag, why string) {
	x := d.Selected()
	switch {
	case x == nil:
		return "", d.needsDeletion()
	case x.Began.Seq == 0 || x.Began.Who == "":
		return "", d.Env.T("it is not known who deleted it: that was before, or not by a request")
	}
	return x.Began.Who, ""
}
