package tui

import (
	"kubarium/server/flow"
	"kubarium/server/flow/filter"
	"kubarium/tui/feed"
)

// inline is the number of records up to which a filter runs on the loop at once.
const inline = 2000

// search shows what m lets through; nil is everything. Large logs are searched off the loop, meanwhile the list stays
// as it was.
func (t *traffic) search(m *filter.Filter) {
	t.generation++
	generation, upTo := t.generation, t.u.seq
	held, _ := t.u.log.Since(0, 0)
	d := t.u.feed
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
	if len(held) <= inline {
		find()()
		return
	}
	d.Match = old
	t.u.do(workEffect{func() func() {
		done := find()
		return func() {
			if generation == t.generation {
				d.Match = m
			}
			done()
		}
	}})
}

// passing is what of the log passes a filter.
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
func (t *traffic) replace(generation int, upTo uint64, found passing) {
	if generation != t.generation {
		return
	}
	later, _ := t.u.log.Since(upTo, 0)
	for _, f := range later {
		if f.Seq > t.u.seq {
			break
		}
		found.add(t.u.feed, f)
	}
	t.passed, t.hidden, t.newer = found.shown, found.hidden, 0
	t.u.refiltered()
	if t.sort != byTime {
		t.resort()
	} else {
		t.arrange()
	}
	if i := t.find(t.u.sel); i >= 0 && !t.u.follow {
		t.cursor = i
		return
	}
	t.cursor = max(0, len(t.rows)-1)
	if len(t.rows) > 0 {
		t.u.selectFlow(t.rows[t.cursor])
	} else {
		t.u.selectFlow(nil)
	}
}
