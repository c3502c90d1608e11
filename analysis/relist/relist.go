// Package relist finds how clients went on after a watch of theirs met 410 Gone: which list they made, and which watch
// goes on from it ("Efficient detection of changes" in Kubernetes API Concepts).
//
//	found := relist.Relists{}
//	found.Find(watches, lists, compacted) // as often as there is more to see
//	for id, r := range found {
//		… // watch id goes on from r.Was, by way of r.List
//	}
//
// A client goes on with the first watch that it opens afterwards of the same collection with the same selectors. Where
// it has several such watches they are matched in the order in which they were opened.
package relist

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/listing"
	"kubarium/flow"
)

// A Relist is how a client went on after a watch of it met a 410: it listed again, and watches from there.
type Relist struct {
	Was       *flow.Watch // the one that met the 410
	List      *flow.Flow  // between the two; nil if there is none, as when its new watch begins with all objects
	Compacted int64       // up to which revision history was compacted, when it was seen
}

// A streamKey identifies what a client watches.
type streamKey struct {
	client, selectors string
	target            flow.Target
}

func streamKeyOf(c flow.Client, t flow.Target, query string) streamKey {
	t.Verb = ""
	q, _ := url.ParseQuery(query) // what cannot be read selects nothing
	return streamKey{c.Tag, q.Get("labelSelector") + "\n" + q.Get("fieldSelector"), t}
}

// Relists are those that are known, by the ID of the watch with which a client went on.
type Relists map[uint64]Relist

// Find adds for each watch that met a 410 the one with which its client went on. all are the watches in the order of
// their IDs, lists what was listed; compacted is noted with what is found. Earlier findings stay, unless their new
// watch is not among all.
func (rs Relists) Find(all []*flow.Watch, lists *listing.Log, compacted int64) {
	shown, joined := map[uint64]bool{}, rs.Joined()
	var lost []*flow.Watch // those of which it is not known
	for _, x := range all {
		shown[x.ID] = true
		if _, known := joined[x]; !known && Expired(x.State()) {
			lost = append(lost, x)
		}
	}
	maps.DeleteFunc(rs, func(id uint64, _ Relist) bool { return !shown[id] })
	if len(lost) > 0 {
		rs.match(lost, all, lists, compacted)
	}
}

// match finds the watches with which the clients of lost ones went on, each the first of its client that was opened
// afterwards.
func (rs Relists) match(lost, all []*flow.Watch, lists *listing.Log, compacted int64) {
	since := lost[0].State().Ended
	for _, x := range lost {
		if end := x.State().Ended; end.Before(since) {
			since = end
		}
	}
	free := map[streamKey][]*flow.Watch{}
	for _, y := range all {
		if _, taken := rs[y.ID]; !taken && !y.Opened.Before(since) {
			k := streamKeyOf(y.Client, y.Target, y.Query)
			free[k] = append(free[k], y)
		}
	}
	for _, x := range lost {
		k, end := streamKeyOf(x.Client, x.Target, x.Query), x.State().Ended
		i := slices.IndexFunc(free[k], func(y *flow.Watch) bool { return y.ID > x.ID && !y.Opened.Before(end) })
		if i >= 0 {
			rs[free[k][i].ID] = Relist{x, ListedAfter(x, lists, free[k][i].Opened), compacted}
			free[k] = slices.Delete(free[k], i, i+1)
		}
	}
}

// ListedAfter is the last list that the client of an expired watch made of the same objects afterwards, and before a
// time unless that is zero; nil if there is none.
func ListedAfter(x *flow.Watch, lists *listing.Log, before time.Time) *flow.Flow {
	end, k := x.State().Ended, streamKeyOf(x.Client, x.Target, x.Query)
	for _, l := range slices.Backward(lists.All) {
		f := l.First().Flow
		if f.Start.Before(end) {
			return nil
		}
		if (before.IsZero() || !f.Start.After(before)) && f.Status < 400 && streamKeyOf(f.Client, f.Target, f.Query) == k {
			return f
		}
	}
	return nil
}

// Joined are the watches that met a 410 and whose client went on, each with the ID of the watch that goes on from it.
func (rs Relists) Joined() map[*flow.Watch]uint64 {
	out := make(map[*flow.Watch]uint64, len(rs))
	for id, r := range rs {
		out[r.Was] = id
	}
	return out
}

// Expired reports whether a watch met a 410: it ended because what it was to be sent next is compacted.
func Expired(s flow.WatchState) bool {
	return !s.Ended.IsZero() && strings.Contains(s.Cause, "expired")
}
