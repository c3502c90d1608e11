package tui

import (
	"fmt"

	"kubarium/server/flow"
)

// effects shows each change that the request made: the revision, the object before and after, and who was told when.
func (in *inspector) effects(p *inspectorPage, f *flow.Flow) {
	if len(f.Effects) == 0 {
		in.noEffects(p, f)
		return
	}
	for i, e := range f.Effects {
		if i > 0 {
			p.blank()
		}
		c := e.Commit
		what := map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "updated", flow.Deleted: "deleted"}[c.Type]
		p.add(span{sBold, fmt.Sprintf("rv %d ", c.Revision)}, span{sPlain, what + " "}, span{sAccent, objectName(c)})
		p.more(diffLines(pretty(e.Before), pretty(e.After), p.w)...)
		in.told(p, c)
	}
}

func (in *inspector) noEffects(p *inspectorPage, f *flow.Flow) {
	if f.Conflict != nil {
		p.say(sPlain, fmt.Sprintf("Nothing was stored: %s.", f.Conflict.Kind))
		if len(f.Conflict.Object) > 0 {
			p.blank()
			p.title("From what was sent to what is stored")
			p.more(diffLines(pretty(f.RequestBody.Kept), pretty(f.Conflict.Object), p.w)...)
		}
		return
	}
	if writes(f.Target.Verb) && f.Status < 400 {
		p.say(sPlain, "The request was accepted, but the object was the same afterwards: no new version.")
		return
	}
	p.say(sPlain, "This request changed nothing in the store.")
}

// told lists the open watches that were sent the change, with the time from the commit to the socket.
func (in *inspector) told(p *inspectorPage, c flow.Commit) {
	for _, w := range in.u.streams.all {
		for _, fr := range w.Frames() {
			if fr.Revision != c.Revision || fr.Type == "BOOKMARK" {
				continue
			}
			late := "with the first objects"
			if !fr.Committed.IsZero() {
				late = ago(fr.Written.Sub(fr.Committed)) + " after the commit"
			}
			p.add(span{sOpen, "  ◉ "}, span{sAccent, pad(w.Client.Tag, 5)}, span{sPlain, fit(fmt.Sprintf("got %s %s", fr.Type, late), p.w-9)})
		}
	}
}
