package traffic

import (
	"slices"
	"sort"

	"kubarium/flow"
)

// ended has the watches that ended. A watch has one row: that of its opening, until that of its closing takes its
// place.
type ended struct {
	closings map[*flow.Watch]*flow.Flow // that are listed
	openings []uint64                   // Seq of those that closings took the place of
	oldest   uint64                     // Seq of the oldest record that is held
}

// fold takes the openings away whose closings are among the records from the from-th on.
func (e *ended) fold(all []*flow.Flow, from int) []*flow.Flow {
	found := false
	for _, f := range all[from:] {
		if f.Phase != flow.WatchClosed || f.Watch == nil {
			continue
		}
		if e.closings == nil {
			e.closings = map[*flow.Watch]*flow.Flow{}
		}
		e.closings[f.Watch], found = f, true
	}
	if !found {
		return all
	}
	return slices.DeleteFunc(all, func(f *flow.Flow) bool {
		gone := f.Phase == flow.WatchOpened && e.closings[f.Watch] != nil
		if gone {
			e.openings = append(e.openings, f.Seq)
		}
		return gone
	})
}

// trim forgets what the log has let go of: what is older than a record.
func (e *ended) trim(oldest uint64) {
	if oldest == e.oldest {
		return
	}
	e.oldest = oldest
	e.openings = e.openings[sort.Search(len(e.openings), func(i int) bool { return e.openings[i] >= oldest }):]
	for w, f := range e.closings {
		if f.Seq < oldest {
			delete(e.closings, w)
		}
	}
}

// listed is the record in whose row a record is listed: the closing of a watch for its opening.
func (t *Page) listed(f *flow.Flow) *flow.Flow {
	if f != nil && f.Phase == flow.WatchOpened && t.ended.closings[f.Watch] != nil {
		return t.ended.closings[f.Watch]
	}
	return f
}
