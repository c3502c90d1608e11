package objects

import (
	"slices"
	"strings"

	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// mostOffered is how many resources are offered for the beginning of a name.
const mostOffered = 8

// Interpret returns commands for a line that names a resource or an object in kubectl's words, or an action with a
// value.
func (o *Page) Interpret(line string) []term.Command {
	line = strings.TrimPrefix(strings.TrimSpace(line), ":")
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		return nil
	case len(words) > 1 && o.valued(words[0]) != nil:
		return []term.Command{o.valuedCommand(words[0], strings.TrimSpace(line[len(words[0]):]))}
	case words[0] == "ns":
		return nil
	case !o.resources.asked:
		o.resources.load()
	}
	if len(words) > 2 {
		return nil
	}
	if o.resources.all == nil {
		return []term.Command{{Keys: ":… " + line, Name: line, Help: "the objects of that resource, when the server has said " +
			"what it serves", Do: func() { o.seek(words) }}}
	}
	return o.goCommands(line, words)
}

// goCommands go to the named resource or object.
func (o *Page) goCommands(line string, words []string) (out []term.Command) {
	if r := o.resources.named(words[0]); r != nil {
		help := "the objects of " + r.FullName()
		if len(words) > 1 {
			help = "the object " + r.Name + "/" + words[1]
		}
		out = append(out, term.Command{Keys: ":" + line, Help: help, Do: func() { o.seek(words) }})
	}
	if len(words) > 1 {
		return out
	}
	word := strings.ToLower(words[0])
	category := false
	for i := range o.resources.all {
		r := &o.resources.all[i]
		if r.Name != word && strings.HasPrefix(r.Name, word) && len(out) < mostOffered {
			out = append(out, term.Command{Keys: ":" + r.Name, Help: o.env.F("the objects of %s", r.FullName()),
				Do: func() { o.seek([]string{r.FullName()}) }})
		}
		category = category || slices.Contains(r.Categories, word)
	}
	if category {
		out = append(out, term.Command{Keys: ":" + word, Help: o.env.F("the resources in the category %s", word),
			Do: func() { o.showCategory(word) }})
	}
	return out
}

// seek goes to a resource, or to an object of it, once discovery has answered.
func (o *Page) seek(words []string) {
	o.sought = words
	if o.resources.all != nil {
		o.arrived()
	}
}

// arrived goes to the place that seek was asked for before discovery had answered.
func (o *Page) arrived() {
	words := o.sought
	if words == nil {
		return
	}
	o.sought = nil
	if o.resources.err != nil {
		o.env.Say("%s: %s", strings.Join(words, " "), o.resources.err)
		return
	}
	r := o.resources.named(words[0])
	if r == nil {
		o.env.Say("no command and no resource is named %q", words[0])
		return
	}
	o.env.Show(page.Objects)
	of := page.Subject{Resource: r.ID()}
	if len(words) > 1 {
		of.Key = o.keyOf(r, words[1])
	}
	o.env.Chose(of, 0)
	o.goTo(of)
	if of.Name == "" {
		o.enter(1)
	} else {
		o.enter(2)
	}
}

// keyOf parses the name of an object, with its namespace in front unless it is the page's: web, team/web.
func (o *Page) keyOf(r *client.Resource, name string) client.Key {
	if namespace, bare, ok := strings.Cut(name, "/"); ok && r.Namespaced {
		return client.Key{Namespace: namespace, Name: bare}
	}
	return client.Key{Namespace: o.namespaceFor(r), Name: name}
}

// showCategory lists the resources of a category.
func (o *Page) showCategory(name string) {
	o.env.Show(page.Objects)
	o.enter(0)
	o.narrow(name)
}

// Whose is the client that wrote the object under the cursor last, or the version of it that is chosen.
func (o *Page) Whose() (tag, why string) {
	if o.depth == 2 && o.Object.Tab == TabHistory && o.Object.history.selected() != nil {
		return o.env.Writer(o.Object.history.selected().revision)
	}
	of := o.ShownSubject()
	if o.depth < 2 {
		of = page.Subject{}
	}
	if r := o.table.selected(); o.depth == 1 && r != nil {
		of = page.Subject{Resource: o.table.of.ID(), Key: r.Key}
	}
	if of.Name == "" {
		return "", o.env.T("there is no object under the cursor")
	}
	for _, c := range slices.Backward(o.env.Time.Commits) {
		if c.Name == of.Name && c.Namespace == of.Namespace && c.Resource == of.Resource {
			return o.env.Writer(c.Revision)
		}
	}
	return "", o.env.T("it is not known who wrote it last: it was not written since the run began, or too long ago")
}
