package versions

import (
	"fmt"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/body"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// versionDetail describes the selected version: whose it is, what it means to ask for its number, and what it changed.
type versionDetail struct {
	v *Page
	term.Viewport
	read  map[int64]*client.Change // changes that no held request has, as read back
	asked int                      // counts the requests to read one, so that only the last is sent
}

func (d *versionDetail) Name() string { return "version" }

func (d *versionDetail) drawIn(c *term.Canvas, r term.Rect) {
	d.Lines = d.build(r.W - 2)
	d.Draw(c, r.Inset(1), r)
}

func (d *versionDetail) build(w int) []term.Line {
	v := d.v
	c := v.Chosen()
	if c == nil {
		return nil
	}
	p := &term.Column{W: w}
	f := v.env.Maker(c.Revision)
	d.origin(p, *c, f)
	p.Blank()
	d.meanings(p, *c)
	p.Blank()
	d.change(p, *c, f)
	return p.Lines
}

// origin says who made the version and when.
func (d *versionDetail) origin(p *term.Column, c flow.Commit, f *flow.Flow) {
	what := map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "changed", flow.Deleted: "deleted"}[c.Type]
	by := []term.Span{term.Plain.Of("by a request that is no longer kept")}
	switch {
	case c.Revision <= d.v.env.Time.Before && !c.Outside:
		by = []term.Span{term.Plain.Of("before the UI began")}
	case c.Outside:
		by = []term.Span{term.Warn.Of(d.v.env.Store().XOrigin)}
	case f != nil:
		by = []term.Span{term.Plain.Of("by "), term.Accent.Of(f.Client.Tag), term.Plain.Of(fmt.Sprintf(", %s, request #%d", f.Target.Verb, f.Seq))}
	}
	l := term.Line{term.Num.Of(c.At.Format("15:04:05.000")), term.Plain.Of("  "), term.Accent.Of(label.Object(c)), term.Plain.Of(" " + what + " ")}
	p.More(term.FitLine(append(l, by...), p.W))
}

// A meaning is the answer to a request with the selected number.
type meaning struct{ ask, answer string }

// meanings says what the number means in get, list, watch and update, and how each would be answered now.
func (d *versionDetail) meanings(p *term.Column, c flow.Commit) {
	rv := label.Revision(c.Revision)
	const width = 34
	p.Add(term.Head.Of(term.Pad(term.Fit("resourceVersion="+rv+" in", min(width, p.W/2)), min(width, p.W/2))), term.Head.Of(term.Pick(d.v.env.Past(), " was answered "+d.v.env.Then(), " is answered now")))
	for _, m := range d.meaningsOf(c) {
		if p.W/2 < width {
			m.ask = label.Shorter.Replace(m.ask)
		}
		p.Field(m.ask, min(width, p.W/2), term.Plain, m.answer)
	}
}

func (d *versionDetail) meaningsOf(c flow.Commit) []meaning {
	u := d.v.env
	newer := 0 // commits of the same resource
	latest := c
	for _, x := range u.Time.Commits {
		if x.Resource != c.Resource || x.Revision <= c.Revision {
			continue
		}
		newer++
		if x.Namespace == c.Namespace && x.Name == c.Name {
			latest = x
		}
	}
	exact := fmt.Sprintf("all %s as they were then", label.Resource(c))
	watch := fmt.Sprintf("every change after it: %s of %s so far", term.Plural(newer, "change"), label.Resource(c))
	if c.Revision < u.Time.Compacted {
		exact = fmt.Sprintf("410 Expired: it is older than what was compacted, rv %d", u.Time.Compacted)
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
func (d *versionDetail) change(p *term.Column, c flow.Commit, f *flow.Flow) {
	if f == nil {
		d.recalledChange(p, c)
		return
	}
	if !d.v.env.Unmasked {
		f = redact.Flow(f)
	}
	for _, e := range f.Effects {
		if e.Commit.Revision != c.Revision {
			continue
		}
		p.Add(term.Head.Of("what it changed"))
		p.More(body.Diff(body.ObjectText(e.Before), body.ObjectText(e.After), p.W)...)
	}
}

// recalledChange shows what was read back of the version.
func (d *versionDetail) recalledChange(p *term.Column, c flow.Commit) {
	r := d.read[c.Revision]
	switch {
	case r == nil:
		p.Add(term.Dim.Of("asking the store what it changed …"))
	case r.Err != nil:
		p.Say(term.Err, "✗ what it changed could not be read: "+r.Err.Error())
	case r.None:
		p.Add(term.Dim.Of("Its change is compacted; "), term.Key.Of("o"),
			term.Dim.Of(" shows the object and the rest of its history."))
	case r.Alone:
		p.Add(term.Head.Of("the object"), term.Dim.Of("; the version before it is compacted, so it is unknown what changed"))
		p.More(body.YAMLLines(body.Joined(body.ObjectText(r.After)), p.W)...)
	default:
		p.Add(term.Head.Of("what it changed"), term.Dim.Of(", read back by the UI itself (who:ui)"))
		p.More(body.Diff(body.ObjectText(r.Before), body.ObjectText(r.After), p.W)...)
	}
}

func (d *versionDetail) Legend() []string {
	return []string{
		"The chosen version: whose request made it, what a client that names its number would be answered at this " +
			"moment, and what differs from the version before.",
		"In get and list the number is a lower bound, unless resourceVersionMatch=Exact asks for the collection as " +
			"it was; a watch begins after it; in an update it is the client's condition that no other write came in " +
			"between.",
		"enter shows the request, o the object with its history.",
	}
}
