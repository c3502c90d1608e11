package objects

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/flow/object"
	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// propagations are the ways to delete, as the question offers them.
var propagations = []struct {
	key, label string
	p          action.Propagation
}{
	{"b", "background: it goes at once, what it owns afterwards", action.Background},
	{"f", "foreground: what it owns goes first", action.Foreground},
	{"o", "orphan: what it owns stays, without an owner", action.Orphan},
}

// deletion returns the deletion with a propagation by its name; without a name, in the background.
func deletion(of client.Resource, k client.Key, names []string) (*action.Action, error) {
	if len(names) == 0 {
		return action.Delete(of, k, action.Background), nil
	}
	for _, way := range propagations {
		if strings.EqualFold(string(way.p), strings.Join(names, " ")) {
			return action.Delete(of, k, way.p), nil
		}
	}
	return nil, fmt.Errorf("%q is not one of background, foreground and orphan", strings.Join(names, " "))
}

// A deleting is an object to be deleted, with what is known of the other objects that go with it.
type deleting struct {
	o          *Page
	of         client.Resource
	key        client.Key
	finalizers []string
	known      bool
	err        error
	owned      []dependentObject
	within     int64 // objects in it: in a namespace, or of the resource that it defines
}

// askDelete asks how to delete the object under the cursor, and names the objects that go with it.
func (o *Page) askDelete() {
	r, k := o.thing()
	d := &deleting{o: o, of: *r, key: k}
	if t := o.table.selected(); o.depth == 1 && t != nil {
		d.finalizers = t.Finalizers
	} else if o.depth == 2 {
		d.finalizers = o.Object.meta.Finalizers
	}
	o.env.Over = d.question()
	a, all := o.env.API, slices.Clone(o.resources.all)
	o.env.Do(page.Work{Run: func() func() {
		owned, within, err := readConsequences(a, d.of, k, all)
		return func() { d.owned, d.within, d.err, d.known = owned, within, err, true }
	}})
}

// readConsequences finds the objects that go with an object. It does I/O and is called off the loop.
func readConsequences(a *client.Client, of client.Resource, k client.Key,
	all []client.Resource) (owned []dependentObject, within int64, err error) {
	if owned, err = readDependents(a, &of, k, all); err != nil {
		return nil, 0, err
	}
	switch of.ID() {
	case "namespaces":
		for i := range all {
			if r := all[i : i+1]; r[0].Namespaced && r[0].Can("delete") {
				within += a.Tallies(r, k.Name)[r[0].ID()].N
			}
		}
	case object.Definitions:
		for i := range all {
			if r := all[i : i+1]; r[0].FullName() == k.Name {
				within = a.Tallies(r, "")[r[0].ID()].N
			}
		}
	}
	return owned, within, nil
}

func (d *deleting) question() *term.Question {
	q := &term.Question{Title: d.o.env.F("Delete %s?", action.Name(d.of, d.key)), Lines: d.lines, Esc: "keep it"}
	for _, way := range propagations {
		a := action.Delete(d.of, d.key, way.p)
		q.Items = append(q.Items, term.Item{Key: way.key, Label: way.label, Do: func() {
			d.o.do(a, "deleted "+a.Name(), nil)
		}})
	}
	q.Items = append(q.Items, d.o.copyItem(action.Delete(d.of, d.key, action.Background)))
	return q
}

// lines are the objects that go with it, its finalizers, and the command.
func (d *deleting) lines(w int) []term.Line {
	var out []term.Line
	for _, s := range d.says() {
		out = append(out, term.WrapLines(term.Plain, s, w)...)
	}
	out = append(out, nil)
	command := d.o.commandOf(action.Delete(d.of, d.key, action.Background))
	command = strings.Replace(command, "=background", "=background|foreground|orphan", 1)
	return append(out, term.WrapLines(term.Accent, command, w)...)
}

// says describes what goes with the object, one sentence an element.
func (d *deleting) says() (out []string) {
	switch {
	case !d.known:
		out = append(out, "Asking for the objects that name it as owner …")
	case d.err != nil:
		out = append(out, "The objects that it owns could not be read: "+d.err.Error())
	case len(d.owned) == 0:
		out = append(out, "It owns nothing: no object names it as owner.")
	default:
		out = append(out, fmt.Sprintf("It owns %s: %s.", term.Plural(len(d.owned), "object"), ownedNames(d.owned)))
	}
	switch {
	case d.within > 0 && d.of.ID() == "namespaces":
		out = append(out, fmt.Sprintf("All objects in the namespace go with it: %s.",
			term.Plural(int(d.within), "object")))
	case d.within > 0:
		out = append(out, fmt.Sprintf("All objects of the resource that it defines go with it: %s.",
			term.Count(d.within)))
	}
	if len(d.finalizers) > 0 {
		out = append(out, "It stays, terminating, until its finalizers are removed: "+strings.Join(d.finalizers,
			", ")+".")
	}
	return out
}

// mostNamed is how many owned objects are named.
const mostNamed = 6

func ownedNames(owned []dependentObject) string {
	var names []string
	for _, d := range owned[:min(len(owned), mostNamed)] {
		names = append(names, d.of.Kind+"/"+d.key.Name)
	}
	if more := len(owned) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
