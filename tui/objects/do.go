package objects

import (
	"strings"

	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// objectKeys are the actions on an object.
func (o *Page) objectKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"E"}, Hint: "edit", Help: "edit this object in $EDITOR; saving sends it",
			Off: o.cannot("update"), Do: o.edit},
		{Keys: []string{"t"}, Help: "set and remove labels of this object", Off: o.cannot("patch"),
			Do: func() { o.askMeta(action.Labels, "") }},
		{Keys: []string{"a"}, Help: "set and remove annotations of this object", Off: o.cannot("patch"),
			Do: func() { o.askMeta(action.Annotations, "") }},
		{Keys: []string{"s"}, Help: "scale: set the replicas of this object", Off: o.cannotScale, Do: o.askScale},
		{Keys: []string{"D"}, Hint: "delete", Help: "delete this object, with or without what it owns; asks",
			Off: o.cannot("delete"), Do: o.askDelete},
	}
}

// creationKeys are the actions without an object.
func (o *Page) creationKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"c"}, Hint: "create", Help: "create objects: $EDITOR opens on a manifest of this resource",
			Off: o.cannotCreate, Do: func() { o.create(o.thingOf()) }},
		{Keys: []string{"n"}, Hint: "namespace", Help: "show only the objects of one namespace, or of all",
			Do: o.askScope},
	}
}

// Commands returns the actions by their names; some take a value after the name.
func (o *Page) Commands() []term.Command {
	here := func(off func() string) string {
		if o.env.Front != page.Objects {
			return "only on the page Objects: press 7"
		}
		return off()
	}
	return []term.Command{
		{Keys: ":create", Help: "create objects in $EDITOR; :create deploy begins with a manifest of that resource",
			Off: here(o.cannotCreate), Do: func() { o.create(o.thingOf()) }},
		{Keys: ":edit", Help: "edit the object in $EDITOR", Off: here(o.cannot("update")), Do: o.edit},
		{Keys: ":label", Help: "set and remove labels of the object: :label tier=front old-",
			Off: here(o.cannot("patch")), Do: func() { o.askMeta(action.Labels, "") }},
		{Keys: ":annotate", Help: "set and remove annotations of the object: :annotate note='for now'",
			Off: here(o.cannot("patch")), Do: func() { o.askMeta(action.Annotations, "") }},
		{Keys: ":scale", Help: "set the replicas of the object: :scale 3", Off: here(o.cannotScale), Do: o.askScale},
		{Keys: ":delete", Help: "delete the object, with or without what it owns", Off: here(o.cannot("delete")),
			Do: o.askDelete},
		{Keys: ":undo", Help: "History: go back to the selected version", Off: here(o.needsOlder), Do: o.askUndo},
		{Keys: ":ns", Help: "objects of all namespaces; :ns team narrows the pages of objects to one",
			Do: func() { o.setScope("") }},
	}
}

// valued returns the function of a command with a value; nil for other words.
func (o *Page) valued(name string) func(value string) {
	return map[string]func(string){
		"ns":       o.setScope,
		"label":    func(v string) { o.changeMeta(action.Labels, v) },
		"annotate": func(v string) { o.changeMeta(action.Annotations, v) },
		"scale":    o.scale,
		"create":   o.createNamed,
	}[name]
}

func (o *Page) valuedCommand(name, value string) term.Command {
	c := term.Command{Keys: ":" + name + " " + value, Do: func() { o.valued(name)(value) }}
	if name == "ns" {
		c.Help = "show only the objects of namespace " + value
		return c
	}
	for _, plain := range o.Commands() {
		if plain.Keys == ":"+name {
			c.Help, c.Off = plain.Help, plain.Off
		}
	}
	if name == "create" {
		c.Off = o.env.NeedsNow()
	}
	return c
}

// cannot and the functions after it return why an action is not possible, "" if it is.

func (o *Page) cannot(verb string) func() string {
	return func() string {
		r, k := o.thing()
		switch {
		case o.env.NeedsNow() != "":
			return o.env.NeedsNow()
		case r == nil || k.Name == "":
			return "no object is under the cursor"
		case !r.Can(verb):
			return o.env.F("%s do not have the verb %s", r.Name, verb)
		case o.depth == 2 && o.Object.gone:
			return "it is deleted; U in History brings a version back"
		}
		return ""
	}
}

func (o *Page) cannotScale() string {
	if why := o.cannot("patch")(); why != "" {
		return why
	}
	r, _ := o.thing()
	return page.Unless(r.Has("scale"), o.env.F("%s have no subresource scale", r.Name))
}

func (o *Page) cannotCreate() string {
	r := o.thingOf()
	switch {
	case o.env.NeedsNow() != "":
		return o.env.NeedsNow()
	case r == nil:
		return "no resource is under the cursor"
	}
	return page.Unless(r.Can("create"), o.env.F("%s do not have the verb create", r.Name))
}

// thingOf returns the resource of the thing under the cursor.
func (o *Page) thingOf() *client.Resource {
	r, _ := o.thing()
	return r
}

// do sends an action, and reports the result with the equivalent kubectl command. failed handles an error; nil shows
// it.
func (o *Page) do(a *action.Action, done string, failed func(err error)) {
	if failed == nil {
		failed = func(err error) { o.refused(a, err) }
	}
	api := o.env.API
	o.env.AskWrite(func() {
		o.env.Do(page.Work{Run: func() func() {
			_, err := api.Do(a.Request())
			return func() {
				if err != nil {
					failed(err)
					return
				}
				o.did(done, a)
			}
		}})
	})
}

// did reports what was done, and offers to copy the equivalent command.
func (o *Page) did(done string, actions ...*action.Action) {
	o.last = actions
	o.repeat = func() { o.env.CopyText("kubectl command", o.lastCommand()) }
	o.env.Say("%s; Y copies %s", done, action.Line(o.lastCommand()))
}

// lastCommand returns the kubectl command for the last action, "" if there was none.
func (o *Page) lastCommand() string {
	var all []string
	for _, a := range o.last {
		all = append(all, o.commandOf(a))
	}
	return strings.Join(all, "\n")
}

func (o *Page) commandOf(a *action.Action) string { return a.Kubectl(o.env.CopyOptions()...) }

// copyItem is an item that copies the command of an action; the question stays open.
func (o *Page) copyItem(a *action.Action) term.Item {
	return term.Item{Key: "y", Label: "copy the kubectl command", Stays: true,
		Do: func() { o.env.CopyText("kubectl command", o.commandOf(a)) }}
}

// commandLines are an action's kubectl command as lines of a question.
func (o *Page) commandLines(a *action.Action, w int) []term.Line {
	return term.WrapLines(term.Accent, action.Line(o.commandOf(a)), w)
}

// refused shows the server's complete answer to a refused action.
func (o *Page) refused(a *action.Action, err error) {
	o.env.Over = &term.Question{Title: o.env.F("Refused: %s %s", a.Verb, a.Name()), Lines: func(w int) []term.Line {
		return append(append(term.WrapLines(term.Err, "✗ "+err.Error(), w), nil), o.commandLines(a, w)...)
	}, Items: []term.Item{o.copyItem(a)}}
}
