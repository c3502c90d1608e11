package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

// story tells what happened and why, shows the way of the request as bars, and offers what to do next.
func (in *inspector) story(p *inspectorPage, f *flow.Flow) {
	teller := story.Teller{Wrote: func(rv int64) string { return in.u.feed.writers[rv] }}
	p.say(sPlain, strings.Join(teller.Tell(f), " "))
	p.blank()
	in.picture(p, f)
	if len(f.Stations) > 0 {
		in.bars(p, f, false)
		p.blank()
	}
	annotations(p, f)
	in.offers(p, f)
}

// annotations are what guards say of the request, for an audit log; the decision whether it is allowed stands at its station.
func annotations(p *inspectorPage, f *flow.Flow) {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(f.Annotations)), func(key string) bool { return strings.HasPrefix(key, "authorization.k8s.io/") })
	for _, key := range keys {
		p.field("annotated", 13, sName, key)
		p.field("", 13, sPlain, f.Annotations[key])
	}
	if len(keys) > 0 {
		p.blank()
	}
}

// picture draws the versions that met.
func (in *inspector) picture(p *inspectorPage, f *flow.Flow) {
	switch {
	case f.Conflict != nil && f.Conflict.Kind == flow.StaleRevision:
		p.add(span{sPlain, fmt.Sprintf("  sent %d ", f.Conflict.Sent)}, span{sErr, "──✗──"},
			span{sPlain, fmt.Sprintf(" stored %d", f.Conflict.Stored)})
	case f.Conflict != nil:
		p.add(span{sErr, "  ✗ "}, span{sPlain, string(f.Conflict.Kind)})
	case len(f.Effects) > 0:
		e := f.Effects[0]
		sign, st := map[flow.ChangeType]string{flow.Created: "● created", flow.Updated: "→ updated", flow.Deleted: "✗ deleted"}[e.Commit.Type], sAdd
		if e.Commit.Type == flow.Deleted {
			st = sDel
		}
		l := line{{st, "  " + sign}, {sPlain, fmt.Sprintf("  rv %d", e.Commit.Revision)}}
		if n := len(f.Effects); n > 1 {
			l = append(l, span{sDim, fmt.Sprintf("  and %d changes more", n-1)})
		}
		p.more(l)
	case f.Watch != nil:
		s := f.Watch.State()
		if s.Ended.IsZero() {
			p.add(span{sOpen, "  ◉ open"}, span{sPlain, fmt.Sprintf("  %s events, %s bookmarks, last rv %s", count(s.Sent), count(s.Bookmarks), revision(s.Last))})
		} else {
			p.add(span{sDim, "  ○ ended"}, span{sPlain, fmt.Sprintf("  after %s events: %s", count(s.Sent), s.Cause)})
		}
	default:
		return
	}
	p.blank()
}

// bars draws the stations of a request as bars on its time: with their notes, or over the full width without them.
func (in *inspector) bars(p *inspectorPage, f *flow.Flow, full bool) {
	const names = 13
	scale := max(stationsEnd(f), time.Microsecond)
	width := max(8, (p.w-names)*42/100)
	if full {
		width = max(8, p.w-names-8)
	}
	head := fmt.Sprintf("0 ms%s", strings.Repeat(" ", max(1, width-4-len(millis(scale)))))
	p.add(span{sHead, pad("station", names)}, span{sHead, head + millis(scale)})
	top := f.Stations
	reached := map[string]bool{}
	for _, s := range top {
		reached[s.Name] = true
		if full {
			s.Note = ""
		}
		p.more(barLine(s, scale, names, width, p.w))
		for _, m := range f.Plugins {
			if m.Station == s.Name {
				p.more(pluginLine(m, p.w)...)
			}
		}
	}
	for _, name := range flow.Stations {
		if !reached[name] && f.Status >= 400 && (full || isMilestone(name)) {
			p.add(span{sDim, pad(name, names)}, span{sDim, "not reached"})
		}
	}
}

// pluginLine tells what an admission plugin changed or refused; nothing of one that let the object pass as it was.
func pluginLine(m flow.PluginMark, total int) []line {
	switch {
	case m.Refusal != "":
		return []line{fitLine(line{{sErr, "  ✗ " + m.Plugin}, {sErr, "  " + m.Refusal}}, total)}
	case len(m.Changed) > 0:
		return []line{fitLine(line{{sPlain, "  " + m.Plugin}, {sDim, "  changed " + strings.Join(m.Changed, ", ")}}, total)}
	}
	return nil
}

// isMilestone reports whether a station is worth naming where it was not reached.
func isMilestone(name string) bool {
	return name == flow.Mutate || name == "validate" || name == "store"
}

func stationsEnd(f *flow.Flow) time.Duration {
	end := time.Duration(0)
	for _, s := range f.Stations {
		end = max(end, s.Start+s.Length)
	}
	return end
}

func barLine(s flow.Station, scale time.Duration, names, width, total int) line {
	from := int(int64(s.Start) * int64(width) / int64(scale))
	long := int(int64(s.Length) * int64(width) / int64(scale))
	from = min(from, width-1)
	bar, st := strings.Repeat("█", min(long, width-from)), sAccent
	if s.Depth > 0 {
		bar, st = strings.Repeat("━", min(long, width-from)), sDim
	}
	if bar == "" {
		bar = "▏"
	}
	if s.Failed {
		bar, st = bar+"✗", sErr
	}
	name := pad(fit(strings.Repeat("  ", s.Depth)+s.Name, names-1), names)
	l := line{{sPlain, name}, {sPlain, strings.Repeat(" ", from)}, {st, bar}}
	used := names + from + text(st, bar).width()
	l = append(l, span{sPlain, strings.Repeat(" ", max(0, names+width+1-used))})
	l = append(l, span{sNum, fmt.Sprintf("%6s", millis(s.Length))})
	if s.Note != "" {
		l = append(l, span{pick(s.Failed, sErr, sDim), "  " + s.Note})
	}
	return fitLine(l, total)
}

// offers names the keys that are useful for this request.
func (in *inspector) offers(p *inspectorPage, f *flow.Flow) {
	offer := func(key, what string) { p.add(span{sKey, "  " + pad(key, 4)}, span{sPlain, what}) }
	offer("y", "copy as kubectl, curl, body, SQL")
	if in.u.needsReplayable() == "" {
		offer("r", pick(cannotFresh(f) == "", "replay: same, fresh rv, without rv", "replay: send it again"))
	}
	if len(f.Effects) > 0 {
		offer("[ ]", "Effects shows the object before and after")
	}
	if f.Watch != nil {
		offer("2", "see this watch against the head")
	}
	if of, ok := replayOf(f); ok {
		p.add(span{sKey, "  ↻   "}, span{sPlain, fmt.Sprintf("you sent #%d again with r", of)})
	} else if of, ok := in.u.feed.retries[f.Seq]; ok {
		p.add(span{sKey, "  ↻   "}, span{sPlain, fmt.Sprintf("this tries #%d again, which was refused", of)})
	}
	offer("e", "explain this pane")
}

// stations is the full waterfall.
func (in *inspector) stations(p *inspectorPage, f *flow.Flow) {
	p.add(span{sBold, millis(f.Duration) + " ms"}, span{sPlain, " to the last byte of the answer"})
	p.blank()
	if len(f.Stations) == 0 {
		p.say(sDim, "This request was answered before its first station.")
		return
	}
	in.bars(p, f, true)
	p.blank()
	p.add(span{sHead, pad("station", 12)}, span{sHead, fmt.Sprintf("%9s %8s  %s", "start ms", "ms", "note")})
	for _, s := range f.Stations {
		st := pick(s.Failed, sErr, sPlain)
		name := pad(strings.Repeat("  ", s.Depth)+s.Name, 12)
		head := fmt.Sprintf("%9s %8s  ", fine(s.Start), fine(s.Length))
		note := wrap(s.Note, max(10, p.w-32))
		p.add(span{st, name}, span{sNum, head}, span{st, note[0]})
		for _, n := range note[1:] {
			p.add(span{st, strings.Repeat(" ", 32) + n})
		}
	}
	if b := f.Batch; b != nil {
		p.blank()
		p.say(sPlain, batchText(b))
	}
}

// fine is a duration in milliseconds to the microsecond.
func fine(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond)) }

func batchText(b *flow.Batch) string {
	with := "alone in it"
	if b.Writes > 1 {
		with = "with " + plural(b.Writes-1, "other write") + " in it"
	}
	return fmt.Sprintf("Transaction %d %s, %s; it waited %s ms for its turn and the commit took %s ms.", b.ID, b.Outcome, with, millis(b.Waited), millis(b.Commit))
}

// sql lists each statement with its values.
func (in *inspector) sql(p *inspectorPage, f *flow.Flow) {
	if len(f.Statements) == 0 {
		p.say(sPlain, "No SQL ran for this request: it was answered from memory, or refused before the store.")
		return
	}
	for i, s := range f.Statements {
		if i > 0 {
			p.blank()
		}
		p.add(span{sBold, fmt.Sprintf("%d", i+1)}, span{sNum, fmt.Sprintf("  at %s ms, took %d µs", fine(s.Start), s.Length.Microseconds())},
			span{sPlain, fmt.Sprintf("  %s", plural(s.Rows, "row"))})
		for _, l := range strings.Split(strings.TrimSpace(s.SQL), "\n") {
			for _, part := range wrap(strings.TrimRight(l, " \t"), max(8, p.w-2)) {
				p.more(append(line{{sPlain, "  "}}, sqlSpans(part)...))
			}
		}
		for n, a := range s.Args {
			p.field(fmt.Sprintf("   ?%d", n+1), 7, sStr, a)
		}
		in.plan(p, s)
	}
	if f.Batch != nil {
		p.blank()
		p.say(sPlain, batchText(f.Batch))
	}
	if in.u.inWords {
		return
	}
	p.blank()
	p.add(span{sKey, "enter"}, span{sDim, pick(in.plans.on, " hides how SQLite runs them", " shows how SQLite runs them")})
}

// sqlWords are set off in statements.
var sqlWords = map[string]bool{"SELECT": true, "FROM": true, "WHERE": true, "INSERT": true, "INTO": true, "VALUES": true, "UPDATE": true,
	"SET": true, "DELETE": true, "AND": true, "OR": true, "ORDER": true, "BY": true, "LIMIT": true, "RETURNING": true, "ON": true, "CONFLICT": true,
	"DO": true, "NOTHING": true, "BEGIN": true, "COMMIT": true, "IMMEDIATE": true, "JOIN": true, "AS": true, "NOT": true, "EXISTS": true, "MAX": true}

func sqlSpans(s string) line {
	var l line
	for i, w := range strings.SplitAfter(s, " ") {
		st := sPlain
		if sqlWords[strings.ToUpper(strings.Trim(w, " (),;"))] {
			st = sName
		}
		if i > 0 && l[len(l)-1].st == st {
			l[len(l)-1].s += w
		} else {
			l = append(l, span{st, w})
		}
	}
	return l
}
