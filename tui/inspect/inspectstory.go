package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// story describes what happened and why, draws the way of the request as bars, and offers keys.
func (in *Inspector) story(p *term.Column, f *flow.Flow) {
	if c, _ := in.env.Call(); c != nil && c.Flow == f {
		in.callStory(p, c)
		return
	}
	in.account(p, f)
	in.offers(p, f)
}

// Account returns the story of a request in lines, without the offered keys.
func (in *Inspector) Account(f *flow.Flow, width int) []term.Line {
	p := &term.Column{W: width}
	if in.jumps == nil {
		in.jumps = map[int]uint64{}
	}
	in.account(p, f)
	return p.Lines
}

func (in *Inspector) account(p *term.Column, f *flow.Flow) {
	teller := story.Teller{
		Wrote:     func(rv int64) string { return in.env.Feed.Writers[rv] },
		Read:      in.env.Feed.Reader,
		Committed: in.env.Time.Committed,
	}
	p.Say(term.Plain, strings.Join(teller.Tell(f), " "))
	p.Blank()
	in.chain(p, f)
	in.picture(p, f)
	in.decided(p, f, false)
	if len(way(f)) > 0 {
		in.bars(p, f, false)
		p.Blank()
	}
	annotations(p, f)
}

// annotations adds the audit annotations of the request, except the authorizer's, which are at its station.
func annotations(p *term.Column, f *flow.Flow) {
	authorizer := func(key string) bool { return strings.HasPrefix(key, "authorization.k8s.io/") }
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(f.Annotations)), authorizer)
	for _, key := range keys {
		p.Field("annotated", 13, term.Name, key)
		p.Field("", 13, term.Plain, f.Annotations[key])
	}
	if len(keys) > 0 {
		p.Blank()
	}
}

// picture draws the versions involved.
func (in *Inspector) picture(p *term.Column, f *flow.Flow) {
	switch {
	case f.Conflict != nil && f.Conflict.Kind == flow.StaleRevision:
		p.Add(term.Plain.Of(fmt.Sprintf("  sent %d ", f.Conflict.Sent)), term.Err.Of("──✗──"),
			term.Plain.Of(fmt.Sprintf(" stored %d", f.Conflict.Stored)))
	case f.Conflict != nil:
		p.Add(term.Err.Of("  ✗ "), term.Plain.Of(string(f.Conflict.Kind)))
	case len(f.Effects) > 0:
		e := f.Effects[0]
		sign := map[flow.ChangeType]string{
			flow.Created: "● created", flow.Updated: "→ updated", flow.Deleted: "✗ deleted",
		}[e.Commit.Type]
		st := term.Add
		if e.Commit.Type == flow.Deleted {
			st = term.Del
		}
		l := term.Line{st.Of("  " + sign)}
		if e.Commit.Revision > 0 { // through the glass that of a deletion is not known
			l = append(l, term.Plain.Of(fmt.Sprintf("  rv %d", e.Commit.Revision)))
		}
		if n := len(f.Effects); n > 1 {
			l = append(l, term.Dim.Of(fmt.Sprintf("  and %d more changes", n-1)))
		}
		p.More(l)
	case f.Watch != nil:
		s := f.Watch.State()
		if s.Ended.IsZero() {
			text := fmt.Sprintf("  %s events, %s bookmarks, last rv %s", term.Count(s.Sent), term.Count(s.Bookmarks),
				label.Revision(s.Last))
			p.Add(term.Open.Of(term.Pick(in.env.Past(), "  ◉ open "+in.env.Then(), "  ◉ open")), term.Plain.Of(text))
		} else {
			p.Add(term.Dim.Of("  ○ ended"), term.Plain.Of(fmt.Sprintf("  after %s events: %s", term.Count(s.Sent),
				s.Cause)))
		}
	default:
		return
	}
	p.Blank()
}

// bars draws the stations of a request as bars over its time: with their notes, or over the full width without them.
func (in *Inspector) bars(p *term.Column, f *flow.Flow, full bool) {
	const names = 13
	scale := max(stationsEnd(f), time.Microsecond)
	width := max(8, (p.W-names)*42/100)
	if full {
		width = max(8, p.W-names-8)
	}
	head := fmt.Sprintf("0 ms%s", strings.Repeat(" ", max(1, width-4-len(term.Millis(scale)))))
	p.Add(term.Head.Of(term.Pad("station", names)), term.Head.Of(head+term.Millis(scale)))
	top := way(f)
	reached := map[string]bool{}
	for _, s := range top {
		reached[s.Name] = true
		if full {
			s.Note = ""
		}
		p.More(barLine(s, scale, names, width, p.W))
	}
	for _, name := range flow.StationsOf(f.Target) {
		if reached[flow.Proxy] || f.Behind() { // what happened there is not known
			break
		}
		if !reached[name] && f.Status >= 400 && (full || isMilestone(name)) {
			p.Add(term.Dim.Of(term.Pad(name, names)), term.Dim.Of("not reached"))
		}
	}
}

// isMilestone reports whether a station is listed if it was not reached.
func isMilestone(name string) bool {
	return name == flow.Mutate || name == "validate" || name == "store"
}

func stationsEnd(f *flow.Flow) time.Duration {
	end := time.Duration(0)
	for _, s := range way(f) {
		end = max(end, s.Start+s.Length)
	}
	return end
}

func barLine(s flow.Station, scale time.Duration, names, width, total int) term.Line {
	from := int(int64(s.Start) * int64(width) / int64(scale))
	long := int(int64(s.Length) * int64(width) / int64(scale))
	from = min(from, width-1)
	bar, st := strings.Repeat("█", min(long, width-from)), term.Accent
	if s.Depth > 0 {
		bar, st = strings.Repeat("━", min(long, width-from)), term.Dim
	}
	if bar == "" {
		bar = "▏"
	}
	if s.Failed {
		bar, st = bar+"✗", term.Err
	}
	name := term.Pad(term.Fit(strings.Repeat("  ", s.Depth)+s.Name, names-1), names)
	l := term.Line{term.Plain.Of(name), term.Plain.Of(strings.Repeat(" ", from)), st.Of(bar)}
	used := names + from + term.Text(st, bar).Width()
	l = append(l, term.Plain.Of(strings.Repeat(" ", max(0, names+width+1-used))))
	l = append(l, term.Num.Of(fmt.Sprintf("%6s", term.Millis(s.Length))))
	if s.Note != "" {
		l = append(l, term.Pick(s.Failed, term.Err, term.Dim).Of("  "+s.Note))
	}
	return term.FitLine(l, total)
}

// offers names the keys that are useful for this request.
func (in *Inspector) offers(p *term.Column, f *flow.Flow) {
	offer := func(key, what string) { p.Add(term.Key.Of("  "+term.Pad(key, 4)), term.Plain.Of(what)) }
	offer("y", "copy as kubectl, curl, body, "+in.env.Store().Copy)
	if in.env.NeedsReplayable() == "" {
		offer("r", term.Pick(page.CannotFresh(f) == "", "replay: same, fresh rv, without rv", "replay: send it again"))
	}
	if len(f.Effects) > 0 {
		offer("[ ]", "Effects shows the object before and after")
	}
	if f.Watch != nil {
		offer("2", "see this watch against the head")
	}
	if len(f.Faults) > 0 {
		offer("9", "the gate: rules, and what they touched")
	}
	if of, ok := feed.ReplayOf(f); ok {
		p.Add(term.Key.Of("  ↻   "), term.Plain.Of(fmt.Sprintf("you sent #%d again with r", of)))
	} else if of, ok := in.env.Feed.Retries[f.Seq]; ok {
		p.Add(term.Key.Of("  ↻   "), term.Plain.Of(fmt.Sprintf("this tries #%d again, which was refused", of)))
	}
	offer("e", "explain this pane")
}

// stations is the full waterfall.
func (in *Inspector) stations(p *term.Column, f *flow.Flow) {
	p.Add(term.Bold.Of(term.Millis(f.Duration)+" ms"), term.Plain.Of(" to the last byte of the answer"))
	p.Blank()
	if c, _ := in.env.Call(); c != nil && c.Flow == f {
		p.Say(term.Plain, "What the other server did with it is not known here: a call has no stations.")
		return
	}
	if len(way(f)) == 0 {
		p.Say(term.Dim, "This request was answered before its first station.")
		return
	}
	in.bars(p, f, true)
	p.Blank()
	in.decided(p, f, true)
	p.Add(term.Head.Of(term.Pad("station", 12)), term.Head.Of(fmt.Sprintf("%9s %8s  %s", "start ms", "ms", "note")))
	for _, s := range way(f) {
		st := term.Pick(s.Failed, term.Err, term.Plain)
		name := term.Pad(strings.Repeat("  ", s.Depth)+s.Name, 12)
		head := fmt.Sprintf("%9s %8s  ", fine(s.Start), fine(s.Length))
		note := term.Wrap(s.Note, max(10, p.W-32))
		p.Add(st.Of(name), term.Num.Of(head), st.Of(note[0]))
		for _, n := range note[1:] {
			p.Add(st.Of(strings.Repeat(" ", 32) + n))
		}
	}
	if b := f.Batch; b != nil {
		p.Blank()
		p.Say(term.Plain, batchText(b))
	}
}

// fine writes a duration in milliseconds with microseconds.
func fine(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond)) }

func batchText(b *flow.Batch) string {
	with := "alone in it"
	if b.Writes > 1 {
		with = "with " + term.Plural(b.Writes-1, "other write") + " in it"
	}
	return fmt.Sprintf("Transaction %d %s, %s; it waited %s ms for its turn and the commit took %s ms.", b.ID,
		b.Outcome, with, term.Millis(b.Waited), term.Millis(b.Commit))
}

// store lists each statement with its values.
func (in *Inspector) store(p *term.Column, f *flow.Flow) {
	store := in.env.Store()
	if len(f.Statements) == 0 {
		p.Say(term.Plain, store.Idle)
		return
	}
	for i, s := range f.Statements {
		if i > 0 {
			p.Blank()
		}
		p.Add(term.Bold.Of(fmt.Sprintf("%d", i+1)),
			term.Num.Of(fmt.Sprintf("  at %s ms, took %d µs", fine(s.Start), s.Length.Microseconds())),
			term.Plain.Of(fmt.Sprintf("  %s", term.Plural(s.Rows, store.Unit))))
		if store == label.Etcd {
			etcdLines(p, &s)
			continue
		}
		for _, l := range strings.Split(strings.TrimSpace(s.SQL), "\n") {
			for _, part := range term.Wrap(strings.TrimRight(l, " \t"), max(8, p.W-2)) {
				p.More(append(term.Line{term.Plain.Of("  ")}, sqlSpans(part)...))
			}
		}
		for n, a := range s.Args {
			p.Field(fmt.Sprintf("   ?%d", n+1), 7, term.Str, a)
		}
		in.plan(p, s)
	}
	if f.Batch != nil {
		p.Blank()
		p.Say(term.Plain, batchText(f.Batch))
	}
	if in.env.InWords || !store.Plans {
		return
	}
	p.Blank()
	p.Add(term.Key.Of("enter"), term.Dim.Of(term.Pick(in.plans.on, " hides how SQLite runs them",
		" shows how SQLite runs them")))
}

// sqlWords are highlighted in statements.
var sqlWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE AND OR ORDER BY LIMIT " +
		"RETURNING ON " +
		"CONFLICT DO NOTHING BEGIN COMMIT IMMEDIATE JOIN AS NOT EXISTS MAX") {
		out[w] = true
	}
	return out
}()

func sqlSpans(s string) term.Line {
	var l term.Line
	for i, w := range strings.SplitAfter(s, " ") {
		st := term.Plain
		if sqlWords[strings.ToUpper(strings.Trim(w, " (),;"))] {
			st = term.Name
		}
		if i > 0 && l[len(l)-1].St == st {
			l[len(l)-1].Text += w
		} else {
			l = append(l, st.Of(w))
		}
	}
	return l
}
