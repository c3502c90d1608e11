package html

import (
	"fmt"
	"strings"

	"kubarium/analysis/conflict"
	"kubarium/analysis/guard"
	"kubarium/analysis/lineage"
	"kubarium/analysis/ownership"
	"kubarium/flow"
	"kubarium/flow/object"
)

// clashes adds the writes that met another one, and what a guard refused.
func (b *builder) clashes() {
	before := lineage.New(func(seq uint64) *flow.Flow { return b.byID[seq] })
	for _, f := range b.flows {
		if g, ok := guard.Refused(f); ok {
			b.run.Clashes = append(b.run.Clashes, Clash{Seq: f.Seq, Kind: g.Guard, Verdict: g.Why})
		} else if c, ok := conflict.Judge(f, before); ok {
			b.run.Clashes = append(b.run.Clashes, b.clash(&c, before))
		}
		before.Note(f)
	}
}

// clash is one of them with the versions that met, field by field.
func (b *builder) clash(c *conflict.Clash, before *lineage.Log) Clash {
	f := c.Flow
	out := Clash{Seq: f.Seq, Kind: c.Kind}
	switch {
	case c.Kind == conflict.SilentOverwrite:
		out.Columns = []string{"was", "is now"}
		for _, u := range c.Undone {
			out.Rows = append(out.Rows, ClashRow{Path: u.Path, Values: []int{b.any(u.Was), b.any(u.Now)}, By: u.By.Who, Seq: u.By.Seq, Mark: "lost"})
		}
		out.Verdict = conflict.Overwritten
	case c.HasOwners():
		b.owned(&out, f)
	case f.Conflict == nil:
		out.Verdict = f.Message
	case f.Conflict.Kind == flow.StaleRevision:
		ws := before.Between(object.RefOfTarget(f.Target), f.Conflict.Sent, f.Conflict.Stored)
		w := conflict.Compare(f, lineage.WritersOf(ws))
		out.Columns = []string{fmt.Sprintf("read at %d", f.Conflict.Sent), fmt.Sprintf("stored at %d", f.Conflict.Stored), "sent"}
		for i := range w.Rows {
			r := &w.Rows[i]
			out.Rows = append(out.Rows, ClashRow{Path: r.Path, Values: []int{b.any(r.Base), b.any(r.Stored), b.any(r.Sent)}, By: r.By.Who, Seq: r.By.Seq, Mark: mark(r)})
		}
		out.Verdict = w.Verdict(f.Conflict)
	case f.Conflict.Kind == flow.AlreadyExists:
		out.Columns = []string{"stored", "sent"}
		for _, r := range conflict.Differences(f) {
			out.Rows = append(out.Rows, ClashRow{Path: r.Path, Values: []int{b.any(r.Stored), b.any(r.Sent)}})
		}
		out.Verdict = f.Message
	default:
		out.Columns = []string{"stored", "sent"}
		out.Rows = []ClashRow{{Path: "metadata.uid", Values: []int{b.any(f.Conflict.StoredUID), b.any(f.Conflict.SentUID)}}}
		out.Verdict = f.Message
	}
	return out
}

// owned adds the fields that an apply asked for and another manager owns.
func (b *builder) owned(out *Clash, f *flow.Flow) {
	stored := []byte(nil)
	if f.Conflict != nil {
		stored, out.Verdict = f.Conflict.Object, f.Message
	} else {
		stored, out.Verdict = f.Effects[0].Before, "the apply took these fields over by force"
	}
	m := ownership.MakeMatrix(f, object.Parse(stored))
	out.Columns = []string{"stored", "asked for"}
	for i := range m.Rows {
		r := &m.Rows[i]
		if r.What != ownership.Clashes {
			continue
		}
		var owners []string
		for n, owns := range r.Owns {
			if owns {
				owners = append(owners, m.Owners[n].Name)
			}
		}
		out.Rows = append(out.Rows, ClashRow{Path: r.Path, Values: []int{b.any(r.Stored), b.any(r.Wants)}, By: strings.Join(owners, ", "), Mark: "both"})
	}
	if len(out.Rows) == 0 && f.Conflict != nil {
		for _, c := range f.Conflict.Causes {
			out.Rows = append(out.Rows, ClashRow{Path: strings.TrimPrefix(c.Field, "."), Values: []int{-1, -1}, By: c.Message, Mark: "both"})
		}
	}
}

// any is the number of a value, -1 for none.
func (b *builder) any(v any) int {
	if v == nil {
		return -1
	}
	return b.Any(v)
}

// mark says what happened to a field, the gravest first.
func mark(r *conflict.Row) string {
	switch {
	case r.Both():
		return "both"
	case r.Lost():
		return "lost"
	case r.Asked:
		return "asked"
	}
	return "moved"
}
