package tui

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/server/flow/redact"
)

// versionDetail tells of the chosen version: whose it is, what it means to ask for its number, and what it changed.
type versionDetail struct {
	v *versions
	viewport
	read  map[int64]*recalledChange // changes that no held request tells, as read back
	asked int                       // counts the wishes to read one, so that only the last is fulfilled
}

func (d *versionDetail) name() string { return "version" }

func (d *versionDetail) drawIn(c *canvas, r rect) {
	d.lines = d.build(r.w - 2)
	d.draw(c, r.inset(1), r)
}

func (d *versionDetail) build(w int) []line {
	v := d.v
	c := v.chosen()
	if c == nil {
		return nil
	}
	p := &inspectorPage{w: w}
	f := v.u.maker(c.Revision)
	d.origin(p, *c, f)
	p.blank()
	d.meanings(p, *c)
	p.blank()
	d.change(p, *c, f)
	return p.lines
}

// origin says who made the version and when.
func (d *versionDetail) origin(p *inspectorPage, c flow.Commit, f *flow.Flow) {
	what := map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "changed", flow.Deleted: "deleted"}[c.Type]
	by := []span{{sPlain, "by a request that is not held any more"}}
	switch {
	case c.Revision <= d.v.u.time.before && !c.Outside:
		by = []span{{sPlain, "before the UI began"}}
	case c.Outside:
		by = []span{{sWarn, "from outside, with SQL and without a request"}}
	case f != nil:
		by = []span{{sPlain, "by "}, {sAccent, f.Client.Tag}, {sPlain, fmt.Sprintf(", %s, request #%d", f.Target.Verb, f.Seq)}}
	}
	l := line{{sNum, c.At.Format("15:04:05.000")}, {sPlain, "  "}, {sAccent, objectName(c)}, {sPlain, " " + what + " "}}
	p.more(fitLine(append(l, by...), p.w))
}

// A meaning is what a request with the chosen number would be answered.
type meaning struct{ ask, answer string }

// meanings says what the number means in get, list, watch and update, and what each would be answered now.
func (d *versionDetail) meanings(p *inspectorPage, c flow.Commit) {
	rv := revision(c.Revision)
	const width = 34
	p.add(span{sHead, pad(fit("resourceVersion="+rv+" in", min(width, p.w/2)), min(width, p.w/2))}, span{sHead, " is answered now"})
	for _, m := range d.meaningsOf(c) {
		p.field(m.ask, min(width, p.w/2), sPlain, m.answer)
	}
}

func (d *versionDetail) meaningsOf(c flow.Commit) []meaning {
	u := d.v.u
	newer := 0 // commits of the same resource
	latest := c
	for _, x := range u.time.commits {
		if x.Resource != c.Resource || x.Revision <= c.Revision {
			continue
		}
		newer++
		if x.Namespace == c.Namespace && x.Name == c.Name {
			latest = x
		}
	}
	exact := fmt.Sprintf("all %s as they were then", resourceOf(c))
	watch := fmt.Sprintf("every change after it: %s of %s so far", plural(newer, "change"), resourceOf(c))
	if c.Revision < u.time.compacted {
		exact = fmt.Sprintf("410 Expired: it is older than what was compacted, rv %d", u.time.compacted)
		watch = "an ERROR event, 410 Expired: what comes after it is compacted; the client lists again"
	}
	update := "stored: it is the newest version of the object"
	switch {
	case latest.Type == flow.Deleted && latest.Revision == c.Revision:
		update = "404: with it the object was removed"
	case latest.Type == flow.Deleted:
		update = fmt.Sprintf("404: the object was removed at rv %d", latest.Revision)
	case latest.Revision != c.Revision:
		update = fmt.Sprintf("409 Conflict: the object is at rv %d now", latest.Revision)
	}
	return []meaning{
		{"get", "the object as it is, from any copy that is not older than this"},
		{"list, without a limit", "any snapshot that is not older than this"},
		{"list, resourceVersionMatch=Exact", exact},
		{"watch", watch},
		{"update, in metadata of the body", update},
	}
}

// change shows what the version changed of its object, secrets masked.
func (d *versionDetail) change(p *inspectorPage, c flow.Commit, f *flow.Flow) {
	if f == nil {
		d.recalledChange(p, c)
		return
	}
	if !d.v.u.unmasked {
		f = redact.Flow(f)
	}
	for _, e := range f.Effects {
		if e.Commit.Revision != c.Revision {
			continue
		}
		p.add(span{sHead, "what it changed"})
		p.more(diffLines(yamlText(e.Before), yamlText(e.After), p.w)...)
	}
}

// recalledChange shows what was read back of the version.
func (d *versionDetail) recalledChange(p *inspectorPage, c flow.Commit) {
	r := d.read[c.Revision]
	switch {
	case r == nil:
		p.add(span{sDim, "asking the store what it changed …"})
	case r.err != nil:
		p.say(sErr, "✗ what it changed could not be read: "+r.err.Error())
	case r.none:
		p.add(span{sDim, "What it changed is compacted; "}, span{sKey, "o"}, span{sDim, " shows the object and what is left of its history."})
	case r.alone:
		p.add(span{sHead, "the object"}, span{sDim, "; the version before it is compacted, so nobody can tell what changed"})
		p.more(yamlLines(joined(yamlText(r.after)), p.w)...)
	default:
		p.add(span{sHead, "what it changed"}, span{sDim, ", read back by the UI itself (who:ui)"})
		p.more(diffLines(yamlText(r.before), yamlText(r.after), p.w)...)
	}
}

func (d *versionDetail) legend() []string {
	return []string{
		"The chosen version: whose request made it, what a client that names its number would be answered at this moment, and what differs from the version before.",
		"In get and list the number is a lower bound, unless resourceVersionMatch=Exact asks for the collection as it was; a watch begins after it; in an update it is the client's condition that nobody wrote meanwhile.",
		"enter shows the request, o the object with its history.",
	}
}
