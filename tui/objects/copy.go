package objects

import (
	"fmt"
	"net/http"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// thing returns what the keys act on: a resource, or an object of it.
func (o *Page) thing() (*client.Resource, client.Key) {
	switch {
	case o.depth == 0:
		return o.resources.selected(), client.Key{}
	case o.depth == 1:
		if r := o.table.selected(); r != nil {
			return o.table.of, r.Key
		}
		return o.table.of, client.Key{}
	case o.Object.Of != nil && o.Object.key.Name != "":
		return o.Object.Of, o.Object.key
	}
	return nil, client.Key{}
}

// asked returns the request that reads a thing. At a moment in the past, an object is read as a list with one item.
func (o *Page) asked(r *client.Resource, k client.Key) *flow.Flow {
	f := &flow.Flow{
		Method: http.MethodGet, Path: r.Path(k.Namespace, k.Name),
		RequestHeader: http.Header{"Accept": {"application/yaml"}},
		Target: flow.Target{Verb: term.Pick(k.Name == "", "list", "get"), Group: r.Group, Version: r.Version,
			Resource: r.Name, Namespace: k.Namespace, Name: k.Name},
	}
	if o.env.Moment == nil {
		return f
	}
	query := client.AtRevision(o.env.Moment.Revision)
	if k.Name != "" {
		query.Set("fieldSelector", "metadata.name="+k.Name)
	}
	f.Path, f.Query, f.Target.Verb, f.Target.Name = r.Path(k.Namespace, ""), query.Encode(), "list", ""
	return f
}

// A thingCopying is one way to copy a thing.
type thingCopying struct {
	key, what string
	text      func(o *Page, r *client.Resource, k client.Key) string // returns "" if it is not available
	store     *label.Store                                           // only for objects in this store; nil for any
}

var thingCopyings = []thingCopying{
	{key: "k", what: "kubectl command", text: func(o *Page, r *client.Resource,
		k client.Key) string {
		return o.KubectlOf(r, o.scoped(r, k))
	}},
	{key: "c", what: "curl command", text: func(o *Page, r *client.Resource, k client.Key) string {
		return story.Curl(o.asked(r, o.scoped(r, k)), o.env.URL)
	}},
	{key: "a", what: "kubectl command of the last action",
		text: func(o *Page, _ *client.Resource, _ client.Key) string { return o.lastCommand() }},
	{key: "b", what: "YAML", text: func(o *Page, r *client.Resource, k client.Key) string {
		if o.ShownSubject() != (page.Subject{Resource: r.ID(), Key: k}) || o.Object.body == nil {
			return ""
		}
		return string(o.Object.yaml())
	}},
	{key: "n", what: "name", text: func(_ *Page, r *client.Resource, k client.Key) string {
		return term.Pick(k.Name == "", r.FullName(), k.Name)
	}},
	{key: "r", what: "resourceVersion", text: func(o *Page, r *client.Resource, k client.Key) string {
		if o.ShownSubject() != (page.Subject{Resource: r.ID(), Key: k}) {
			return ""
		}
		return o.Object.meta.ResourceVersion
	}},
	{key: "s", what: label.SQLite.CopyRow, store: label.SQLite, text: (*Page).RowSQL},
	{key: "s", what: label.Etcd.CopyRow, store: label.Etcd, text: (*Page).etcdGet},
	{key: "x", what: "command that explains its fields", text: func(o *Page, r *client.Resource, _ client.Key) string {
		return "kubectl" + o.env.ServerFlag() + " explain " + r.FullName() + " --recursive"
	}},
}

// askCopy offers the ways to copy the thing.
func (o *Page) askCopy() {
	r, k := o.thing()
	m := &term.Menu{Title: o.env.F("Copy of %s", thingName(r, k))}
	for _, c := range thingCopyings {
		if c.store != nil && c.store != o.env.Store() {
			continue
		}
		off := ""
		if c.text(o, r, k) == "" {
			off = term.Pick(c.key == "a", "nothing was done yet", "open it first")
		}
		m.Items = append(m.Items, term.Item{Key: c.key, Label: c.what, Off: off, Do: func() {
			o.repeat = func() { o.copy(c) }
			o.repeat()
		}})
	}
	o.env.Over = m
}

func thingName(r *client.Resource, k client.Key) string {
	if k.Name == "" {
		return r.FullName()
	}
	return r.Name + "/" + k.Name
}

func (o *Page) copy(c thingCopying) {
	r, k := o.thing()
	if r == nil {
		return
	}
	s := c.text(o, r, k)
	switch {
	case s == "":
		o.env.Say("%s has no %s here: open it first", thingName(r, k), c.what)
	case len(s) > page.MostCopied:
		o.env.OfferLong(fmt.Sprintf("%s of %s", c.what, thingName(r, k)), s)
	default:
		o.env.CopyText(c.what, s)
	}
}

// KubectlOf returns the kubectl command that reads a thing, at the page's moment.
func (o *Page) KubectlOf(r *client.Resource, k client.Key) string {
	return story.Kubectl(o.asked(r, k), o.env.CopyOptions()...) + term.Pick(k.Name == "" && o.table.wide &&
		o.env.Moment == nil, " -o wide", "")
}
