package doctor

import "slices"

// lists are the objects and bytes of lists.
type lists struct {
	items int
	most  int // of one list
	bytes int64
}

// A listTally counts lists, except those that look like the waiting of a test. Whether one does shows only later.
type listTally struct {
	tally[lists]
	open map[*rhythm]*tally[lists] // of those that go on
}

// in is where to count a list of a rhythm.
func (t *listTally) in(h *rhythm) *tally[lists] {
	switch {
	case h == nil || h.over && !h.waits():
		return &t.tally
	case h.over:
		return &tally[lists]{}
	}
	part := t.open[h]
	if part == nil {
		part = &tally[lists]{}
		if t.open == nil {
			t.open = map[*rhythm]*tally[lists]{}
		}
		t.open[h] = part
		h.then = append(h.then, func() {
			delete(t.open, h)
			if !h.waits() {
				addLists(&t.tally, part)
			}
		})
	}
	return part
}

// sum is what is counted as of now.
func (t *listTally) sum() tally[lists] {
	out := t.copy()
	for h, part := range t.open {
		if !h.waits() {
			addLists(&out, part)
		}
	}
	return out
}

func addLists(to, part *tally[lists]) {
	for s, one := range part.of {
		all := to.at(s.who, s.ref)
		all.count += one.count
		all.requests += one.requests
		all.own.items += one.own.items
		all.own.most = max(all.own.most, one.own.most)
		all.own.bytes += one.own.bytes
		all.span(one.first, one.last)
		all.records = slices.Sorted(slices.Values(append(all.records, one.records...)))
		all.records = all.records[:min(len(all.records), maxRecords)]
	}
}

// countList counts a list that was in vain.
func countList(t *tally[lists], r *request) {
	one := t.at(r.who(), listRef(r))
	one.cost(r)
	one.own.items += r.Page.Items
	one.own.most = max(one.own.most, r.Page.Items)
	one.own.bytes += r.ResponseBody.Total
}
