package tui

import (
	"kubarium/server/flow"
	"kubarium/tui/client"
	"kubarium/tui/term"
)

// objectsPage is the screen Objects: the resources that the server serves, the objects of one, and one object. As many
// of the three stand beside each other as there is room for; the keys are in one of them.
type objectsPage struct {
	u         *env
	api       *client.Client
	depth     int // which of the three has the keys, from the left
	resources resources
	table     objectTable
	object    objectPane
	narrowing *term.LineEdit // the words for the pane with the keys, while they are typed
	before    string         // as they were when typing began
	wanted    int            // how deep to go when the page is shown, 0 for where it was
	moved     int            // counts moves, so that only the last one asks the server
	repeat    func()         // the last copy again
}

func newObjects(u *env) *objectsPage {
	o := &objectsPage{u: u, api: u.api}
	o.resources.o, o.table.o, o.object.o = o, o, o
	o.table.limit = client.TablePage
	return o
}

func (o *objectsPage) panes() []pane { return []pane{&o.resources, &o.table, &o.object} }

func (o *objectsPage) form() form {
	return form{two: term.Pick(o.u.first == 1, 48, 40), three: [2]int{28, 37}}
}

// opened asks for what is served the first time, and goes to the object that was chosen on another screen.
func (o *objectsPage) opened() {
	o.u.followed()
	if !o.resources.asked || o.resources.stale || o.resources.err != nil {
		o.resources.load()
	}
	o.arrive()
}

// arrive goes to the object that was chosen on another screen, and there as deep as that screen wanted.
func (o *objectsPage) arrive() {
	o.goTo(o.u.subject)
	if o.wanted > 0 && o.shownSubject() == o.u.subject {
		o.depth, o.wanted = o.wanted, 0
		o.object.history.at = o.u.version
		o.object.history.load()
	}
	o.enter(o.depth)
}

// goTo puts the cursors on an object, as far as its resource is known.
func (o *objectsPage) goTo(s subject) {
	r := o.resources.find(s.resource)
	if r == nil || s == o.shownSubject() {
		return
	}
	o.resources.words, o.table.words = "", ""
	o.resources.id = r.ID()
	o.resources.arrange()
	o.table.show(o.resources.selected())
	o.table.key = s.Key.String()
	o.table.arrange()
	o.depth = 1
	if s.Name != "" {
		o.object.show(o.resources.selected(), s.Key)
	}
}

// shownSubject is the object that the third pane shows.
func (o *objectsPage) shownSubject() subject {
	if o.object.of == nil {
		return subject{}
	}
	return subject{o.object.of.ID(), o.object.key}
}

// enter gives the keys to one of the three panes.
func (o *objectsPage) enter(depth int) {
	o.depth = max(0, min(depth, 2))
	if o.u.screen == pageObjects {
		o.u.enter(o.depth)
	}
}

// entered is told which pane has the keys.
func (o *objectsPage) entered(i int) { o.depth = i }

// deeper opens what is under the cursor.
func (o *objectsPage) deeper() {
	switch o.depth {
	case 0:
		if r := o.resources.selected(); r != nil {
			o.table.show(r)
			o.enter(1)
		}
	case 1:
		if r := o.table.selected(); r != nil {
			o.object.show(o.table.of, r.Key)
			o.u.chose(subject{o.table.of.ID(), r.Key}, 0)
			o.enter(2)
		}
	default:
		o.object.turn(1)
	}
}

// back takes away what was typed to narrow the pane.
func (o *objectsPage) back() bool {
	if *o.words() == "" {
		return false
	}
	o.narrow("")
	return true
}

// resourceMoved shows the objects of the resource under the cursor once it rests there.
func (o *objectsPage) resourceMoved() {
	r := o.resources.selected()
	if r == nil || o.u.screen != pageObjects {
		return
	}
	o.settled(func() {
		if r := o.resources.selected(); r != nil && o.depth == 0 {
			o.table.show(r)
		}
	})
}

// objectMoved shows the object under the cursor once it rests there, where there is room for it.
func (o *objectsPage) objectMoved() {
	o.settled(func() {
		r := o.table.selected()
		if r == nil {
			return
		}
		if o.u.visible(2) {
			o.object.show(o.table.of, r.Key)
		}
	})
}

// settled calls do when the cursor has rested.
func (o *objectsPage) settled(do func()) {
	o.moved++
	moved := o.moved
	o.u.do(laterEffect{settleTime, func() {
		if moved == o.moved {
			do()
			o.u.dirty = true
		}
	}})
}

// fold takes what was committed into the counts, the table and the object.
func (o *objectsPage) fold([]*flow.Flow) {
	for _, c := range o.u.time.Fresh {
		o.resources.committed(c)
		if o.u.screen == pageObjects {
			o.table.committed(c)
			o.object.committed(c)
		}
	}
}

func (o *objectsPage) refilter() {}

// restless reports that ages go on.
func (o *objectsPage) restless() bool { return len(o.table.rows) > 0 }

func (o *objectsPage) tab() tabLabel {
	return tabLabel{name: "7 Objects", short: "7Obj", help: "Objects: what the server serves, the objects of it, and one from six sides"}
}

// again asks the server anew for what the pane with the keys shows.
func (o *objectsPage) again() {
	switch {
	case o.depth == 0:
		for i := range o.resources.all {
			o.resources.all[i].Counted = false
		}
		o.resources.load()
	case o.depth == 1 && o.table.of != nil && o.table.of.Can("list"):
		o.table.load()
	case o.depth == 2 && o.object.of != nil:
		o.object.load()
	}
}

// toggleWide shows all columns, or those that kubectl shows without -o wide.
func (o *objectsPage) toggleWide() {
	o.table.wide = !o.table.wide
	o.u.Say("%s", term.Pick(o.table.wide, "all columns, as kubectl get -o wide; z gives them the whole width", "the columns of kubectl get"))
}

// toggleManaged shows managedFields in the YAML, or leaves them out.
func (o *objectsPage) toggleManaged() {
	o.object.managed = !o.object.managed
	o.u.Say("managedFields are %s", term.Pick(o.object.managed, "shown", "left out, as kubectl does"))
}
