package objects

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Object is one object from six sides: its YAML, the managers of its fields, its history, its owners and dependents,
// its watchers, and its rows in the database.
type Object struct {
	o       *Page
	Of      *client.Resource
	key     client.Key
	Tab     ObjectTab
	body    []byte // the object as JSON, with secrets masked unless the user unmasked them
	meta    objectMeta
	loaded  bool
	gone    bool // it no longer exists; body is the last version read
	err     error
	managed bool // managedFields are shown in the YAML

	text    term.Viewport // the lines of a tab other than History, as built for made
	words   string
	made    objectLines
	pointed int // the line that a lesson points at, -1 for none
	history history
	rows    storedRows
	owns    dependents

	generation int
	reads      int   // counts the bodies read, so that built lines can be outdated
	updating   bool  // a read after a change is scheduled
	asOf       int64 // the body is up to date until this revision
	newest     int64 // the newest commit of the object
	behind     bool  // commits were missed, which may include the object's
	loading    bool
	unmasked   bool // body has its secrets
}

// objectLines is everything on which the lines of a tab depend.
type objectLines struct {
	point        *page.Point
	reads, width int
	tab          ObjectTab
	managed      bool
	words        string
	rows         int   // answers about rows
	owns         int   // answers about dependents
	head         int64 // of the owners, which have the tree of a workload: the newest revision
}

// An ObjectTab is one side of an object.
type ObjectTab int

// The tabs.
const (
	tabYAML ObjectTab = iota
	TabFields
	TabHistory
	TabOwners
	TabWatched
	TabRows
	objectTabs
)

// String returns the name that lessons use, which is that for SQLite; Title is the name on the screen.
func (t ObjectTab) String() string {
	return [...]string{"YAML", "Fields", "History", "Owners", "Watched by", "Rows"}[t]
}

// Title returns the name of a tab on the screen.
func (p *Object) Title(t ObjectTab) string {
	if t == TabRows {
		return p.o.env.Store().RowTab
	}
	return t.String()
}

// objectMeta is the part of an object's metadata that the pane uses.
type objectMeta struct {
	UID               string
	ResourceVersion   string
	Generation        int64
	CreationTimestamp time.Time
	DeletionTimestamp *time.Time
	Finalizers        []string
	ManagedFields     []json.RawMessage
	OwnerReferences   []object.OwnerRef
}

// Name returns the name of the present tab in lower case.
func (p *Object) Name() string { return strings.ToLower(p.Tab.String()) }

// mover returns the present tab's list or text.
func (p *Object) mover() term.Mover {
	if p.Tab == TabHistory {
		return &p.history
	}
	return &p.text
}

// Height returns the number of visible rows.
func (p *Object) Height() int { return p.mover().Height() }

// Move moves the cursor of History, or scrolls.
func (p *Object) Move(n int) { p.mover().Move(n) }

// End goes to the first line, or to the last.
func (p *Object) End(bottom bool) { p.mover().End(bottom) }

// show opens another object; the same one stays as it is.
func (p *Object) show(r *client.Resource, k client.Key) {
	if p.Of != nil && r != nil && p.Of.ID() == r.ID() && p.key == k && p.unmasked == p.o.env.Unmasked {
		p.Of = r
		return
	}
	*p = Object{
		o: p.o, Of: r, key: k, Tab: p.Tab, managed: p.managed, generation: p.generation + 1, reads: p.reads,
		history: newHistory(p, p.history.since+1),
		rows:    storedRows{asked: p.rows.asked + 1},
		owns:    dependents{asked: p.owns.asked + 1, came: p.owns.came},
	}
	if r != nil && r.Can("get") {
		p.load()
	}
}

// Reread reads the object again after secrets were masked or unmasked.
func (p *Object) Reread() {
	if p.Of == nil || p.key.Name == "" {
		return
	}
	r, k := p.Of, p.key
	p.show(nil, client.Key{})
	p.show(r, k)
}

// load reads the object, and what the present tab needs.
func (p *Object) load() {
	p.generation++
	p.loading, p.updating, p.behind = true, false, false
	generation, a, r, k, head := p.generation, p.o.env.API, *p.Of, p.key, p.o.env.Time.Head
	p.o.env.Do(page.Work{Run: func() func() {
		body, err := a.Object(&r, k)
		return func() {
			if generation == p.generation {
				p.asOf = head
				p.take(body, err)
				p.updateSoon() // for commits during the read
			}
		}
	}})
	p.loadTab()
}

// loadTab reads what the present tab shows in addition to the object.
func (p *Object) loadTab() {
	switch p.Tab {
	case TabHistory:
		p.history.load()
	case TabOwners:
		p.loadDependents()
	case TabRows:
		p.loadRows()
	}
}

// take handles the answer of load.
func (p *Object) take(body []byte, err error) {
	p.loading, p.loaded, p.err, p.gone = false, true, err, false
	var no *client.Refusal
	switch missing := errors.As(err, &no) && no.Code == 404; {
	case missing && p.o.env.Moment != nil: // the body is of another moment
		p.body, p.meta = nil, objectMeta{}
		return
	case missing && p.body != nil:
		p.err, p.gone = nil, true
		return
	}
	if err != nil {
		return
	}
	p.unmasked = p.o.env.Unmasked
	var o struct{ Metadata objectMeta }
	if p.err = json.Unmarshal(body, &o); p.err != nil {
		return
	}
	p.meta, p.body = o.Metadata, p.masked(body)
	if rv, err := strconv.ParseInt(p.meta.ResourceVersion, 10, 64); err == nil {
		p.asOf = max(p.asOf, rv)
	}
	p.reads++
}

// masked hides secrets in an object of this resource.
func (p *Object) masked(body []byte) []byte {
	if p.o.env.Unmasked {
		return body
	}
	if keys := redact.Keys(&flow.Flow{Target: flow.Target{Resource: p.Of.Name}}); keys != nil {
		return redact.Object(body, keys)
	}
	return body
}

// committed reads the object again soon after it has changed.
func (p *Object) committed(c flow.Commit) {
	if p.Of == nil || c.Resource != p.Of.ID() || c.Namespace != p.key.Namespace || c.Name != p.key.Name {
		return
	}
	p.newest = max(p.newest, c.Revision)
	p.updateSoon()
}

// written is called when a client wrote to another server, which makes no commit here.
func (p *Object) written(of flow.Target) {
	if p.Of != nil && p.Of.IsElsewhere(of) {
		p.missed()
	}
}

// missed notes that the object may have changed.
func (p *Object) missed() {
	p.behind = true
	p.updateSoon()
}

// owes reports whether the object has changed since it was read.
func (p *Object) owes() bool {
	return p.Of != nil && (p.loaded || p.o.env.Moment != nil) && (p.behind || p.newest > p.asOf)
}

// updateSoon reads a changed object after a short time, once for several changes. While the page is hidden it waits.
func (p *Object) updateSoon() {
	if p.updating || p.loading || !p.owes() || !p.o.shown() {
		return
	}
	p.updating = true
	generation := p.generation
	p.o.env.Do(page.Later{After: client.TableRest, Do: func() {
		if generation == p.generation {
			p.updating = false
			p.update()
		}
	}})
}

// update reads the object again if it has changed.
func (p *Object) update() {
	if !p.updating && !p.loading && p.owes() {
		p.load()
	}
}

// turn shows another tab.
func (p *Object) turn(by int) {
	p.Tab = (p.Tab + ObjectTab(by) + objectTabs) % objectTabs
	p.text.Top, p.owns.known = 0, false
	if p.Of != nil {
		p.loadTab()
	}
	p.o.env.Dirty = true
}

// clicked chooses a tab, or a version in History; x and y count from the pane's corner.
func (p *Object) clicked(x, y int) {
	at := 1
	for t := tabYAML; t < objectTabs && y == 0; t++ {
		n := len(p.Title(t))
		if x >= at && x < at+n {
			p.turn(int(t - p.Tab))
			return
		}
		at += n + 1
	}
	if h := &p.history; p.Tab == TabHistory {
		h.moved(h.cursor.Click(y - 3))
	}
}

// subject is the object's resource and name: "deployments/web @team".
func (p *Object) subject() string {
	s := p.Of.Name + "/" + p.key.Name
	if p.key.Namespace != "" && p.key.Namespace != "default" {
		s += " @" + p.key.Namespace
	}
	return s
}
