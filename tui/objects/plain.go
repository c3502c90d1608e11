package objects

import (
	"fmt"
	"strings"

	"kubarium/tui/client"
	"kubarium/tui/term"
)

// plainObjectsHelp is the help of these commands.
const plainObjectsHelp = "resources [WORDS]: the resources of the server; objects RESOURCE [WORDS]: its objects, " +
	"as kubectl get shows them.\n" +
	"object RESOURCE [NAMESPACE/]NAME [yaml|fields|history|watched|rows]: one object from a side.\n" +
	"namespace [NAME]: list only the objects of one, or of all; scale RESOURCE NAME NUMBER; label or " +
	"annotate RESOURCE NAME KEY=VALUE KEY-.\n" +
	"delete RESOURCE NAME [background|foreground|orphan]: asks for yes before it deletes."

// A told is the page in words. It reads from the server while it runs: nothing else waits in plain mode.
type told struct {
	o     *Page
	print func(format string, args ...any)
}

// Tell runs a command of this page and reports whether word is one.
func (o *Page) Tell(word, rest string, print func(format string, args ...any)) bool {
	p := told{o, print}
	switch word {
	case "resources":
		p.resources(rest)
	case "objects":
		name, words, _ := strings.Cut(rest, " ")
		p.listObjects(name, words)
	case "object":
		p.object(strings.Fields(rest))
	default:
		return p.acts(word, strings.Fields(rest), rest)
	}
	return true
}

// served reads the resources of the server; it returns false after printing an error.
func (p told) served() (*resources, bool) {
	l := &p.o.resources
	all, err := p.o.env.API.Resources()
	if err != nil {
		p.print("The server's resources could not be read: %s.", err)
		return nil, false
	}
	l.all = all
	return l, true
}

func (p told) resources(words string) {
	l, ok := p.served()
	if !ok {
		return
	}
	asked := p.o.env.Time.Head
	l.takeCounts(asked, p.o.env.API.Tallies(l.all, p.o.env.Namespace))
	l.words = words
	l.arrange()
	for _, row := range l.rows {
		r := row.r
		if r == nil {
			continue
		}
		n := "no count"
		if r.Counted {
			n = term.Plural(int(r.N), "object")
		}
		origin := map[string]string{"custom": " A custom one.",
			"aggregated": " Another server answers for it."}[r.Origin()]
		p.print("%s in %s, kind %s, %s: %s. Verbs %s.%s",
			r.Name, r.GroupVersion(), r.Kind, r.Scope(), n, strings.Join(r.Verbs, ", "), origin)
	}
	if len(l.rows) == 0 {
		p.print("No resource has %q.", words)
	}
}

// resource finds a resource by one of its names; nil after printing that there is none.
func (p told) resource(name string) *client.Resource {
	l, ok := p.served()
	if !ok {
		return nil
	}
	r := l.named(name)
	if r == nil {
		p.print("The server serves no resource %q; resources lists them.", name)
	}
	return r
}

func (p told) listObjects(name, words string) {
	r := p.resource(name)
	if r == nil {
		return
	}
	t := &p.o.table
	t.of, t.words = r, words
	got, err := p.o.env.API.Table(r, p.o.env.Namespace, client.MostRows)
	if err != nil {
		p.print("%s.", err)
		return
	}
	t.columns, t.all = got.Columns, got.Rows
	t.arrange()
	if len(t.rows) == 0 {
		p.print("There are no %s%s.", r.Name, term.Pick(words == "", "", " with "+words))
	}
	if got.More {
		p.print("Of %s, only the first %s were read.", term.Count(len(got.Rows)+got.Rest), term.Count(len(got.Rows)))
	}
	for _, row := range t.rows {
		var cells []string
		for i, c := range t.columns {
			if c.Priority == 0 && i > 0 {
				cells = append(cells, strings.ToLower(c.Name)+" "+t.cell(row, i))
			}
		}
		name := term.Pick(row.Key.Namespace == "", row.Key.Name, row.Key.String())
		p.print("%s: %s.%s", name, strings.Join(cells, ", "),
			term.Pick(row.Deleting, " It is "+heldText(row.Finalizers)+".", ""))
	}
}

// object prints one side of an object; args are its resource, its name, and the side.
func (p told) object(args []string) {
	if len(args) < 2 {
		p.print("object needs a resource and a name: object deployments default/web history")
		return
	}
	r := p.resource(args[0])
	if r == nil {
		return
	}
	k := p.o.keyOf(r, args[1])
	side := ObjectTab(0)
	for t := tabYAML; len(args) > 2 && t < objectTabs; t++ {
		if strings.EqualFold(strings.Fields(p.o.Object.Title(t))[0], args[2]) {
			side = t
		}
	}
	o := &p.o.Object
	o.show(nil, client.Key{})
	o.Of, o.key, o.Tab = r, k, side
	body, err := p.o.env.API.Object(r, k)
	if o.take(body, err); o.err != nil {
		p.print("%s.", o.err)
		return
	}
	p.printObject(o)
}

func (p told) printObject(o *Object) {
	if o.meta.DeletionTimestamp != nil {
		p.print("It is %s.", heldText(o.meta.Finalizers))
	}
	if o.Tab == TabRows {
		o.rows = readRows(p.o.env.API, *o.Of, o.key, p.o.env.MaskerOf(o.Of.Name))
		o.rows.came = 1
	}
	if o.Tab != TabHistory {
		o.build(100)
		for _, l := range o.text.Lines {
			p.print("%s", l.String())
		}
		return
	}
	found := o.history.digger().dig()
	for _, v := range found.versions {
		who := term.Pick(v.who == "", "an unknown client", v.who)
		changed := ""
		if v.more+v.less > 0 {
			changed = fmt.Sprintf(", %s more and %d less", term.Plural(v.more, "line"), v.less)
		}
		p.print("resourceVersion %d: %s, by %s%s.", v.revision, p.o.env.Store().Letter(v.letter), who, changed)
	}
	if found.end != "" {
		p.print("The oldest: %s.", found.end)
	}
}

// WordsHelp returns the help of the page's commands in plain mode.
func (o *Page) WordsHelp() string { return plainObjectsHelp }
