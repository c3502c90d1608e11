// Package objects is the page of stored objects: the resources that the server serves, the objects of one, and one
// object from six sides.
package objects

import (
	"kubarium/flow"
	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the page Objects: the resources that the server serves, the objects of one, and one object. As many of these
// three panes are next to each other as there is room for; one of them has the focus.
type Page struct {
	term.Narrowing
	env       *page.Env
	depth     int // the pane with the focus, from the left
	resources resources
	table     objectTable
	Object    Object
	wanted    int              // the pane to go to when the page is shown, 0 for no change
	moved     int              // counts moves, so that only the last one reads from the server
	repeat    func()           // repeats the last copy
	last      []*action.Action // the last actions
	sought    []string         // a resource and an object to go to once discovery has answered
}

// New returns the page.
func New(u *page.Env) *Page {
	o := &Page{env: u}
	o.resources.o, o.table.o, o.Object.o = o, o, o
	o.table.limit = client.TablePage
	o.Narrowing = term.Narrowing{Apply: o.narrow, Step: func(n int) { o.Panes()[o.depth].Move(n) }}
	return o
}

// In returns the page at another moment, with the same object, which is read as of then.
func (o *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.depth, p.wanted = o.depth, o.wanted
	p.resources.stand(&o.resources)
	p.table.stand(&o.table)
	p.Object.stand(&o.Object)
	return p
}

// Panes returns the three panes.
func (o *Page) Panes() []page.Pane { return []page.Pane{&o.resources, &o.table, &o.Object} }

// Form returns the widths of the panes.
func (o *Page) Form() page.Form {
	return page.Form{Two: term.Pick(o.env.First == 1, 48, 40), Three: [2]int{28, 37}}
}

// Opened reads the resources the first time, and goes to the object that was chosen on another page.
func (o *Page) Opened() {
	o.env.Followed()
	if !o.resources.asked || o.resources.stale || o.resources.err != nil {
		o.resources.load()
	}
	o.arrive()
	o.Arrived()
}

// Arrived reads what has changed while the page was hidden.
func (o *Page) Arrived() {
	o.catchUp()
	if o.resources.uncounted && o.resources.all != nil {
		o.resources.uncounted = false
		o.resources.tally()
	}
}

// catchUp reads again what has changed while the page was hidden.
func (o *Page) catchUp() {
	if o.resources.recount {
		o.resources.countAnew()
	}
	o.table.update()
	o.table.searchOn()
	o.Object.update()
}

// OpenAt makes the page show the chosen object, on one of its tabs, when it is shown next.
func (o *Page) OpenAt(t ObjectTab) { o.Object.Tab, o.wanted = t, 2 }

// GoTo goes to the chosen object: with depth 1 to its row in the table, with 2 to the object on one of its tabs, with 0
// to the resource.
func (o *Page) GoTo(depth int, t ObjectTab) {
	o.wanted = depth
	if o.ShownSubject() != o.env.Subject {
		o.Object.Tab = t
	}
	o.arrive()
	if depth == 2 && o.Object.Tab != t {
		o.Object.turn(int(t - o.Object.Tab))
	}
}

// arrive goes to the object that was chosen on another page, and to the wanted pane.
func (o *Page) arrive() {
	o.goTo(o.env.Subject)
	if o.wanted > 0 && o.ShownSubject() == o.env.Subject {
		o.depth, o.wanted = o.wanted, 0
		o.Object.history.goTo(o.env.Version)
		o.Object.history.load()
	}
	o.enter(o.depth)
}

// goTo moves the cursors to an object, if its resource is known.
func (o *Page) goTo(s page.Subject) {
	r := o.resources.find(s.Resource)
	if r == nil || s == o.ShownSubject() {
		return
	}
	o.resources.words, o.table.words = "", ""
	o.resources.cursor.Key = r.ID()
	o.resources.arrange()
	o.table.show(o.resources.selected())
	o.table.cursor.Key = s.Key.String()
	o.table.arrange()
	o.depth = 1
	if s.Name != "" {
		o.Object.show(o.resources.selected(), s.Key)
	}
}

// ShownSubject returns the object in the third pane.
func (o *Page) ShownSubject() page.Subject {
	if o.Object.Of == nil {
		return page.Subject{}
	}
	return page.Subject{Resource: o.Object.Of.ID(), Key: o.Object.key}
}

// enter moves the focus to a pane.
func (o *Page) enter(depth int) {
	o.depth = max(0, min(depth, 2))
	if o.shown() {
		o.env.Enter(o.depth)
	}
}

// Entered is called when a pane gets the focus.
func (o *Page) Entered(i int) { o.depth = i }

// deeper opens the thing under the cursor.
func (o *Page) deeper() {
	switch o.depth {
	case 0:
		if r := o.resources.selected(); r != nil {
			o.table.show(r)
			o.enter(1)
		}
	case 1:
		if r := o.table.selected(); r != nil {
			o.Object.show(o.table.of, r.Key)
			o.env.Chose(page.Subject{Resource: o.table.of.ID(), Key: r.Key}, 0)
			o.enter(2)
		}
	default:
		o.Object.turn(1)
	}
}

// Back removes the words of the pane, and reports whether there were any.
func (o *Page) Back() bool {
	if *o.words() == "" {
		return false
	}
	o.narrow("")
	return true
}

// resourceMoved shows the objects of the resource under the cursor once it rests there.
func (o *Page) resourceMoved() {
	r := o.resources.selected()
	if r == nil || !o.shown() {
		return
	}
	o.settled(func() {
		if r := o.resources.selected(); r != nil && o.depth == 0 {
			o.table.show(r)
		}
	})
}

// objectMoved shows the object under the cursor once it rests there, if the third pane is visible.
func (o *Page) objectMoved() {
	o.settled(func() {
		r := o.table.selected()
		if r == nil {
			return
		}
		if o.shown() && o.depth < 2 && o.env.Visible(2) { // in the third pane an object stays, even after its deletion
			o.Object.show(o.table.of, r.Key)
		}
	})
}

// settled calls do when the cursor has rested.
func (o *Page) settled(do func()) {
	o.moved++
	moved := o.moved
	o.env.Do(page.Later{After: page.SettleTime, Do: func() {
		if moved == o.moved {
			do()
			o.env.Dirty = true
		}
	}})
}

// Fold updates the counts, the table and the object by new commits, and by writes to other servers. While the page is
// hidden it only notes what to read when it is shown again. If commits were missed, everything is read again.
func (o *Page) Fold(flows []*flow.Flow) {
	if o.env.Time.Missed > 0 {
		o.resources.missed()
		o.table.missed()
		o.Object.missed()
	}
	for _, c := range o.env.Time.Fresh {
		o.resources.committed(c)
		o.table.committed(c)
		o.Object.committed(c)
	}
	for _, f := range flows {
		if feed.Writes(f.Target.Verb) {
			o.resources.written(f.Target)
			o.table.written(f.Target)
			o.Object.written(f.Target)
		}
	}
}

// shown reports whether the page is shown, so that changes are read at once.
func (o *Page) shown() bool { return o.env.Shows(page.Objects) }

// Refilter does nothing: the filter of requests does not apply here.
func (o *Page) Refilter() {}

// Restless reports whether the page shows ages, which change with time.
func (o *Page) Restless() bool { return len(o.table.rows) > 0 }

// Tab returns the page's entry in the list of pages.
func (o *Page) Tab() page.Tab {
	return page.Tab{Name: "7 Objects", Short: "7Obj", Help: "Objects: the resources that the server serves, their " +
		"objects, and details of one"}
}

// again reads the pane with the focus again.
func (o *Page) again() {
	switch {
	case o.depth == 0:
		o.resources.forgetCounts()
		o.resources.load()
	case o.depth == 1 && o.table.of != nil && o.table.of.Can("list"):
		o.table.load()
	case o.depth == 2 && o.Object.Of != nil:
		o.Object.load()
	}
}

// toggleWide shows all columns, or those of kubectl get without -o wide.
func (o *Page) toggleWide() {
	o.table.wide = !o.table.wide
	o.env.Say("%s", term.Pick(o.table.wide, "all columns, as kubectl get -o wide; z gives them the whole width",
		"the columns of kubectl get"))
}

// toggleManaged shows or hides managedFields, and in the history what else the server sets with every write.
func (o *Page) toggleManaged() {
	o.Object.managed = !o.Object.managed
	if o.Object.Tab == TabHistory {
		o.env.Say("managedFields, times and generation are %s", term.Pick(o.Object.managed, "shown", "left out"))
		return
	}
	o.env.Say("managedFields are %s", term.Pick(o.Object.managed, "shown", "left out, as kubectl does"))
}
