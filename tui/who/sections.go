package who

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// How many lines a section has at most.
const (
	mostWatches  = 12
	mostObjects  = 12
	mostRetries  = 6
	mostRefusals = 6
	mostFindings = 6
)

// identity says who the client is: its tag where no title has it, and in one line its program, its user, and the
// command.
func (x *Page) identity(b *builder) {
	c := x.client
	sent := counts(c) + " · first " + x.clock(c.First)
	if !x.env.Titled && !x.env.InWords {
		b.one("name", term.Bold.Of(x.name()), term.Dim.Of("   "+sent))
	}
	l := []term.Span{term.Accent.Of(cmp.Or(agent(c.UserAgent), "without a User-Agent"))}
	if c.User != "" {
		l = append(l, term.Dim.Of(" as "), term.Plain.Of(c.User))
	}
	if c.Impersonator != "" {
		l = append(l, term.Dim.Of(" by "), term.Plain.Of(c.Impersonator))
	}
	if c.Command != "" {
		l = append(l, term.Dim.Of(" · "), term.Plain.Of(c.Command))
	}
	b.one("identity", l...)
	if x.env.Titled && !x.env.InWords {
		b.one("counts", term.Dim.Of(sent))
	}
}

// agent is a User-Agent without what all programs of the same build have: the platform and the commit.
func agent(s string) string {
	words := strings.Fields(s)
	out := words[:0]
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "(") && strings.HasSuffix(w, ")"):
			continue
		case strings.HasPrefix(w, "kubernetes/"):
			_, w, _ = strings.Cut(strings.TrimPrefix(w, "kubernetes/"), "/")
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// waits says what the client waits for.
func (x *Page) waits(b *builder) {
	for i := range x.client.Waits {
		w := &x.client.Waits[i]
		st, sign := grave(w.Kind)
		key := fmt.Sprintf("wait/%s/%d", w.Kind, i)
		to := link{seq: w.Seq, watch: w.Watch}
		b.item(to, key, st.Of(sign+" "+string(w.Kind)+": "), term.Bold.Of(w.What))
		b.item(to, key+"/why", term.Dim.Of("  "+x.lasts(w)), term.Plain.Of(w.Why))
	}
}

// grave is the sign of a kind of waiting.
func grave(k clients.Kind) (term.Style, string) {
	switch k {
	case clients.EndedWatch, clients.ConflictLoop, clients.Refused:
		return term.Err, "✗"
	case clients.Idle:
		return term.Dim, "·"
	case clients.Gone:
		return term.Dim, "○"
	}
	return term.Warn, "!"
}

// lasts says since when the client has waited, and how long it still will. For how long it has is in the sentence about
// most kinds already.
func (x *Page) lasts(w *clients.Wait) (s string) {
	now := x.env.Now()
	if !w.Since.IsZero() {
		s = "since " + x.clock(w.Since)
		switch w.Kind {
		case clients.ConflictLoop, clients.Refused, clients.Throttled:
			s += ", " + term.Ago(now.Sub(w.Since))
		}
		s += " · "
	}
	if left := w.Until.Sub(now); !w.Until.IsZero() && left > 0 {
		s += fmt.Sprintf("until %s, %s more · ", x.clock(w.Until), term.Ago(left))
	}
	if w.Why == "" {
		return strings.TrimSuffix(s, " · ")
	}
	return s
}

// watches lists the watches, the open ones first.
func (x *Page) watches(b *builder) {
	all := x.client.Watches
	if len(all) == 0 {
		return
	}
	open := 0
	for i := range all {
		open += term.Pick(all[i].State().Ended.IsZero(), 1, 0)
	}
	b.head("watches", fmt.Sprintf("%d open, %d ended", open, len(all)-open))
	for _, w := range all[:min(mostWatches, len(all))] {
		x.watch(b, &w)
	}
	b.cut(len(all), mostWatches)
}

func (x *Page) watch(b *builder, w *clients.Watch) {
	s := w.State()
	st, sign := term.Open, "◉ "
	if !s.Ended.IsZero() {
		st, sign = term.Dim, "○ "
	}
	l := []term.Span{st.Of(sign), term.Bold.Of(target(w.Watch)),
		term.Dim.Of(" since " + x.clock(w.Opened))}
	if w.Other {
		l = append(l, term.Dim.Of(" of "), term.Accent.Of(w.Client.Tag))
	}
	l = append(l, x.lastEvent(w.Watch, &s)...)
	switch {
	case !s.Ended.IsZero():
		l = append(l, term.Warn.Of(" · ended "+x.after(s.Ended)+": "+cmp.Or(s.Cause, "no cause is known")))
	case w.Lag > 0:
		l = append(l, term.Warn.Of(" · lags by "+term.Ago(w.Lag)))
	default:
		l = append(l, term.Dim.Of(" · up to date"))
	}
	b.item(link{watch: w.ID, revision: s.LastEvent}, fmt.Sprint("watch/", w.ID), l...)
}

// target is what a watch is of, with its selectors as people write them.
func target(w *flow.Watch) string {
	s := label.Shorter.Replace(label.Watch(w))
	if said, err := url.QueryUnescape(s); err == nil {
		return object.OneLine(said)
	}
	return s
}

// lastEvent says which event a watch was sent last.
func (x *Page) lastEvent(w *flow.Watch, s *flow.WatchState) []term.Span {
	frames := w.Frames()
	for i := len(frames) - 1; i >= 0; i-- {
		fr := &frames[i]
		if fr.Type == "BOOKMARK" || fr.Type == "ERROR" {
			continue
		}
		said := fmt.Sprintf(" · %s, last %s %s ", term.Plural(int(s.Sent), "event"), fr.Type, fr.Name)
		return []term.Span{term.Plain.Of(said),
			(term.Plain | term.Version).Of(fmt.Sprint(fr.Revision)), term.Plain.Of(" " + x.after(fr.Written))}
	}
	if s.Sent > 0 {
		return []term.Span{term.Plain.Of(" · " + term.Plural(int(s.Sent), "event"))}
	}
	return []term.Span{term.Plain.Of(" · no event yet")}
}

// objects lists what the client read and wrote last of each object.
func (x *Page) objects(b *builder) {
	all := x.client.Objects
	if len(all) == 0 {
		return
	}
	b.head("objects", "last read and last write of each")
	for i := range all[:min(mostObjects, len(all))] {
		o := &all[i]
		l := []term.Span{term.Name.Of("  " + named(o.Resource, o.Namespace, o.Name))}
		if o.Read > 0 {
			l = append(l, term.Dim.Of("  read "), (term.Plain | term.Version).Of(label.Revision(o.ReadRevision)),
				term.Dim.Of(" "+x.after(o.ReadAt)))
		}
		if o.Wrote > 0 {
			word := term.Dim.Of("  wrote ")
			if o.Status >= 400 {
				word = term.Warn.Of(fmt.Sprintf("  refused %d! ", o.Status))
			}
			l = append(l, word)
			if o.WroteRevision > 0 {
				l = append(l, (term.Plain | term.Version).Of(fmt.Sprint(o.WroteRevision)+" "))
			}
			l = append(l, term.Dim.Of(x.after(o.WroteAt)))
		}
		if o.Writes > 1 {
			l = append(l, term.Dim.Of("  "+term.Count(o.Writes)+" writes"))
		}
		b.item(link{seq: max(o.Read, o.Wrote)}, "object/"+o.Resource+"/"+o.Namespace+"/"+o.Name, l...)
	}
	b.cut(len(all), mostObjects)
}

// retries lists what was sent again, with the time between two tries.
func (x *Page) retries(b *builder) {
	all := x.client.Retries
	if len(all) == 0 {
		return
	}
	b.head("retries", "with the time between two tries")
	for i := range all[:min(mostRetries, len(all))] {
		r := &all[i]
		of := named(r.Resource, r.Namespace, r.Name) + term.Pick(r.Subresource == "", "", "/"+r.Subresource)
		l := []term.Span{term.Plain.Of("  " + label.Verb(r.Verb) + " " + of + "  ")}
		if more := r.All - len(r.Tries); more > 0 {
			l = append(l, term.Dim.Of("… "))
		}
		last := uint64(0)
		for j := range r.Tries {
			t := &r.Tries[j]
			if j > 0 {
				l = append(l, term.Dim.Of(x.pause(t.Delay)))
			}
			l = append(l, term.Pick(t.Status >= 400, term.Warn, term.Plain).Of(fmt.Sprint(t.Status)+" "))
			last = t.Seq
		}
		l = append(l, term.Dim.Of(" "+term.Plural(r.All, "request")+term.Pick(r.Ended, "", ", goes on")))
		b.item(link{seq: last}, fmt.Sprint("retry/", r.Verb, of), l...)
	}
	b.cut(len(all), mostRetries)
}

// pause is the time between two tries: as an arrow, or in words.
func (x *Page) pause(d time.Duration) string {
	if x.env.InWords {
		return "after " + term.Ago(d) + " "
	}
	return "─" + strings.ReplaceAll(term.Ago(d), " ", firm) + "─▶ "
}

// refusals lists what the client was refused.
func (x *Page) refusals(b *builder) {
	all := x.client.Refusals
	if len(all) == 0 {
		return
	}
	b.head("refusals", "")
	for i := range all[:min(mostRefusals, len(all))] {
		r := &all[i]
		l := []term.Span{term.Warn.Of(fmt.Sprintf("  %d! %s ", r.Status, r.Reason)),
			term.Plain.Of(label.Verb(r.Verb) + " " + named(r.Resource, r.Namespace, r.Name))}
		if r.Count > 1 {
			l = append(l, term.Bold.Of(" ×"+term.Count(r.Count)))
		}
		l = append(l, term.Dim.Of(" last "+x.after(r.Last)))
		if r.RetryAfter > 0 {
			l = append(l, term.Plain.Of(", asked to wait "+term.Ago(r.RetryAfter)))
		}
		if r.Message != "" {
			l = append(l, term.Plain.Of(": "+term.Fit(r.Message, longest)))
		}
		b.item(link{seq: r.Seq}, fmt.Sprint("refusal/", r.Status, r.Verb, r.Resource, r.Namespace, r.Name), l...)
	}
	b.cut(len(all), mostRefusals)
}

// longest is how much of a message of the server is shown, in cells; its request has all of it.
const longest = 160

// clock is a time of the day.
func (x *Page) clock(at time.Time) string { return at.Format(time.TimeOnly) }

// findings lists what doctor finds about the client.
func (x *Page) findings(b *builder) {
	if x.env.Found == nil {
		return
	}
	n := 0
	for _, f := range clients.Findings(x.env.Found(), x.tag, x.env.Log.Get) {
		n++
		if n == 1 {
			b.head("what doctor finds", term.Pick(x.env.InWords, "", x.env.T("0 opens the page")))
		}
		if n > mostFindings {
			continue
		}
		seq := f.Records[0]
		b.item(link{seq: seq, findings: x.env.Log.Get(seq) == nil}, fmt.Sprint("finding/", f.Rule, f.Object),
			term.Pick(f.Severity == "note", term.Dim, term.Warn).Of("  "+string(f.Severity)+": "), term.Plain.Of(f.What),
			term.Bold.Of(" ×"+term.Count(f.Count)))
	}
	b.cut(n, mostFindings)
}
