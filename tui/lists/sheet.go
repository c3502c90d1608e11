package lists

import (
	"fmt"
	"net/url"
	"strings"

	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// pages draws the pages of a walk as blocks on their snapshot, what was committed since, and each request of it.
func (l *Page) pages(s *page.LineList, w *listing.Walk) {
	s.Item(0, term.Plain.Of(l.asked(w)))
	if w.Chunked() {
		l.blocks(s, w)
	}
	l.since(s, w)
	if w.Chunked() || w.Last().Flow.Status >= 400 {
		l.goesOn(s, w)
	}
	s.Blank()
	l.requests(s, w)
}

// asked says what state the list asked for, and what it got.
func (l *Page) asked(w *listing.Walk) string {
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
	got := fmt.Sprintf("snapshot rv %s, %s in %s", label.Revision(w.First().Snapshot), term.Plural(w.Items(), "item"), term.Plural(w.Pages(), "page"))
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
	term.Line
	link bool
}

// blocks draws pages and links in as many rows as they need, and leaves out the middle of a long walk.
func (l *Page) blocks(s *page.LineList, w *listing.Walk) {
	all := blocksOf(w, l.Env.Time.Compacted)
	const most = 24 // pages: some three rows
	if len(all) > 2*most {
		skipped := (len(all) - 2*most) / 2
		all = append(append(all[:most:most], block{term.Text(term.Dim, fmt.Sprintf(" ⋮ %s more ", term.Plural(skipped, "page"))), true}), all[len(all)-most:]...)
	}
	s.Blank()
	var row term.Line
	for _, b := range all {
		if row.Width()+b.Width() > s.W && len(row) > 0 {
			s.Add(row...)
			row = term.Line{term.Dim.Of("  ")}
		}
		row = append(row, b.Line...)
	}
	s.Add(row...)
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
			out = append(out, block{term.Line{term.Err.Of("──✗410──")}, true})
			continue
		case i > 0 && broken:
			out = append(out, block{term.Line{term.Warn.Of("┄┄" + tokenLabel(c.Token) + "┄┄")}, true})
			broken = false
		case c.Token != "":
			out = append(out, block{term.Line{term.Dim.Of("──" + tokenLabel(c.Token) + "──")}, true})
		}
		page++
		if c.Flow.Status >= 400 {
			out = append(out, block{term.Line{term.Err.Of(fmt.Sprintf("[%d ✗ %d]", page, c.Flow.Status))}, false})
			continue
		}
		out = append(out, block{term.Line{term.Plain.Of(fmt.Sprintf("[%d ", page)), term.Open.Of(filled(c)), term.Plain.Of(fmt.Sprintf(" %s]", term.Count(c.Items)))}, false})
	}
	last := w.Last()
	switch s := w.Standing(compacted); {
	case s == listing.Expired:
		out = append(out, block{term.Line{term.Dim.Of("┄┄" + tokenLabel(last.Next) + "┄┄[░░ not read]")}, false})
	case last.Next != "" && s == listing.Outdated:
		out = append(out, block{term.Line{term.Err.Of("──✗" + tokenLabel(last.Next) + "──"), term.Dim.Of("[░░ compacted]")}, false})
	case last.Next != "":
		out = append(out, block{term.Line{term.Dim.Of("──" + tokenLabel(last.Next) + "──"), term.Plain.Of("[░░ " + term.Pick(last.Remaining < 0, "? left: a selector hides how many", term.Count(last.Remaining)+" left") + "]")}, false})
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
func (l *Page) since(s *page.LineList, w *listing.Walk) {
	snapshot := w.Last().Snapshot
	if snapshot == 0 {
		return
	}
	var marks []rune
	all, concerned := 0, 0
	cs := l.Env.Time.Commits
	for i := len(cs) - 1; i >= 0 && cs[i].Revision > snapshot; i-- {
		all++
		mark := '·'
		if listed(w.First().Flow.Target, cs[i]) {
			concerned++
			mark = rune(cs[i].Type)
		}
		if len(marks) < max(8, s.W-30) {
			marks = append([]rune{mark}, marks...)
		}
	}
	if all == 0 && l.Env.Time.Head > snapshot {
		s.Item(0, term.Dim.Of(fmt.Sprintf("The head is rv %d by now; what was committed between is not on the timeline.", l.Env.Time.Head)))
		return
	}
	if all == 0 {
		s.Item(0, term.Dim.Of(fmt.Sprintf("rv %d is still the newest state: nothing was committed since.", snapshot)))
		return
	}
	s.Item(0, term.Bold.Of(fmt.Sprintf("snapshot %d ", snapshot)), term.Dim.Of("┊ "), term.Add.Of(string(marks)), term.Dim.Of(" ┊ "), term.Bold.Of(fmt.Sprintf("head %d", l.Env.Time.Head)))
	s.Item(0, term.Plain.Of(fmt.Sprintf("%s since then, %s of what is listed here: not in these pages.", term.Plural(all, "commit"), term.Count(concerned))))
}

// listed reports whether a commit is of an object that a list is about.
func listed(t flow.Target, c flow.Commit) bool {
	return c.Resource == object.RefOfTarget(t).Resource && (t.Namespace == "" || t.Namespace == c.Namespace)
}

// goesOn says how the walk goes on from here.
func (l *Page) goesOn(s *page.LineList, w *listing.Walk) {
	last := w.Last()
	t, _ := listing.ReadToken(last.Next)
	state := w.Standing(l.Env.Time.Compacted)
	switch state {
	case listing.Unfinished:
		s.Item(0, term.Plain.Of("The next page begins after "), term.Bold.Of(term.OrNone(t.Start)),
			term.Plain.Of(fmt.Sprintf(": its token holds rv %d and that name; a client must not look inside.",
				t.Revision)))
	case listing.Outdated:
		s.Item(0, term.Warn.Of(fmt.Sprintf("Everything before rv %d is compacted, and the token names rv %d: it will meet a 410.", l.Env.Time.Compacted, last.Snapshot)))
	case listing.Expired:
		if last.Token == "" {
			s.Item(0, term.Err.Of("✗ 410 Gone: "),
				term.Plain.Of(fmt.Sprintf("everything before rv %d is compacted, so the state at rv %d is no longer known. Without a resourceVersion the list is answered from now.", l.Env.Time.Compacted, last.Snapshot)))
			return
		}
		s.Item(0, term.Err.Of("✗ 410 Gone: "), term.Plain.Of(fmt.Sprintf("the token named rv %d, which is compacted, so the page that followed is no longer known.", last.Snapshot)))
		s.Item(0, term.Plain.Of(fmt.Sprintf("Either list again from the start; or use the other token, in that answer, which goes on after %s at the newest state: what changed since the first page may be missing or there twice.", term.OrNone(t.Start))))
	case listing.Inconsistent:
		s.Item(0, term.Warn.Of("Pages before and after ✗410 are of different snapshots: "), term.Plain.Of("what changed between them may be missing or there twice. A client that needs the truth lists again."))
	case listing.Refused:
		s.Item(0, term.Err.Of(last.Flow.Message))
	default:
		s.Item(0, term.Plain.Of("Complete: every page is of the same snapshot, so together they are what one long list would have answered."))
	}
	if state == listing.Unfinished && last.Remaining < 0 {
		s.Item(0, term.Dim.Of("remainingItemCount is absent because of the selector: to count what matches, all would have to be read."))
	}
}

// requests lists the requests of a walk.
func (l *Page) requests(s *page.LineList, w *listing.Walk) {
	wide := s.W >= 90
	head := fmt.Sprintf("%4s %7s %7s %13s  %-16s %7s %9s", "page", "request", "items", "left", "from", "ms", "bytes")
	s.Add(term.Head.Of(head + term.Pick(wide, "  form", "")))
	page := 0
	for i := range w.Chunks {
		c := &w.Chunks[i]
		page++
		number, left := fmt.Sprint(page), "–"
		switch {
		case c.Next != "" && c.Remaining < 0:
			left = "? (selector)"
		case c.Next != "":
			left = term.Count(c.Remaining)
		}
		from := "cache"
		if c.Source == "history" {
			from = fmt.Sprintf("%s ×%d, at %d", l.Env.Store().Tab, len(c.Flow.Statements), c.Snapshot)
		}
		st := term.Plain
		if c.Flow.Status >= 400 {
			page--
			number = "✗"
			st, left, from = term.Err, "–", fmt.Sprintf("%d %s", c.Flow.Status, c.Flow.Reason)
		}
		s.Item(c.Flow.Seq, st.Of(fmt.Sprintf("%4s %7s %7s %13s  %s %7s %9s", number, fmt.Sprintf("#%d", c.Flow.Seq), term.Count(c.Items), left, term.Pad(term.Fit(from, 16), 16), term.Millis(c.Flow.Duration), term.BytesText(c.Bytes))),
			term.Dim.Of(term.Pick(wide, "  "+c.Form, "")))
	}
}
