package objects

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
	"kubarium/server/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Object is one object from six sides: what it says, who owns which of its fields, how it came to be so, whose it is
// and what is its own, who watches it, and what the database has of it.
type Object struct {
	o       *Page
	Of      *client.Resource
	key     client.Key
	Tab     ObjectTab
	body    []byte // the object as JSON, secrets masked unless they are to be seen
	meta    objectMeta
	loaded  bool
	gone    bool // it does not exist any more; body is what was last read
	err     error
	managed bool // managedFields are shown in the YAML

	text    term.Viewport // the lines of a tab other than History, as made for made
	words   string
	made    objectLines
	history history
	rows    storedRows
	owns    dependents

	generation int
	reads      int // counts the bodies, so that lines know theirs
	updating   bool
	unmasked   bool // whether body was read with its secrets
}

// objectLines is all that the lines of a tab depend on.
type objectLines struct {
	reads, width int
	tab          ObjectTab
	managed      bool
	words        string
	rows         int // answers about rows
	owns         int // answers about dependents
}

// An ObjectTab is one side of an object.
type ObjectTab int

const (
	tabYAML ObjectTab = iota
	TabFields
	TabHistory
	TabOwners
	TabWatched
	TabRows
	objectTabs
)

// String is the name of the tab.
func (t ObjectTab) String() string {
	return [...]string{"YAML", "Fields", "History", "Owners", "Watched by", "Rows"}[t]
}

// objectMeta is what the pane looks at of an object's metadata.
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

func (p *Object) Name() string { return strings.ToLower(p.Tab.String()) }

func (p *Object) Height() int {
	if p.Tab == TabHistory {
		return p.history.cursor.Height()
	}
	return p.text.Height()
}

// show opens another object; the same one is left as it is.
func (p *Object) show(r *client.Resource, k client.Key) {
	if p.Of != nil && r != nil && p.Of.ID() == r.ID() && p.key == k && p.unmasked == p.o.env.Unmasked {
		p.Of = r
		return
	}
	*p = Object{o: p.o, Of: r, key: k, Tab: p.Tab, managed: p.managed, generation: p.generation + 1, reads: p.reads,
		history: newHistory(p, p.history.since+1), rows: storedRows{asked: p.rows.asked + 1}, owns: dependents{asked: p.owns.asked + 1, came: p.owns.came}}
	if r != nil && r.Can("get") {
		p.load()
	}
}

// Reread forgets what was read and reads it again, because secrets are masked now, or are not.
func (p *Object) Reread() {
	if p.Of == nil || p.key.Name == "" {
		return
	}
	r, k := p.Of, p.key
	p.show(nil, client.Key{})
	p.show(r, k)
}

// load reads the object, and if it is looked at its history.
func (p *Object) load() {
	p.generation++
	generation, a, r, k := p.generation, p.o.env.API, *p.Of, p.key
	p.o.env.Do(page.Work{Run: func() func() {
		body, err := a.Get(r.Path(k.Namespace, k.Name), nil, client.JSON)
		return func() {
			if generation == p.generation {
				p.take(body, err)
			}
		}
	}})
	p.loadTab()
}

// loadTab asks for what the chosen tab shows beside the object.
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

// take is the answer of load.
func (p *Object) take(body []byte, err error) {
	p.loaded, p.err, p.gone = true, err, false
	var no *client.Refusal
	if errors.As(err, &no) && no.Code == 404 && p.body != nil {
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
	p.reads++
}

// masked hides what is secret in an object of this resource.
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
	if p.Of == nil || !p.loaded || c.Resource != p.Of.ID() || c.Namespace != p.key.Namespace || c.Name != p.key.Name || p.updating {
		return
	}
	p.updating = true
	of, k := p.Of.ID(), p.key
	p.o.env.Do(page.Later{After: client.TableRest, Do: func() {
		p.updating = false
		if p.Of != nil && p.Of.ID() == of && p.key == k {
			p.load()
		}
	}})
}

// turn goes to another tab.
func (p *Object) turn(by int) {
	p.Tab = (p.Tab + ObjectTab(by) + objectTabs) % objectTabs
	p.text.Top, p.owns.known = 0, false
	if p.Of != nil {
		p.loadTab()
	}
	p.o.env.Dirty = true
}

func (p *Object) Move(n int) {
	if p.Tab == TabHistory {
		p.history.Move(n)
		return
	}
	p.text.Move(n)
}

func (p *Object) End(bottom bool) {
	if p.Tab == TabHistory {
		p.history.End(bottom)
		return
	}
	p.text.End(bottom)
}

// clicked chooses a tab, or in History a version; x and y count from the pane's corner.
func (p *Object) clicked(x, y int) {
	at := 1
	for t := tabYAML; t < objectTabs && y == 0; t++ {
		n := len(t.String())
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

// subject is the object's name as its resource and it are written.
func (p *Object) subject() string {
	s := p.Of.Name + "/" + p.key.Name
	if p.key.Namespace != "" && p.key.Namespace != "default" {
		s += " @" + p.key.Namespace
	}
	return s
}
