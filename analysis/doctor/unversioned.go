package doctor

import (
	"fmt"
	"math"
	"slices"

	"kubarium/analysis/conflict"
	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	// manyUnversioned is from how many updates without a version of one object on they are a warning: one may be meant, as
	// by kubectl replace.
	manyUnversioned = 3
	// rememberedWrites is how many writes are remembered, to find whose change an update undid, and rememberedBytes how
	// much of them.
	rememberedWrites = 2048
	rememberedBytes  = 16 << 20
)

// unversioned finds updates of existing objects that named no resourceVersion, and whose changes they overwrote.
type unversioned struct {
	tally[overwritten]
	known  *lineage.Log
	recent recentWrites
}

// overwritten is what the updates of a client did to an object.
type overwritten struct {
	lost     int      // updates that put back what another client had written
	fields   set      // what they put back
	replaced set      // fields of others that they gave another value
	whose    set      // the clients whose writes they overwrote
	lostSeqs []uint64 // each update that lost a change, and the write that it undid
}

func (u *unversioned) add(r *request) {
	if len(r.Effects) == 0 || r.lease() {
		return
	}
	if u.known == nil {
		clear(u.recent.of)
		u.known = lineage.New(u.recent.get)
	}
	if r.reported && unconditional(r) {
		u.judge(r)
	}
	u.recent.add(r.Flow)
	u.known.Note(r.Flow)
}

// unconditional reports whether a request replaced an object, or its status, without naming a version.
func unconditional(r *request) bool {
	whole := r.Target.Subresource == "" || r.Target.Subresource == "status" // others, such as scale, are single fields
	return r.accepted() && r.Target.Verb == "update" && whole && r.SentRevision == 0 && len(r.Effects) == 1 &&
		r.Effects[0].Before != nil && r.Effects[0].After != nil
}

// judge counts an update without a version, with what it overwrote.
func (u *unversioned) judge(r *request) {
	one := u.at(r.who(), r.ref)
	one.note(r)
	if c, met := conflict.Judge(r.Flow, u.known); met && c.Kind == conflict.SilentOverwrite {
		one.own.lost++
		for _, x := range c.Undone {
			one.own.fields.add(math.MaxInt, x.Path)
			u.blame(one, x.By)
		}
		one.own.lostSeqs = append(one.own.lostSeqs, r.Seq, c.Undone[0].By.Seq)
	}
	u.replaced(r, one)
}

// replaced notes the fields that others wrote since the client's own last write, and that the update gave other values.
func (u *unversioned) replaced(r *request, one *instance[overwritten]) {
	e := &r.Effects[0]
	var others []lineage.Writing
	for _, w := range u.known.Between(object.RefOf(e.Commit), 0, e.Commit.Revision-1) {
		if w.Flow.Client.Tag == r.Client.Tag || w.Effect.Commit.Type == flow.Deleted {
			break
		}
		others = append(others, w)
	}
	if len(others) == 0 {
		return
	}
	before, after := object.Leaves(object.Parse(e.Before)), object.Leaves(object.Parse(e.After))
	for path, by := range lineage.WritersOf(others) {
		if !object.Ignored(path) && before[path] != nil && !object.Same(before[path], after[path]) &&
			len(one.own.replaced) < maxRecords {
			one.own.replaced.add(maxRecords, path)
			u.blame(one, by)
		}
	}
}

// blame notes whose write was overwritten.
func (u *unversioned) blame(one *instance[overwritten], by lineage.Writer) {
	if f := u.recent.get(by.Seq); f != nil {
		one.own.whose.add(maxRecords, cut(f.Client.UserAgent))
	}
}

func (u *unversioned) report(*run) []Finding {
	return u.findings(func(one *instance[overwritten]) (Severity, string) {
		one.records = firstOf(one.own.lostSeqs, one.records)
		s := fmt.Sprintf("%s updated %s %s without a resourceVersion", one.who, nameOf(one.ref), times(one.count))
		switch n := &one.own; {
		case n.lost > 0:
			return Error, fmt.Sprintf("%s and %s put back what %s had written: %s.",
				s, times(n.lost), n.whose.first(3), n.fields.first(4))
		case len(n.replaced) > 0:
			return Warning, fmt.Sprintf("%s and replaced what %s had written: %s.", s, n.whose.first(3), n.replaced.first(4))
		}
		return warningFrom(manyUnversioned, one.count), s + "; no change of others is known to be lost."
	})
}

// firstOf puts the important records before the others, each once.
func firstOf(important, others []uint64) []uint64 {
	out := slices.Clone(important)
	for _, seq := range others {
		if !slices.Contains(important, seq) {
			out = append(out, seq)
		}
	}
	return out
}

// forget drops the writes: between them and the next ones others may be missing.
func (u *unversioned) forget() { u.known = nil }

// recentWrites are the newest writes, without what is not asked of them.
type recentWrites struct {
	of    ongoing[uint64, *flow.Flow]
	order []uint64
	bytes int
}

func (w *recentWrites) get(seq uint64) *flow.Flow { return w.of[seq] }

func (w *recentWrites) add(f *flow.Flow) {
	w.of.put(f.Seq, &flow.Flow{Seq: f.Seq, Client: f.Client, Target: f.Target, Effects: f.Effects})
	w.order = append(w.order, f.Seq)
	w.bytes += effectBytes(f)
	for len(w.order) > 1 && (len(w.order) > rememberedWrites || w.bytes > rememberedBytes) {
		if old := w.of[w.order[0]]; old != nil {
			w.bytes -= effectBytes(old)
		}
		delete(w.of, w.order[0])
		w.order = w.order[1:]
	}
}

func effectBytes(f *flow.Flow) (n int) {
	for i := range f.Effects {
		n += len(f.Effects[i].Before) + len(f.Effects[i].After)
	}
	return n
}
