package html

import (
	"kubarium/analysis/deletion"
	"kubarium/tui/label"
)

// deletes adds the deletions of the run, laid out by what they were because of.
func (b *builder) deletes() {
	log := deletion.NewLog()
	for _, f := range b.flows {
		log.Note(f)
	}
	for _, r := range log.Tree(func(*deletion.Deletion) bool { return true }) {
		d := Deletion{
			Depth: r.Depth, More: r.More, Object: label.Ref(r.Ref), Policy: r.Propagation.Policy, Began: *b.moment(r.Began),
			Gone: b.moment(r.Gone), Late: r.Late,
		}
		for _, h := range r.Holds {
			d.Holds = append(d.Holds, Hold{h.Name, b.moment(h.Removed)})
		}
		b.run.Deletes = append(b.run.Deletes, d)
	}
}

func (b *builder) moment(m deletion.Moment) *Moment {
	if m.Zero() {
		return nil
	}
	return &Moment{m.Revision, b.since(m.At), m.Seq, m.Who}
}
