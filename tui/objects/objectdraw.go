package objects

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/tui/body"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// draw draws the tabs and the present one.
func (p *Object) draw(c *term.Canvas, r term.Rect, focused bool) {
	x := 1
	for t := tabYAML; t < objectTabs; t++ {
		x = c.Put(r, x, 0, term.Pick(t == p.Tab, term.Tab, term.Plain), p.Title(t)) + 1
	}
	if p.Of != nil && p.loaded && p.err == nil {
		c.Line(r, x+1, 0, term.FitLine(p.standing(), r.W-x-2))
	}
	body := term.Rect{X: r.X + 1, Y: r.Y + 2, W: r.W - 2, H: max(0, r.H-2)}
	if p.drawNothing(c, body) {
		return
	}
	if p.Tab == TabHistory {
		p.history.draw(c, body, focused)
		return
	}
	p.build(body.W)
	to := p.o.env.Point
	to.Lead(&p.text, p.pointed, body.H)
	p.text.Draw(c, body, r)
	if y := p.pointed - p.text.Top; p.pointed >= 0 && y < body.H {
		to.Mark(c, body, y, strings.TrimSpace(p.text.Lines[p.pointed].String()))
	}
}

// standing describes the shown version, and whether the object is being deleted.
func (p *Object) standing() term.Line {
	var l term.Line
	if p.meta.ResourceVersion != "" {
		l = term.Line{term.Dim.Of("rv "), term.Bold.Of(p.meta.ResourceVersion)}
	}
	if p.meta.Generation > 0 {
		l = append(l, term.Dim.Of(fmt.Sprintf("  generation %d", p.meta.Generation)))
	}
	switch {
	case p.gone:
		l = term.Line{term.Warn.Of("✗ deleted; last read at rv " + p.meta.ResourceVersion)}
	case p.meta.DeletionTimestamp != nil:
		age := term.Ago(p.o.env.Now().Sub(*p.meta.DeletionTimestamp))
		l = append(term.Line{term.Warn.Of("◌ " + heldText(p.meta.Finalizers) + ", since " + age + "  ")}, l...)
	}
	return l
}

func (p *Object) drawNothing(c *term.Canvas, r term.Rect) bool {
	var say []term.Line
	switch {
	case p.Of == nil || p.key.Name == "":
		say = []term.Line{term.Text(term.Dim, "Select an object to see it.")}
	case p.err != nil && p.Tab != TabHistory && p.Tab != TabRows:
		say = append(term.WrapLines(term.Err, "✗ "+p.err.Error(), r.W-2),
			term.Line{term.Key.Of("u"), term.Plain.Of(" asks again")})
	case !p.loaded:
		say = []term.Line{term.Text(term.Dim, "asking for the object …")}
	default:
		return false
	}
	for y, s := range say {
		c.Line(r, 1, y, term.FitLine(s, r.W-2))
	}
	return true
}

// build makes the lines of a tab other than History, unless they are up to date.
func (p *Object) build(w int) {
	now := objectLines{
		point: p.o.env.Point, reads: p.reads, width: w, tab: p.Tab, managed: p.managed, words: p.words, rows: p.rows.came, owns: p.owns.came,
	}
	if p.Tab == TabOwners && ofWorkloads[p.Of.ID()] {
		now.head = p.o.env.Time.Head
	}
	if now == p.made && p.text.Lines != nil && p.Tab != TabWatched {
		return
	}
	p.made = now
	switch p.Tab {
	case TabFields:
		p.text.Lines = p.fieldLines(w)
	case TabOwners:
		p.text.Lines = p.ownerLines(w)
	case TabWatched:
		p.text.Lines = p.watcherLines(w)
	case TabRows:
		p.text.Lines = p.rowLines(w)
	default:
		p.text.Lines = p.yamlLines(w)
	}
	p.pointed = p.pointedLine()
}

// pointedLine is the line that a lesson points at, -1 for none.
func (p *Object) pointedLine() int {
	to := p.o.env.Point
	if to == nil || to.Path == "" || p.Tab != tabYAML {
		return to.LineOf(p.text.Lines)
	}
	at, ok := body.Find(p.yaml(), body.YAML, to.Path)
	if !ok || at.Line >= len(p.text.Lines) || p.words != "" {
		return -1
	}
	to.Value = at.Value
	return at.Line
}

// yamlLines are the object as YAML.
func (p *Object) yamlLines(w int) []term.Line {
	lines := withWords(body.YAMLLines(body.Clip(p.yaml()), w), p.words)
	if !p.managed && len(p.meta.ManagedFields) > 0 && p.words == "" {
		note := "managedFields of " + term.Plural(len(p.meta.ManagedFields), "manager") +
			" are left out as kubectl does; "
		line := term.Line{term.Dim.Of(note), term.Key.Of("o"), term.Dim.Of(" shows them")}
		lines = append(lines, nil, term.FitLine(line, w))
	}
	return lines
}

// withWords returns the lines that have all words.
func withWords(ls []term.Line, words string) []term.Line {
	if words == "" {
		return ls
	}
	var out []term.Line
	for _, l := range ls {
		if label.HasWords(words, l.String()) {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return []term.Line{term.Text(term.Dim, fmt.Sprintf("no line has %q", words))}
	}
	return out
}

// yaml returns the object as kubectl get -o yaml prints it.
func (p *Object) yaml() []byte {
	stored := p.body
	if !p.managed {
		stored = body.Without(stored, "managedFields")
	}
	y, err := yaml.JSONToYAML(stored)
	if err != nil {
		return stored
	}
	return y
}
