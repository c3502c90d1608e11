package doctor

import (
	"fmt"
	"slices"
	"time"

	"kubarium/analysis/relist"
	"kubarium/flow"
)

const (
	// longWatch is from when on a watch is long-lived: servers send a bookmark about once a minute.
	longWatch = time.Minute
	// manyResumes is from how many watches of the same collection on it is resumed repeatedly.
	manyResumes = 3
)

// unmarkedWatches finds long-lived or resumed watches that asked for no bookmarks.
type unmarkedWatches struct {
	tally  tally[unmarked]
	opened map[collection]*resumes
}

// unmarked is what is told of a case.
type unmarked struct {
	resumed int // times that one went on behind another one
	expired int // that met a 410
	longest time.Duration
}

// resumes are the watches of a client of one collection.
type resumes struct {
	open  map[uint64]*request // by the watch's ID
	ended bool                // whether one was open before
}

func (w *unmarkedWatches) add(r *request) {
	if listed(r) { // what is watched after it begins anew, and is not resumed
		if of := w.opened[collectionOf(r)]; of != nil {
			of.ended = false
		}
		return
	}
	if r.Target.Verb != "watch" || r.Watch == nil || r.Phase == flow.Whole || r.param("allowWatchBookmarks") == "true" || r.param("allowWatchBookmarks") == "1" {
		return
	}
	k := collectionOf(r)
	of := w.opened[k]
	if of == nil {
		if w.opened == nil {
			w.opened = map[collection]*resumes{}
		}
		bounded(w.opened)
		of = &resumes{open: map[uint64]*request{}}
		w.opened[k] = of
	}
	if r.Phase == flow.WatchOpened {
		if r.reported && of.ended && r.Watch.Start > 0 {
			w.tally.at(r.who(), listRef(r)).own.resumed++
		}
		if len(of.open) < maxRecords {
			of.open[r.Watch.ID] = light(r)
		}
		return
	}
	delete(of.open, r.Watch.ID)
	of.ended = true
	if r.reported {
		one := w.tally.at(r.who(), listRef(r))
		one.note(r)
		one.own.longest = max(one.own.longest, r.Duration)
		if relist.Expired(r.Watch.State()) {
			one.own.expired++
		}
	}
}

func (w *unmarkedWatches) report(of *run) (out []Finding) {
	sum := tally[unmarked]{of: map[subject]*instance[unmarked]{}}
	for s, one := range w.tally.of {
		kept := *one
		kept.records = append([]uint64{}, one.records...)
		sum.of[s] = &kept
	}
	for _, watches := range w.opened { // those that are still open
		for _, r := range watches.open {
			if r.reported {
				one := sum.at(r.who(), listRef(r))
				one.note(r)
				one.own.longest = max(one.own.longest, of.now.Sub(r.Start))
			}
		}
	}
	for _, one := range sum.all() {
		slices.Sort(one.records)
		severity := Note
		switch {
		case one.own.expired > 0:
			severity = Warning
		case one.own.resumed >= manyResumes:
			severity = Warning
		case one.own.longest < longWatch:
			continue
		}
		s := fmt.Sprintf("%s watched %s %s without asking for bookmarks, for up to %s", one.who, nameOf(one.ref), times(one.count), brief(one.own.longest))
		if one.own.resumed > 0 {
			s += fmt.Sprintf("; it went on %s after an end", times(one.own.resumed))
		}
		if one.own.expired > 0 {
			s += fmt.Sprintf("; %s it met 410 Gone", times(one.own.expired))
		}
		out = append(out, one.finding(severity, s+"."))
	}
	return out
}

// forget drops what is open: ends may be missing.
func (w *unmarkedWatches) forget() { clear(w.opened) }
