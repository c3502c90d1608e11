package tui

import (
	"fmt"
	"net/http"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

// thing is what the keys are about: a resource, or an object of it.
func (o *objectsPage) thing() (*resource, objectKey) {
	switch {
	case o.depth == 0:
		return o.resources.selected(), objectKey{}
	case o.depth == 1:
		if r := o.table.selected(); r != nil {
			return o.table.of, r.key
		}
		return o.table.of, objectKey{}
	case o.object.of != nil && o.object.key.name != "":
		return o.object.of, o.object.key
	}
	return nil, objectKey{}
}

// asked is the request that reads a thing, as a client would send it.
func asked(r *resource, k objectKey) *flow.Flow {
	return &flow.Flow{
		Method: http.MethodGet, Path: r.path(k.namespace, k.name), RequestHeader: http.Header{"Accept": {"application/yaml"}},
		Target: flow.Target{Verb: pick(k.name == "", "list", "get"), Group: r.group, Version: r.version, Resource: r.name, Namespace: k.namespace, Name: k.name},
	}
}

// A thingCopying is one way to copy a thing.
type thingCopying struct {
	key, what string
	text      func(o *objectsPage, r *resource, k objectKey) string // "" if there is nothing of it
}

var thingCopyings = []thingCopying{
	{"k", "kubectl command", func(o *objectsPage, r *resource, k objectKey) string {
		return story.Kubectl(asked(r, k)) + pick(k.name == "" && o.table.wide, " -o wide", "")
	}},
	{"c", "curl command", func(o *objectsPage, r *resource, k objectKey) string { return story.Curl(asked(r, k), o.u.url) }},
	{"b", "YAML", func(o *objectsPage, r *resource, k objectKey) string {
		if o.shownSubject() != (subject{r.id(), k}) || o.object.body == nil {
			return ""
		}
		return string(o.object.yaml())
	}},
	{"n", "name", func(_ *objectsPage, r *resource, k objectKey) string { return pick(k.name == "", r.fullName(), k.name) }},
	{"r", "resourceVersion", func(o *objectsPage, r *resource, k objectKey) string {
		if o.shownSubject() != (subject{r.id(), k}) {
			return ""
		}
		return o.object.meta.ResourceVersion
	}},
	{"s", "SQL that reads its row", func(o *objectsPage, r *resource, k objectKey) string { return o.rowSQL(r, k) }},
	{"x", "command that explains its fields", func(o *objectsPage, r *resource, _ objectKey) string {
		return "kubectl" + o.u.serverFlag() + " explain " + r.fullName() + " --recursive"
	}},
}

// askCopy offers what of the thing can be copied.
func (o *objectsPage) askCopy() {
	r, k := o.thing()
	m := &menu{title: "Copy of " + thingName(r, k)}
	for _, c := range thingCopyings {
		off := ""
		if c.text(o, r, k) == "" {
			off = "open it first"
		}
		m.items = append(m.items, item{key: c.key, label: c.what, off: off, do: func() {
			o.repeat = func() { o.copy(c) }
			o.repeat()
		}})
	}
	o.u.over = m
}

func thingName(r *resource, k objectKey) string {
	if k.name == "" {
		return r.fullName()
	}
	return r.name + "/" + k.name
}

func (o *objectsPage) copy(c thingCopying) {
	r, k := o.thing()
	if r == nil {
		return
	}
	s := c.text(o, r, k)
	switch {
	case s == "":
		o.u.say("%s has no %s here: open it first", thingName(r, k), c.what)
	case len(s) > mostCopied:
		o.u.offerLong(fmt.Sprintf("%s of %s", c.what, thingName(r, k)), s)
	default:
		o.u.do(copyEffect{s})
		o.u.say("copied %s, %s, via OSC 52", c.what, bytesText(int64(len(s))))
	}
}
