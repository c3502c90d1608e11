package inspect

import (
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// effects shows each change of the request: the revision, the object before and after, and which watches got it when.
func (in *Inspector) effects(p *term.Column, f *flow.Flow) {
	if len(f.Effects) == 0 {
		in.noEffects(p, f)
		return
	}
	for i, e := range f.Effects {
		if i > 0 {
			p.Blank()
		}
		c := e.Commit
		what := map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "updated",
			flow.Deleted: "deleted"}[c.Type]
		p.Add(term.Bold.Of(fmt.Sprintf("rv %d ", c.Revision)), term.Plain.Of(what+" "), term.Accent.Of(label.Object(c)))
		in.change(p, e)
		in.receivers(p, c)
	}
}

// change shows what an effect changed, and all of it if a lesson points at what is left out else.
func (in *Inspector) change(p *term.Column, e flow.Effect) {
	from := len(p.Lines)
	lines := func(whole bool) []term.Line {
		return append(p.Lines[:from:from], body.Changes(e.Before, e.After, body.Pretty, whole, p.W)...)
	}
	p.Lines = lines(in.made.whole)
	if !in.seeksChange() || in.placeChange(p, from, e.Before, e.After) || in.made.whole {
		return
	}
	quiet := p.Lines
	if p.Lines = lines(true); !in.placeChange(p, from, e.Before, e.After) {
		p.Lines = quiet
	}
}

func (in *Inspector) noEffects(p *term.Column, f *flow.Flow) {
	if f.Conflict != nil {
		in.unstored(p, f)
		return
	}
	if strings.Contains(f.Query, "dryRun=All") && f.Status < 400 {
		p.Say(term.Plain, "This was a dry run: nothing was written.")
		return
	}
	if feed.Writes(f.Target.Verb) && f.Status < 400 {
		p.Say(term.Plain, "The request was accepted, but the object was the same afterwards: no new version.")
		return
	}
	p.Say(term.Plain, "This request changed nothing in the store.")
}

// receivers lists the open watches that were sent the change, with the time from the commit to the socket.
func (in *Inspector) receivers(p *term.Column, c flow.Commit) {
	for _, w := range in.env.Streams.All {
		for _, fr := range w.Frames() {
			if fr.Revision != c.Revision || fr.Type == "BOOKMARK" {
				continue
			}
			late := "with the first objects"
			if !fr.Committed.IsZero() {
				late = term.Ago(fr.Written.Sub(fr.Committed)) + " after the commit"
			}
			p.Add(term.Open.Of("  ◉ "), term.Accent.Of(term.Pad(w.Client.Tag, 4)+" "),
				term.Plain.Of(term.Fit(fmt.Sprintf("got %s %s", fr.Type, late), p.W-9)))
		}
	}
}
