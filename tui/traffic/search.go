package traffic

import (
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/tui/feed"
	"kubarium/tui/page"
)

// Inline is the number of records up to which a filter runs on the loop at once.
const Inline = 2000

// Search shows what m lets through; nil is everything. Large logs are searched off the loop, during which the list
// stays as it was.
func (t *Page) Search(m *filter.Filter) {
	t.generation++
	generation, upTo := t.generation, t.env.Seq
	held, _ := t.env.Log.Since(0, 0)
	d := t.env.Feed
	old := d.Match
	d.Match = m
	probe := &feed.Feed{Match: m, Own: d.Own}
	find := func() func() {
		found := passing{}
		for _, f := range held {
			if f.Seq > upTo {
				break
			}
			found.add(probe, f)
		}
		return func() { t.replace(generation, upTo, found) }
	}
	if len(held) <= Inline {
		find()()
		return
	}
	d.Match = old
	t.env.Do(page.Work{Run: func() func() {
		done := find()
		return func() {
			if generation == t.generation {
				d.Match = m
			}
			done()
		}
	}})
}

// passing are the flows of the log that pass a filter.
type passing struct {
	shown  []*flow.Flow
	hidden []uint64
}

func (p *passing) add(d *feed.Feed, f *flow.Flow) {
	switch d.Verdict(f) {
	case feed.Shows:
		p.shown = append(p.shown, f)
	case feed.Hides:
		p.hidden = append(p.hidden, f.Seq)
	}
}

// replace takes the answer of a search: what passes up to a record, to which those folded since then are added.
func (t *Page) replace(generation int, upTo uint64, found passing) {
	if generation != t.generation {
		return
	}
	later, _ := t.env.Log.Since(upTo, 0)
	for _, f := range later {
		if f.Seq > t.env.Seq {
			break
		}
		found.add(t.env.Feed, f)
	}
	t.ended, t.gone, t.yielded = ended{}, 0, 0
	t.Passed, t.hidden, t.newer = t.ended.fold(found.shown, 0), found.hidden, 0
	if t.env.Sel != nil {
		t.env.SelectFlow(t.listed(t.env.Sel))
	}
	t.env.Refiltered()
	t.resort()
	if t.Find(t.env.Sel) >= 0 && !t.env.Follow {
		return
	}
	t.toNewest()
	if len(t.Rows) == 0 {
		t.env.SelectFlow(nil)
	}
}
