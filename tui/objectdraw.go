package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// draw shows the tabs and the lines of the chosen one.
func (p *objectPane) draw(c *canvas, r rect, focused bool) {
	x := 1
	for t := tabYAML; t < objectTabs; t++ {
		x = c.put(r, x, 0, pick(t == p.tab, sTab, sPlain), t.String()) + 1
	}
	if p.of != nil && p.loaded && p.err == nil {
		c.line(r, x+1, 0, fitLine(p.standing(), r.w-x-2))
	}
	body := rect{r.x + 1, r.y + 2, r.w - 2, max(0, r.h-2)}
	if p.drawNothing(c, body) {
		return
	}
	if p.tab == tabHistory {
		p.history.draw(c, body, focused)
		return
	}
	p.build(body.w)
	p.tall = body.h
	p.top = max(0, min(p.top, len(p.lines)-body.h))
	for y := 0; y < body.h && p.top+y < len(p.lines); y++ {
		c.line(body, 0, y, p.lines[p.top+y])
	}
	if rest := len(p.lines) - p.top - body.h; rest > 0 {
		c.right(r, r.w, r.h-1, sDim, fmt.Sprintf(" %d more ▼", rest))
	}
}

// standing says in a line which version this is, and whether the object is going.
func (p *objectPane) standing() line {
	var l line
	if p.meta.ResourceVersion != "" {
		l = line{{sDim, "rv "}, {sBold, p.meta.ResourceVersion}}
	}
	if p.meta.Generation > 0 {
		l = append(l, span{sDim, fmt.Sprintf("  generation %d", p.meta.Generation)})
	}
	switch {
	case p.gone:
		l = append(l, span{sWarn, "  ✗ deleted; this is what was last read"})
	case p.meta.DeletionTimestamp != nil:
		age := ago(p.o.u.now().Sub(*p.meta.DeletionTimestamp))
		l = append(line{{sWarn, "◌ " + heldText(p.meta.Finalizers) + ", since " + age + "  "}}, l...)
	}
	return l
}

func (p *objectPane) drawNothing(c *canvas, r rect) bool {
	var say []line
	switch {
	case p.of == nil || p.key.name == "":
		say = []line{text(sDim, "Select an object to see it.")}
	case p.err != nil && p.tab != tabHistory && p.tab != tabRows:
		say = append(wrapLines(sErr, "✗ "+p.err.Error(), r.w-2), line{{sKey, "u"}, {sPlain, " asks again"}})
	case !p.loaded:
		say = []line{text(sDim, "asking for the object …")}
	default:
		return false
	}
	for y, s := range say {
		c.line(r, 1, y, fitLine(s, r.w-2))
	}
	return true
}

// build makes the lines of a tab other than History, unless they are still right.
func (p *objectPane) build(w int) {
	now := objectLines{reads: p.reads, width: w, tab: p.tab, managed: p.managed, words: p.words, rows: p.rows.came, owns: p.owns.came}
	if now == p.made && p.lines != nil && p.tab != tabWatched {
		return
	}
	p.made = now
	switch p.tab {
	case tabFields:
		p.lines = p.fieldLines(w)
		return
	case tabOwners:
		p.lines = p.ownerLines(w)
		return
	case tabWatched:
		p.lines = p.watcherLines(w)
		return
	case tabRows:
		p.lines = p.rowLines(w)
		return
	}
	p.lines = withWords(yamlLines(clip(p.yaml()), w), p.words)
	if !p.managed && len(p.meta.ManagedFields) > 0 && p.words == "" {
		p.lines = append(p.lines, nil, fitLine(line{{sDim, "managedFields of " + plural(len(p.meta.ManagedFields), "manager") + " are left out as kubectl does; "}, {sKey, "o"}, {sDim, " shows them"}}, w))
	}
}

// withWords are those of the lines that have all the words.
func withWords(ls []line, words string) []line {
	if words == "" {
		return ls
	}
	var out []line
	for _, l := range ls {
		if hasWords(words, l.String()) {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return []line{text(sDim, fmt.Sprintf("no line has %q", words))}
	}
	return out
}

// yaml is the object as kubectl get -o yaml writes it.
func (p *objectPane) yaml() []byte {
	body := p.body
	if !p.managed {
		body = without(body, "managedFields")
	}
	y, err := yaml.JSONToYAML(body)
	if err != nil {
		return body
	}
	return y
}

// without is a JSON object without some fields of its metadata; what is no such object stays as it is.
func without(body []byte, fields ...string) []byte {
	return withMetadata(body, func(meta map[string]json.RawMessage) {
		for _, f := range fields {
			delete(meta, f)
		}
	})
}

// yamlText is an object's YAML line by line, without what differs between any two versions of it.
func yamlText(stored []byte) []string {
	if len(stored) == 0 {
		return nil
	}
	var o map[string]any
	if json.Unmarshal(without(stored, "managedFields", "resourceVersion"), &o) != nil {
		return pretty(stored)
	}
	delete(o, "kind") // the items of a list name neither
	delete(o, "apiVersion")
	y, err := yaml.Marshal(o)
	if err != nil {
		return pretty(stored)
	}
	return strings.Split(strings.TrimRight(string(y), "\n"), "\n")
}
