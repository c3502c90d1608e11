package doctor

import (
	"cmp"
	"fmt"
	"time"

	"kubarium/analysis/relist"
	"kubarium/flow"
)

const (
	// manyStubborn is from how many 410s with the same version on a client does not get on: it cannot any more.
	manyStubborn = 3
	// manyExpired is from how many 410s that the client handled well on they are reported.
	manyExpired = 3
	// manyRelists is from how many whole lists after one 410 on they are a burst, if they come within relistTime.
	manyRelists = 5
	relistTime  = 10 * time.Second
)

// expired finds versions that the server no longer had, and how their clients went on.
type expired struct {
	tally[goneCases]
	after ongoing[collection, *gone]
}

// goneCases are the 410s of a client at a collection.
type goneCases struct {
	same    int // asked for a version that had met a 410 already
	longest int // most whole lists after one 410 within relistTime
	listed  int // answered by a list
}

// A gone is a 410 that its client has not got over.
type gone struct {
	of      *instance[goneCases]
	version string // that was asked for
	at      time.Time
	lists   int
}

func (x *expired) add(r *request) {
	switch {
	case r.Target.Resource == "" || r.Target.Verb != "list" && r.Target.Verb != "watch" && r.Target.Verb != "get":
	case isGone(r):
		x.met(r)
	case len(x.after) == 0:
	case listed(r) && r.Page.Token == "":
		x.relisted(r)
	case watched(r):
		x.rewatched(r)
	}
}

// isGone reports whether a request was answered 410 Gone, or was a watch that ended so.
func isGone(r *request) bool {
	if r.Phase == flow.WatchClosed {
		return r.Watch != nil && relist.Expired(r.Watch.State())
	}
	return r.Status == 410
}

func (x *expired) met(r *request) {
	k, version := collectionOf(r), cmp.Or(r.param("continue"), r.param("resourceVersion"))
	was, now := x.after[k], &gone{version: version, at: r.end}
	if r.reported {
		now.of = x.at(r.who(), listRef(r))
		now.of.cost(r)
		if was != nil && was.version == version && version != "" {
			now.of.own.same++
		}
	}
	x.after.put(k, now)
}

// relisted notes a list after a 410.
func (x *expired) relisted(r *request) {
	g := x.after[collectionOf(r)]
	if g == nil || g.of == nil {
		return
	}
	if g.lists++; g.lists == 1 {
		g.of.own.listed++
	}
	if r.Start.Sub(g.at) <= relistTime && r.reported {
		g.of.own.longest = max(g.of.own.longest, g.lists)
		g.of.requests++
		g.of.record(r)
	}
}

// rewatched ends a 410 that the client has got over: it watches from another version, or with all that there is.
func (x *expired) rewatched(r *request) {
	k := collectionOf(r)
	g := x.after[k]
	if g == nil {
		return
	}
	if streaming(r) && g.of != nil && g.lists == 0 {
		g.of.own.listed++
	}
	if streaming(r) || r.param("resourceVersion") != g.version {
		delete(x.after, k)
	}
}

func (x *expired) report(*run) []Finding {
	return x.findings(func(one *instance[goneCases]) (Severity, string) {
		s := fmt.Sprintf("%s got 410 Gone for %s %s", one.who, nameOf(one.ref), times(one.count))
		switch n := one.own; {
		case n.same >= manyStubborn:
			return Error, fmt.Sprintf("%s, %s for a version that had been answered so already.", s, times(n.same))
		case n.same > 0:
			return Warning, fmt.Sprintf("%s, %s for a version that had been answered so already.", s, times(n.same))
		case n.longest >= manyRelists:
			return Warning, fmt.Sprintf("%s, and listed everything up to %s within %s after it.",
				s, times(n.longest), brief(relistTime))
		case one.count >= manyExpired && n.listed == one.count:
			return Note, s + ", and started again with a list each time, as it should."
		}
		return "", ""
	})
}

// forget drops the 410s that are not got over: what followed them may be missing.
func (x *expired) forget() { clear(x.after) }
