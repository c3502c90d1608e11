package tui

import (
	"fmt"
	"net/url"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/listing"
	"kubarium/server/flow/object"
)

// pages draws the pages of a walk as blocks on their snapshot, what was committed since, and each request of it.
func (l *lists) pages(s *lineList, w *listing.Walk) {
	s.item(0, span{sPlain, l.asked(w)})
	if w.Chunked() {
		l.blocks(s, w)
	}
	l.since(s, w)
	if w.Chunked() || w.Last().Flow.Status >= 400 {
		l.goesOn(s, w)
	}
	s.blank()
	l.requests(s, w)
}

// asked says what state the list asked for, and what it got.
func (l *lists) asked(w *listing.Walk) string {
	f := w.First().Flow
	q, _ := url.ParseQuery(f.Query)
	rv, match := q.Get("resourceVersion"), q.Get("resourceVersionMatch")
	ask := "the newest state (resourceVersion unset)"
	switch {
	case w.First().Token != "":
		ask = "to go on with a list whose beginning was not seen here"
	case rv == "0":
		ask = "any state that is at hand (resourceVersion=0; limit has no meaning then)"
	case rv != "" && (match == "Exact" || match == "" && w.First().Limit > 0):
		ask = "exactly rv " + rv
	case rv != "":
		ask = "a state not older than rv " + rv
	}
	got := fmt.Sprintf("snapshot rv %s, %s in %s", revision(w.First().Snapshot), plural(w.Items(), "item"), plural(w.Pages(), "page"))
	if now := w.Last().Snapshot; now != w.First().Snapshot && w.Standing(0) == listing.Inconsistent {
		got += fmt.Sprintf(", the last of them at rv %d", now)
	}
	if w.First().Flow.Status >= 400 {
		got = fmt.Sprintf("refused with %d", w.First().Flow.Status)
	}
	return "asked for " + ask + "; " + got + "."
}

// A block is a page, or a link between two, as it is drawn.
type block struct {
	line
	link bool
}

// blocks draws pages and links in as many rows as they need, and leaves out the middle of a long walk.
func (l *lists) blocks(s *lineList, w *listing.Walk) {
	all := blocksOf(w, l.u.time.compacted)
	const most = 24 // pages: some three rows
	if len(all) > 2*most {
		skipped := (len(all) - 2*most) / 2
		all = append(append(all[:most:most], block{text(sDim, fmt.Sprintf(" ⋮ %s more ", plural(skipped, "page"))), true}), all[len(all)-most:]...)
	}
	s.blank()
	var row line
	for _, b := range all {
		if row.width()+b.width() > s.w && len(row) > 0 {
			s.add(row...)
			row = line{{sDim, "  "}}
		}
		row = append(row, b.line...)
	}
	s.add(row...)
}

func blocksOf(w *listing.Walk, compacted int64) []block {
	var out []block
	page := 0
	broken := false
	for i := range w.Chunks {
		c := &w.Chunks[i]
		switch {
		case c.Expired:
			broken = true
			out = append(out, block{line{{sErr, "──✗410──"}}, true})
			continue
		case i > 0 && broken:
			out = append(out, block{line{{sWarn, "┄┄" + tokenLabel(c.Token) + "┄┄"}}, true})
			broken = false
		case c.Token != "":
			out = append(out, block{line{{sDim, "──" + tokenLabel(c.Token) + "──"}}, true})
		}
		page++
		if c.Flow.Status >= 400 {
			out = append(out, block{line{{sErr, fmt.Sprintf("[%d ✗ %d]", page, c.Flow.Status)}}, false})
			continue
		}
		out = append(out, block{line{{sPlain, fmt.Sprintf("[%d ", page)}, {sOpen, filled(c)}, {sPlain, fmt.Sprintf(" %s]", count(c.Items))}}, false})
	}
	last := w.Last()
	switch s := w.Standing(compacted); {
	case s == listing.Expired:
		out = append(out, block{line{{sDim, "┄┄" + tokenLabel(last.Next) + "┄┄[░░ not read]"}}, false})
	case last.Next != "" && s == listing.Outdated:
		out = append(out, block{line{{sErr, "──✗" + tokenLabel(last.Next) + "──"}, {sDim, "[░░ compacted]"}}, false})
	case last.Next != "":
		out = append(out, block{line{{sDim, "──" + tokenLabel(last.Next) + "──"}, {sPlain, "[░░ " + pick(last.Remaining < 0, "? left: a selector hides how many", count(last.Remaining)+" left") + "]"}}, false})
	}
	return out
}

// filled is the body of a page's block: up to five cells, by how full the page is.
func filled(c *listing.Chunk) string {
	n := 5
	if c.Limit > 0 && int64(c.Items) < c.Limit {
		n = max(1, int(5*int64(c.Items)/c.Limit))
	}
	if c.Items == 0 {
		return "░"
	}
	return strings.Repeat("█", n)
}

// since shows what was committed after the snapshot: none of it is in the pages.
func (l *lists) since(s *lineList, w *listing.Walk) {
	snapshot := w.Last().Snapshot
	if snapshot == 0 {
		return
	}
	var marks []rune
	all, concerned := 0, 0
	cs := l.u.time.commits
	for i := len(cs) - 1; i >= 0 && cs[i].Revision > snapshot; i-- {
		all++
		mark := '·'
		if listed(w.First().Flow.Target, cs[i]) {
			concerned++
			mark = rune(cs[i].Type)
		}
		if len(marks) < max(8, s.w-30) {
			marks = append([]rune{mark}, marks...)
		}
	}
	if all == 0 && l.u.time.head > snapshot {
		s.item(0, span{sDim, fmt.Sprintf("The head is rv %d by now; what was committed between is not on the timeline.", l.u.time.head)})
		return
	}
	if all == 0 {
		s.item(0, span{sDim, fmt.Sprintf("rv %d is still the newest state: nothing was committed since.", snapshot)})
		return
	}
	s.item(0, span{sBold, fmt.Sprintf("snapshot %d ", snapshot)}, span{sDim, "┊ "}, span{sAdd, string(marks)}, span{sDim, " ┊ "}, span{sBold, fmt.Sprintf("head %d", l.u.time.head)})
	s.item(0, span{sPlain, fmt.Sprintf("%s since then, %s of what is listed here: not in these pages.", plural(all, "commit"), count(concerned))})
}

// listed reports whether a commit is of an object that a list is about.
func listed(t flow.Target, c flow.Commit) bool {
	return c.Resource == object.RefOfTarget(t).Resource && (t.Namespace == "" || t.Namespace == c.Namespace)
}

// goesOn says how the walk goes on from here.
func (l *lists) goesOn(s *lineList, w *listing.Walk) {
	last := w.Last()
	t, _ := listing.ReadToken(last.Next)
	state := w.Standing(l.u.time.compacted)
	switch state {
	case listing.Unfinished:
		s.item(0, span{sPlain, "The next page begins behind "}, span{sBold, orNone(t.Start)}, span{sPlain, fmt.Sprintf(": its token holds rv %d and that name; a client must not look inside.", t.Revision)})
	case listing.Outdated:
		s.item(0, span{sWarn, fmt.Sprintf("Everything before rv %d is compacted, and the token names rv %d: it will meet a 410.", l.u.time.compacted, last.Snapshot)})
	case listing.Expired:
		if last.Token == "" {
			s.item(0, span{sErr, "✗ 410 Gone: "}, span{sPlain, fmt.Sprintf("what was before rv %d is compacted, so nobody can tell any more what there was at rv %d. Without a resourceVersion the list is answered from now.", l.u.time.compacted, last.Snapshot)})
			return
		}
		s.item(0, span{sErr, "✗ 410 Gone: "}, span{sPlain, fmt.Sprintf("the token named rv %d, which is compacted, so nobody can tell any more what page followed.", last.Snapshot)})
		s.item(0, span{sPlain, fmt.Sprintf("Either list again from the start; or use the other token, in that answer, which goes on behind %s at the newest state: what changed meanwhile may be missing or there twice.", orNone(t.Start))})
	case listing.Inconsistent:
		s.item(0, span{sWarn, "Pages before and after ✗410 are of different snapshots: "}, span{sPlain, "what changed between them may be missing or there twice. A client that needs the truth lists again."})
	case listing.Refused:
		s.item(0, span{sErr, last.Flow.Message})
	default:
		s.item(0, span{sPlain, "Complete: every page is of the same snapshot, so together they are what one long list would have answered."})
	}
	if state == listing.Unfinished && last.Remaining < 0 {
		s.item(0, span{sDim, "remainingItemCount is absent because of the selector: to count what matches, all would have to be read."})
	}
}

// requests lists the requests of a walk.
func (l *lists) requests(s *lineList, w *listing.Walk) {
	wide := s.w >= 90
	head := fmt.Sprintf("%4s %7s %7s %13s  %-16s %7s %9s", "page", "request", "items", "left", "from", "ms", "bytes")
	s.add(span{sHead, head + pick(wide, "  form", "")})
	page := 0
	for i := range w.Chunks {
		c := &w.Chunks[i]
		page++
		number, left := fmt.Sprint(page), "–"
		switch {
		case c.Next != "" && c.Remaining < 0:
			left = "? (selector)"
		case c.Next != "":
			left = count(c.Remaining)
		}
		from := "cache"
		if c.Source == "history" {
			from = fmt.Sprintf("SQL ×%d, at %d", len(c.Flow.Statements), c.Snapshot)
		}
		st := sPlain
		if c.Flow.Status >= 400 {
			page--
			number = "✗"
			st, left, from = sErr, "–", fmt.Sprintf("%d %s", c.Flow.Status, c.Flow.Reason)
		}
		s.item(c.Flow.Seq, span{st, fmt.Sprintf("%4s %7s %7s %13s  %-16s %7s %9s", number, fmt.Sprintf("#%d", c.Flow.Seq), count(c.Items), left, fit(from, 16), millis(c.Flow.Duration), bytesText(c.Bytes))},
			span{sDim, pick(wide, "  "+c.Form, "")})
	}
}
