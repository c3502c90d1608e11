package tui

import (
	"slices"
	"strings"

	"kubarium/analysis/deletion"
	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/conflicts"
	"kubarium/tui/inspect"
	"kubarium/tui/learn"
	"kubarium/tui/lists"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// seek selects what a step is about on its page: its own request, or the object that it names. It reports whether there is nothing
// more to wait for.
func (l *lead) seek(p learn.Place) bool {
	if p.Awaits && p.Show.Page != "objects" {
		return true
	}
	f := l.request(p.Sent)
	found := false
	switch u := l.u; p.Show.Page {
	case "traffic":
		found = l.seekRequest(p, f)
	case "watches":
		found = l.seekWatch(p, f)
	case "lists":
		found = l.seekList(f)
	case "conflicts":
		found = f != nil && choose(u.page(), slices.IndexFunc(conflictFlows(u), func(seq uint64) bool { return seq == f.Seq }))
	case "deletes":
		found = l.seekDeletion(p, f)
	case "versions":
		found = l.seekVersion(p, f)
	case "objects":
		found = l.seekObject(p)
	default:
		found = true
	}
	if found && p.Show.Pane == "detail" && p.Show.Page != "objects" {
		l.u.Enter(1)
	}
	return found || f == nil && p.Sent.Mark == "" && p.Sent.Seq == 0
}

// request is the step's own request, nil while it has not come: the first one of a watch, else the newest, since a step may have
// to ask again.
func (l *lead) request(s learn.Sent) *flow.Flow {
	flows, _ := l.u.Log.Since(l.looked, 0)
	for _, f := range flows {
		if f.Seq > l.u.Seq {
			break // not on the screen yet
		}
		l.looked = f.Seq
		if s.Is(f) && (l.found == nil || l.found.Watch == nil) {
			l.found = f
		}
	}
	return l.found
}

// choose puts the cursor of a page's list on its i-th row, and reports whether there is one.
func choose(p page.Page, i int) bool {
	if i < 0 {
		return false
	}
	list := p.Panes()[0]
	list.End(false)
	if i > 0 {
		list.Move(i)
	}
	return true
}

// seekList selects the list that the step's request belongs to. One that lists nothing leaves the cursor where it is.
func (l *lead) seekList(f *flow.Flow) bool {
	switch {
	case f == nil:
		return false
	case f.Target.Verb != "list":
		return true
	}
	return choose(l.u.page(), slices.IndexFunc(l.u.pages[page.Lists].(*lists.Page).Rows, func(w *listing.Walk) bool {
		return slices.ContainsFunc(w.Chunks, func(c listing.Chunk) bool { return c.Flow.Seq == f.Seq })
	}))
}

func conflictFlows(u *ui) []uint64 {
	var out []uint64
	for _, c := range u.pages[page.Conflicts].(*conflicts.Page).Rows {
		out = append(out, c.Flow.Seq)
	}
	return out
}

// seekRequest selects the step's request in Traffic, or the newest one for the object that it names, and opens its tab.
func (l *lead) seekRequest(p learn.Place, f *flow.Flow) bool {
	t := l.u.traffic()
	if p.Show.Resource != "" {
		f = nil
		for _, x := range t.Passed {
			if names(p.Show, x.Target) {
				f = x
			}
		}
	}
	if f == nil || !slices.Contains(t.Passed, f) {
		return false
	}
	t.End(true) // nothing is newer than what the lesson shows
	t.JumpTo(f)
	for tab := inspect.TabStory; tab < inspect.Tabs; tab++ {
		if strings.EqualFold(tab.String(), p.Show.Tab) {
			t.Inspector.Turn(int(tab - t.Inspector.Tab))
		}
	}
	return true
}

// names reports whether a request was for the object, or within the collection, that a step shows.
func names(s learn.Show, t flow.Target) bool {
	resource := client.Resource{Group: t.Group, Name: t.Resource}
	return resource.ID() == s.Resource && t.Namespace == s.Namespace && (s.Name == "" || t.Name == s.Name)
}

// seekWatch selects the watch that the step opens or waits for, else the newest one of what it shows.
func (l *lead) seekWatch(p learn.Place, f *flow.Flow) bool {
	u := l.u
	list, joined := u.Streams.List, u.Streams.Relists.Joined()
	if f != nil && f.Watch != nil {
		return choose(u.page(), slices.IndexFunc(list, func(w *flow.Watch) bool { return w == f.Watch || joined[f.Watch] == w.ID && w.ID != 0 }))
	}
	for i := range slices.Backward(list) {
		if names(p.Show, list[i].Target) || p.Show.Resource == "" {
			return choose(u.page(), i)
		}
	}
	return f != nil
}

// seekDeletion selects the deletion that the step's request began or ended, or that of the object that it shows.
func (l *lead) seekDeletion(p learn.Place, f *flow.Flow) bool {
	rows := l.u.deletes().Rows
	i := -1
	if f != nil {
		i = slices.IndexFunc(rows, func(r *deletion.Row) bool { return r.Began.Seq == f.Seq || r.Gone.Seq == f.Seq })
	}
	for j, r := range rows {
		if i < 0 && r.Ref.Resource == p.Show.Resource && r.Ref.Namespace == p.Show.Namespace && r.Ref.Name == p.Show.Name {
			i = j
		}
	}
	return choose(l.u.page(), i)
}

// seekVersion selects the version that the step's request made, or the lane of the object that it shows.
func (l *lead) seekVersion(p learn.Place, f *flow.Flow) bool {
	u := l.u
	if f == nil {
		return false
	}
	u.Choose(f)
	v := u.versions()
	v.Opened()
	if len(f.Effects) == 1 {
		return true
	}
	of := page.Subject{Resource: p.Show.Resource, Key: client.Key{Namespace: p.Show.Namespace, Name: p.Show.Name}}
	for i := range v.Lanes {
		if i > 0 && v.Lanes[i].Of == of {
			v.Move(-len(v.Lanes))
			v.Move(i)
		}
	}
	return true
}

// seekObject opens the object that the step shows at its tab, or the collection.
func (l *lead) seekObject(p learn.Place) bool {
	u, o := l.u, l.u.objects()
	of := page.Subject{Resource: p.Show.Resource, Key: client.Key{Namespace: p.Show.Namespace, Name: p.Show.Name}}
	u.Chose(of, 0)
	depth := 1
	switch {
	case p.Show.Name == "":
		depth = 0
	case p.Show.Pane == "detail":
		depth = 2
	}
	o.GoTo(depth, objectTabNamed(p.Show.Tab, o.Object.Tab))
	return true
}

// objectTabNamed is the tab of an object that a lesson names, or the one that is open.
func objectTabNamed(name string, open objects.ObjectTab) objects.ObjectTab {
	for t := objects.ObjectTab(0); t <= objects.TabRows; t++ {
		if strings.EqualFold(t.String(), name) {
			return t
		}
	}
	return open
}
