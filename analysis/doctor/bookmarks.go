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

// unmarkedWatches finds long-lived or resumed watches that asked for no bookmarks. Those of kubectl are left out: its
// users cannot change them.
type unmarkedWatches struct {
	tally[unmarked]
	opened ongoing[collection, *resumes]
}

// unmarked is what a finding says of a case.
type unmarked struct {
	resumed int // watches that went on after the end of another one
	expired int // that met a 410
	longest time.Duration
}

// resumes are the watches of a client of one collection.
type resumes struct {
	open  ongoing[uint64, *request] // by the watch's ID
	ended bool                      // whether one was open before
}

func (w *unmarkedWatches) add(r *request) {
	if listed(r) { // a watch after it starts again, and does not resume
		if of := w.opened[collectionOf(r)]; of != nil {
			of.ended = false
		}
		return
	}
	marks := r.param("allowWatchBookmarks")
	if r.client.program == "kubectl" || r.Target.Verb != "watch" || r.Watch == nil || r.Phase == flow.Whole || marks == "true" || marks == "1" {
		return
	}
	of := follow(&w.opened, collectionOf(r))
	if r.Phase == flow.WatchOpened {
		if r.reported && of.ended && r.Watch.Start > 0 {
			w.at(r.who(), listRef(r)).own.resumed++
		}
		if len(of.open) < maxRecords {
			of.open.put(r.Watch.ID, light(r))
		}
		return
	}
	delete(of.open, r.Watch.ID)
	of.ended = true
	if r.reported {
		one := w.at(r.who(), listRef(r))
		one.note(r)
		one.own.longest = max(one.own.longest, r.Duration)
		if relist.Expired(r.Watch.State()) {
			one.own.expired++
		}
	}
}

func (w *unmarkedWatches) report(of *run) []Finding {
	sum := w.copy()
	for _, watches := range w.opened { // those that are still open
		for _, r := range watches.open {
			if r.reported {
				one := sum.at(r.who(), listRef(r))
				one.note(r)
				one.own.longest = max(one.own.longest, of.now.Sub(r.Start))
			}
		}
	}
	return sum.findings(func(one *instance[unmarked]) (severity Severity, s string) {
		slices.Sort(one.records)
		n := one.own
		switch {
		case n.expired > 0 || n.resumed >= manyResumes:
			severity = Warning
		case n.longest < longWatch:
			return "", ""
		default:
			severity = Note
		}
		s = fmt.Sprintf("%s watched %s %s without asking for bookmarks, for up to %s",
			one.who, nameOf(one.ref), times(one.count), brief(n.longest))
		if n.resumed > 0 {
			s += fmt.Sprintf("; it went on %s after an end", times(n.resumed))
		}
		if n.expired > 0 {
			s += fmt.Sprintf("; %s it met 410 Gone", times(n.expired))
		}
		return severity, s + "."
	})
}

// forget drops what is open: ends may be missing.
func (w *unmarkedWatches) forget() { clear(w.opened) }
