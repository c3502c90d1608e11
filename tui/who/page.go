// Package who is the page of one client: who it is, what it waits for, what it did, and what led it to each of its
// writes. Every page leads there from a row, by the same key.
package who

import (
	"slices"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of one client.
type Page struct {
	env    *page.Env
	reader reader
	facts  facts
	writes writes
	output *output // of the command that the UI was started for; nil for none

	tag     string          // of the client that is shown; "" for none
	client  *clients.Client // as it was read last; nil if it sent nothing
	follows bool            // the newest client of the command is shown as it comes
	before  []string        // the clients that were looked at before, the last one at the end
	made    made
}

// made is what the lines were made of, and when.
type made struct {
	tag    string
	read   int // flows
	second int64
	width  int
	bare   bool // secrets are shown
	alone  bool // without a title above
	wide   int  // the width of the writes
	at     time.Time
}

// New makes the page; command is nil where the UI was started for none.
func New(e *page.Env, command *Command) *Page {
	x := newPage(e)
	if command != nil {
		x.output, x.follows = newOutput(e, command), true
	}
	return x
}

func newPage(e *page.Env) *Page {
	x := &Page{env: e}
	x.reader.begin(e)
	x.facts.x, x.writes.x = x, x
	x.writes.rest()
	return x
}

// In is the page at another moment, of the same client. Its requests are read once the reader stays there, or looks.
func (x *Page) In(e *page.Env) page.Page {
	p := newPage(e)
	p.tag, p.before, p.output = x.tag, x.before, x.output
	p.facts.cursor, p.writes.cursor = x.facts.cursor.Emptied(), x.writes.cursor.Emptied()
	p.writes.rest()
	return p
}

// Panes are the facts, the writes, and what the command has printed.
func (x *Page) Panes() []page.Pane {
	panes := []page.Pane{&x.facts, &x.writes}
	if x.output != nil {
		panes = append(panes, x.output)
	}
	return panes
}

func (x *Page) Form() page.Form {
	return page.Form{Stacked: true, Beside: page.WideWidth, Two: 42, Foot: true}
}

func (x *Page) Tab() page.Tab {
	return page.Tab{Name: "i Client", Short: "iWho",
		Help: "Client: the client of this row, what it did, and what it waits for"}
}

// Restless reports whether times are counted, or the command may print.
func (x *Page) Restless() bool { return !x.env.Past() && (x.client != nil || x.Hurried()) }

// Hurried reports whether the end of the command's output is followed.
func (x *Page) Hurried() bool { return x.output != nil && x.output.grows() }

// Refilter does nothing: what a client did does not depend on the filter.
func (x *Page) Refilter() {}

// Fold takes what came.
func (x *Page) Fold(flows []*flow.Flow) {
	x.reader.Take(flows)
	x.writes.take(flows)
	if x.follows {
		if tags := x.output.of.Tags(); len(tags) > 0 && tags[0] != x.tag {
			x.show(tags[0])
		}
	}
	if x.output != nil && x.env.Shows(page.Client) {
		x.output.look()
	}
}

// Opened reads what has waited for the page to come to the front. Without a client it shows the one with the newest
// request.
func (x *Page) Opened() {
	x.reader.Work()
	if tags := x.reader.tags(x.tag); x.tag == "" && !x.follows && len(tags) > 0 {
		x.show(tags[0])
	}
	if x.output != nil {
		x.output.look()
	}
}

// Arrived does so at another moment.
func (x *Page) Arrived() { x.Opened() }

// Open shows a client. Where another one is shown already, Back leads back to that.
func (x *Page) Open(tag string, from bool) {
	x.follows = false
	if from && x.tag != "" && x.tag != tag {
		x.before = append(x.before[max(0, len(x.before)-keepBefore):], x.tag)
	} else if !from {
		x.before = nil
	}
	x.show(tag)
}

// keepBefore is how many clients Back leads back to.
const keepBefore = 32

// Back shows the client that was looked at before, and reports whether there was one.
func (x *Page) Back() bool {
	n := len(x.before) - 1
	if n < 0 {
		return false
	}
	tag := x.before[n]
	x.before = x.before[:n]
	x.show(tag)
	return true
}

// show begins with another client.
func (x *Page) show(tag string) {
	x.tag, x.client, x.made = tag, nil, made{}
	x.facts.cursor = term.List[string]{}
	x.writes.begin()
	x.env.Dirty = true
}

// turn shows the next client, or the one before.
func (x *Page) turn(by int) {
	tags := x.reader.tags(x.tag)
	at := slices.Index(tags, x.tag) + by
	if at < 0 || at >= len(tags) {
		x.env.Say("%s", term.Pick(by < 0, "this is the newest client", "this is the oldest client"))
		return
	}
	x.follows = false
	x.show(tags[at])
}

// Chosen is the request of the row under the cursor, nil if it has none that is held.
func (x *Page) Chosen() *flow.Flow {
	if seq := x.link().seq; seq > 0 {
		return x.env.Log.Get(seq)
	}
	return nil
}

// Whose is the client of a request that led to a write.
func (x *Page) Whose() (tag, why string) {
	tag = x.link().tag
	if tag == "" {
		tag = x.tag
	}
	switch {
	case tag == "":
		return "", "no client has sent a request yet"
	case tag == x.tag:
		return "", "this is the page of that client"
	}
	return tag, ""
}

// link is where the row under the cursor leads.
func (x *Page) link() link {
	if x.env.At == 1 {
		return x.writes.link()
	}
	return x.facts.link()
}

func (x *Page) Title(i int) (title, note term.Line) {
	st := x.env.TitleStyle(i)
	switch i {
	case 0:
		return term.Text(st, x.name()), nil
	case 1:
		return term.Text(st, x.env.T("writes")), term.Text(term.Dim, x.env.T("newest first, each with what led to it"))
	}
	return x.output.title(st)
}

// name says which client is shown, and how many there are.
func (x *Page) name() string {
	if x.tag == "" {
		return x.env.T("client")
	}
	tags := x.reader.tags(x.tag)
	return x.env.F("client %s · %d of %d", x.tag, slices.Index(tags, x.tag)+1, len(tags))
}

// counts says how much a client has sent; "" for none.
func counts(c *clients.Client) string {
	if c == nil {
		return ""
	}
	s := term.Plural(c.Requests, "request") + " · " + term.Plural(c.Writes, "write")
	if c.Refused > 0 {
		s += " · " + term.Count(c.Refused) + " refused"
	}
	return s
}

func (x *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	switch i {
	case 0:
		x.facts.draw(c, r)
	case 1:
		x.writes.draw(c, r)
	case 2:
		x.output.draw(c, r)
	}
}

func (x *Page) Click(i, _, y int) {
	switch i {
	case 0:
		x.facts.cursor.Click(y)
	case 1:
		x.writes.moved(x.writes.cursor.Click(y))
	}
}

// Entered pins the chosen write: nothing moves under the reader's eyes.
func (x *Page) Entered(i int) {
	if i == 1 {
		x.writes.cursor.Follow = false
	}
}

// pace is how often the lines are made again while requests come.
const pace = 250 * time.Millisecond

// renew makes the lines again where they are not right any more: for another client or width at once, else when
// requests came, and once a second for the times.
func (x *Page) renew(w int) {
	now := made{x.tag, x.reader.read, x.env.Now().Unix(), w, x.env.Unmasked, !x.env.Titled, x.made.wide, x.made.at}
	switch {
	case now == x.made:
		return
	case x.tag == x.made.tag && w == x.made.width && x.env.Clock().Sub(x.made.at) < pace:
		return
	}
	now.at = x.env.Clock()
	x.made = now
	x.client = x.reader.of(x.tag, x.env.Now())
	x.facts.make(w)
	x.writes.arrange()
}

// after says how long ago a time was.
func (x *Page) after(at time.Time) string { return term.Ago(x.env.Now().Sub(at)) + " ago" }

// named names an object, or without a name the objects of a resource together, without the group.
func named(resource, namespace, name string) string {
	c := flow.Commit{Resource: resource, Namespace: namespace, Name: name}
	c.Resource = label.Resource(c)
	if name == "" {
		return c.Resource + label.Where(flow.Target{Verb: "list", Resource: c.Resource, Namespace: namespace})
	}
	return label.Object(c)
}
