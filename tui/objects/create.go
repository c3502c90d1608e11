package objects

import (
	"encoding/json"
	"slices"
	"strings"

	"kubarium/flow/object"
	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/page"
)

// A creation is a text with the manifests of new objects.
type creation struct {
	draft
	namespace string // of objects that name none
}

// createNamed begins with a manifest of the resource with this name.
func (o *Page) createNamed(name string) {
	switch r := o.resources.named(name); {
	case r == nil:
		o.env.Say("the server serves no resource %q", name)
	case !r.Can("create"):
		o.env.Say("%s do not have the verb create", r.Name)
	default:
		o.create(r)
	}
}

// create opens the editor on a manifest of a resource, with the fields that its objects need.
func (o *Page) create(r *client.Resource) {
	of, a := *r, o.env.API
	c := &creation{draft: draft{o: o, what: "create " + of.Name, file: "new-" + of.Name + ".yaml"},
		namespace: o.namespace()}
	c.head = []string{
		"Saving creates the objects below; an unchanged or empty file creates nothing. Lines of three dashes " +
			"separate objects.",
		"Fields: " + o.env.Kubectl() + " explain " + of.FullName() + " --recursive",
	}
	c.draft.send = c.send
	namespace := o.namespaceFor(r)
	o.env.Do(page.Work{Run: func() func() {
		document, err := a.Get(of.OpenAPIPath(), nil, client.JSON)
		if err != nil {
			document = nil // then the manifest has only its type and name
		}
		text := action.Skeleton(document, of, namespace)
		return func() {
			c.from = text
			c.open(nil, text)
		}
	}})
}

// A created is an object that was created.
type created struct {
	a    *action.Action
	name string
}

// send creates the objects of a text, one after another, until one is refused.
func (c *creation) send(text []byte) {
	ms, err := action.Manifests(text)
	if err != nil {
		c.back(err.Error())
		return
	}
	a, all, namespace := c.o.env.API, slices.Clone(c.o.resources.all), c.namespace
	c.o.env.Do(page.Work{Run: func() func() {
		var done []created
		for _, m := range ms {
			x, err := createOne(a, all, m, namespace)
			if err != nil {
				return func() { c.refused(done, ms[len(done):], err) }
			}
			done = append(done, x)
		}
		return func() { c.o.created(done) }
	}})
}

// createOne does I/O and is called off the loop.
func createOne(a *client.Client, all []client.Resource, m action.Manifest, namespace string) (created, error) {
	of, err := m.Resource(all)
	if err != nil {
		return created{}, err
	}
	x := created{a: action.Create(of, m.In(of, namespace), m.JSON)}
	answer, err := a.Do(x.a.Request())
	if err != nil {
		return created{}, err
	}
	var o struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(answer, &o) // an answer that is not an object has no name
	x.name = of.Name + "/" + object.OneLine(o.Metadata.Name)
	return x, nil
}

// created reports the created objects.
func (o *Page) created(done []created) {
	var actions []*action.Action
	for _, x := range done {
		actions = append(actions, x.a)
	}
	o.did("created "+createdNames(done), actions...)
}

func createdNames(done []created) string {
	var names []string
	for _, x := range done {
		names = append(names, x.name)
	}
	return strings.Join(names, ", ")
}

// refused opens the editor again on the objects that were not created.
func (c *creation) refused(done []created, left []action.Manifest, err error) {
	c.text = action.Join(left)
	why := err.Error()
	if len(done) > 0 {
		c.o.created(done)
		why += "\nCreated before it: " + createdNames(done) + ". The objects below were not created."
	}
	c.back(why)
}
