// Package lists is the page of what was listed: each walk over a collection with its pages on their snapshot.
package lists

import (
	"fmt"
	"slices"
	"time"

	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of what was listed: each walk over a collection with its pages, on the snapshot that they are
// read from.
type Page struct {
	page.List[listing.Walk, uint64]        // by the ids of the walks
	seen                            uint64 // the newest request of those when the page was last looked at
}

// New makes the page; it follows the newest list.
func New(e *page.Env) *Page {
	l := &Page{}
	l.List = page.NewList(e, page.ListSpec[listing.Walk, uint64]{
		Name: "lists", Row: "list", Form: page.Form{Stacked: true, Beside: 180, Two: 52}, Legend: legend(e), Tail: true,
		Key:     func(w *listing.Walk) uint64 { return w.ID },
		Request: func(w *listing.Walk) *flow.Flow { return e.Log.Get(w.Last().Flow.Seq) },
		All:     func() int { return len(e.Walks.All) },
		Last:    func() bool { return e.Walks.Gone },
		Note:    func() term.Line { return term.Text(term.Dim, "a chunked list is one line, on one snapshot") },
		Columns: l.columns, Notice: l.notice, Heading: l.heading, Detail: l.pages,
		Word: "lists", Number: func(w *listing.Walk) uint64 { return w.ID }, Sentence: l.sentence,
		Nothing: func() string { return "Nothing was listed yet." },
	})
	return l
}

// In is the page at another moment.
func (l *Page) In(e *page.Env) page.Page {
	p := New(e)
	p.seen = l.seen
	p.TakePlace(&l.List)
	return p
}

// Fold takes new lists.
func (l *Page) Fold(flows []*flow.Flow) {
	if slices.ContainsFunc(flows, func(f *flow.Flow) bool { return f.Page != nil && f.Target.Verb == "list" }) {
		l.Refilter()
	}
}

// Refilter lists the walks of which the filter lets a request through, and keeps the cursor on its walk.
func (l *Page) Refilter() {
	rows := l.Rows[:0]
	for _, w := range l.Env.Walks.All {
		if slices.ContainsFunc(w.Chunks, func(c listing.Chunk) bool { return l.Env.Feed.Verdict(c.Flow) == feed.Shows }) {
			rows = append(rows, w)
		}
	}
	l.Set(rows)
}

// Seek selects the list that a request belongs to. One that lists nothing leaves the cursor where it is.
func (l *Page) Seek(s page.Sought) bool {
	if s.Flow == nil || s.Flow.Target.Verb != "list" {
		return s.Flow != nil
	}
	return l.Find(func(w *listing.Walk) bool {
		return slices.ContainsFunc(w.Chunks, func(c listing.Chunk) bool { return c.Flow.Seq == s.Flow.Seq })
	})
}

// readingFor is how long after its last page a list counts as being read: a client asks for the next page at once, and
// a reader who does it by hand soon. A list with a limit whose rest no client asks for is no news.
const readingFor = 10 * time.Second

// Draw implements page.Page, and notes that the broken lists were seen.
func (l *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	l.List.Draw(c, i, r)
	for _, w := range l.Rows {
		l.seen = max(l.seen, w.Last().Flow.Seq)
	}
}

// count counts the lists that are being read, and those that broke since the page was last looked at.
func (l *Page) count() (reading, broken int) {
	for _, w := range l.Rows {
		last := w.Last().Flow
		switch standing := w.Standing(l.Env.Time.Compacted); {
		case standing == listing.Unfinished && l.Env.Now().Sub(last.Start.Add(last.Duration)) < readingFor:
			reading++
		case (standing == listing.Expired || standing == listing.Refused) && w.Chunked() && last.Seq > l.seen:
			broken++
		}
	}
	return reading, broken
}

// Restless reports whether the badge is going to change by itself.
func (l *Page) Restless() bool {
	reading, _ := l.count()
	return reading > 0 && !l.Env.Past()
}

func (l *Page) Tab() page.Tab {
	t := page.Tab{Name: "3 Lists", Short: "3Lists", Help: "Lists: what was listed, chunk by chunk, each on its snapshot"}
	reading, broken := l.count()
	if reading > 0 {
		t.Badge = "▸" + term.AtLeast(reading, l.Env.Walks.Gone)
		t.Means = t.Badge + ": so many lists in chunks are being read. "
	}
	if broken > 0 {
		ended := "✗" + term.AtLeast(broken, l.Env.Walks.Gone)
		t.Badge += ended
		t.Means += ended + ": so many broke in the middle, by a 410 or another refusal, since you last looked there."
	}
	return t
}

func (l *Page) heading(w *listing.Walk) term.Line {
	st, words := StandingWords(w.Standing(l.Env.Time.Compacted))
	return term.Line{l.Env.TitleStyle(1).Of(fmt.Sprintf("#%d ", w.ID)), term.Accent.Of(w.First().Flow.Client.Tag + " "),
		st.Of(words),
		term.Plain.Of(": list " + whatListed(w))}
}

// notice says that nothing was listed, and how a list is made.
func (l *Page) notice(int) []term.Line {
	out := append([]term.Line{term.Text(term.Bold,
		term.Pick(l.Env.Past(), "Nothing was listed "+l.Env.Since()+".", "Nothing was listed yet."))},
		l.Env.Try(", a list in chunks of two", l.Env.Kubectl()+" get clusterroles --chunk-size=2")...)
	if n := len(l.Env.Walks.All); n > 0 {
		out = append(out, make([]term.Line, 4-len(out))...)
		out = append(out, term.Line{term.Dim.Of(term.Plural(n, "list") + " of Kubarium's own controllers are hidden; "),
			term.Key.Of("v"), term.Dim.Of(" on Traffic shows them")})
	}
	return out
}

// columns describe the list of walks; w is what they have room in.
func (l *Page) columns(w int) []term.TableColumn[*listing.Walk] {
	type walk = *listing.Walk
	compacted, wide := l.Env.Time.Compacted, w >= 98
	return []term.TableColumn[walk]{
		{Name: "seq", Width: 5, Right: true, Cell: func(w walk) term.Span { return term.Dim.Of(fmt.Sprint(w.ID)) }},
		{Name: "+s", Width: 8, From: 98, Right: true, Cell: func(w walk) term.Span {
			return term.Dim.Of(label.Seconds(w.First().Flow.Start.Sub(l.Env.Feed.First)))
		}},
		{Name: "who", Width: 5, Cell: func(w walk) term.Span { return term.Accent.Of(w.First().Flow.Client.Tag) }},
		{Name: "what", Least: 7, Cell: func(w walk) term.Span { return term.Plain.Of(label.Shorter.Replace(whatListed(w))) }},
		{Name: term.Pick(wide, "snapshot", "rv"), Width: term.Pick(wide, 8, 7), Right: true,
			Cell: func(w walk) term.Span {
				return (term.Dim | term.Version).Of(label.Revision(w.First().Snapshot))
			}},
		{Name: "pages", Width: 5, Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(fmt.Sprint(w.Pages())) }},
		{Name: "items", Width: term.Pick(wide, 7, 6), Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(term.Count(w.Items())) }},
		{Name: "left", Width: 12, Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(Remaining(w)) }},
		{Name: "from", Width: 5, From: 98, Cell: func(w walk) term.Span { return term.Dim.Of(sourceOf(w, l.Env.Store())) }},
		{Name: "form", Width: 8, From: 118, Cell: func(w walk) term.Span { return term.Dim.Of(w.Last().Form) }},
		{Name: "state", Width: 14, Cell: func(w walk) term.Span {
			st, words := StandingWords(w.Standing(compacted))
			return st.Of(words)
		}},
	}
}

func (l *Page) sentence(w *listing.Walk) string {
	_, state := StandingWords(w.Standing(l.Env.Time.Compacted))
	return fmt.Sprintf("%s lists %s: snapshot rv %s, %s in %s, left %s, from %s, %s.", w.First().Flow.Client.Tag,
		whatListed(w),
		label.Revision(w.First().Snapshot), term.Plural(w.Items(), "item"), term.Plural(w.Pages(), "page"),
		Remaining(w), sourceOf(w, l.Env.Store()), state)
}

func legend(e *page.Env) []string {
	return []string{
		"Each line is one list. Where it was read in chunks, with limit and continue, all requests of it are one line.",
		"A list is a snapshot: every page shows the collection as it was at the revision that the first page names, " +
			"whatever was written since.",
		"Below, each block is a page, and the name between two blocks is what the continue token to the next page " +
			"holds besides the snapshot's revision: that page begins after this name. A client must not look inside " +
			"a token.",
		"left is remainingItemCount. It is missing for two reasons: the list is complete (–), or a selector hides " +
			"how many match (?).",
		"✗410 is a token whose snapshot is compacted: that link is broken. The answer offers another token, which " +
			"goes on at the newest state (┄): the whole is then of two snapshots.",
		"from says where the objects came from: cache is the snapshot in memory, " + e.Store().Tab + " the history of the store, read at an older revision.",
	}
}

// Whose is the client of the list under the cursor.
func (l *Page) Whose() (tag, why string) {
	if w := l.Selected(); w != nil {
		return w.First().Flow.Client.Tag, ""
	}
	return "", l.Env.T("there is no list under the cursor")
}
