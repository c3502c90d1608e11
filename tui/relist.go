package tui

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"kubarium/server/flow"
)

// A relist is how a client went on after a watch of it met a 410: it listed anew, and watches from there. Both watches
// are one lane.
type relist struct {
	was       *flow.Watch
	list      *flow.Flow // nil while it has not listed, or if its new watch begins with what there is
	compacted int64      // up to where, when it was seen
}

// A streamKey tells apart what a client watches.
type streamKey struct {
	client, selectors string
	target            flow.Target
}

func streamKeyOf(c flow.Client, t flow.Target, query string) streamKey {
	t.Verb = ""
	q, _ := url.ParseQuery(query) // what cannot be read selects nothing
	return streamKey{c.Tag, q.Get("labelSelector") + "\n" + q.Get("fieldSelector"), t}
}

// rejoin finds for each watch that met a 410 the one with which its client went on.
func (w *streams) rejoin() {
	shown, joined := map[uint64]bool{}, w.joined()
	var lost []*flow.Watch // those of which it is not known
	for _, x := range w.all {
		shown[x.ID] = true
		if _, known := joined[x]; !known && expiredWatch(x.State()) {
			lost = append(lost, x)
		}
	}
	maps.DeleteFunc(w.relists, func(id uint64, _ relist) bool { return !shown[id] })
	if len(lost) > 0 {
		w.match(lost)
	}
}

// match finds the watches with which the clients of lost ones went on, each the first of its client that was opened
// afterwards.
func (w *streams) match(lost []*flow.Watch) {
	since := lost[0].State().Ended
	for _, x := range lost {
		if end := x.State().Ended; end.Before(since) {
			since = end
		}
	}
	free := map[streamKey][]*flow.Watch{}
	for _, y := range w.all {
		if _, taken := w.relists[y.ID]; !taken && !y.Opened.Before(since) {
			k := streamKeyOf(y.Client, y.Target, y.Query)
			free[k] = append(free[k], y)
		}
	}
	for _, x := range lost {
		k, end := streamKeyOf(x.Client, x.Target, x.Query), x.State().Ended
		i := slices.IndexFunc(free[k], func(y *flow.Watch) bool { return !y.Opened.Before(end) })
		if i >= 0 {
			w.relists[free[k][i].ID] = relist{x, w.listed(x, free[k][i].Opened), w.u.compacted}
			free[k] = slices.Delete(free[k], i, i+1)
		}
	}
}

// listed is the last list that the client of an expired watch made of the same objects afterwards, and before a time
// unless that is zero; nil if there is none.
func (w *streams) listed(x *flow.Watch, before time.Time) *flow.Flow {
	end, k := x.State().Ended, streamKeyOf(x.Client, x.Target, x.Query)
	for _, l := range slices.Backward(w.u.walks.all) {
		f := l.first().flow
		if f.Start.Before(end) {
			return nil
		}
		if (before.IsZero() || !f.Start.After(before)) && f.Status < 400 && streamKeyOf(f.Client, f.Target, f.Query) == k {
			return f
		}
	}
	return nil
}

// joined are the watches of which the lane is that of another one, by which their client went on.
func (w *streams) joined() map[*flow.Watch]uint64 {
	out := make(map[*flow.Watch]uint64, len(w.relists))
	for id, r := range w.relists {
		out[r.was] = id
	}
	return out
}

// texts say what came before a lane, the longest first: one of them is drawn as far as there is room.
func (r relist) texts(x *flow.Watch) []line {
	again := "↻ watch"
	if r.list != nil {
		again = "↻ list"
	}
	return []line{
		{{sErr, fmt.Sprintf("✗ 410: %d < compacted %d", x.Start, r.compacted)}, {sOpen, "  " + again}},
		{{sErr, fmt.Sprintf("✗ 410: %d", x.Start)}, {sOpen, " " + again}},
		{{sErr, "✗ 410"}, {sOpen, " " + again}},
		{{sErr, "✗"}, {sOpen, "↻"}},
	}
}

// drawBefore draws what came before a lane that begins at column from, which is how far there is room.
func (r relist) drawBefore(c *canvas, at rect, from int) {
	for _, l := range r.texts(r.was) {
		if l.width() < from {
			c.line(at, 0, 0, l)
			return
		}
	}
}

// story tells in a line how a client came from an expired watch to this one.
func (r relist) story(now *flow.Watch) line {
	l := line{{sErr, "✗ 410 Gone"}, {sPlain, fmt.Sprintf(" at rv %d, compacted up to %d", r.was.Start, r.compacted)}}
	if r.list != nil {
		l = append(l, span{sOpen, "  ↻ list"}, span{sPlain, fmt.Sprintf(" #%d, rv %s", r.list.Seq, revision(r.list.Revision))})
	}
	return append(l, span{sOpen, "  ◉ watch"}, span{sPlain, fmt.Sprintf(" again after rv %s", revision(now.Start))})
}
