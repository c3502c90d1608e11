package objects

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/label"
	"kubarium/tui/streams"
	"kubarium/tui/term"
)

// mostWatchers is how many watches of one object are listed.
const mostWatchers = 200

// watcherLines list the open watches that this object's changes concern, with what each was last sent of it.
func (p *Object) watcherLines(w int) []term.Line {
	u := p.o.env
	c := flow.Commit{Resource: p.Of.ID(), Namespace: p.key.Namespace, Name: p.key.Name}
	var found []*flow.Watch
	for _, x := range u.Streams.All {
		if of := streams.ConcernOf(x); of.Has(&c) && x.State().Ended.IsZero() && (u.Feed.Own || !x.Client.Own()) {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		return []term.Line{term.Text(term.Bold, "Nobody watches this object."), term.Text(term.Plain, "In another window:"),
			term.Text(term.Accent, "  kubectl"+u.ServerFlag()+" get "+p.Of.FullName()+" "+p.key.Name+term.Pick(p.Of.Namespaced, " -n "+p.key.Namespace, "")+" -w")}
	}
	slices.SortFunc(found, func(a, b *flow.Watch) int { return cmp.Compare(a.ID, b.ID) })
	const who, state = 7, 13
	what := max(12, min(36, w-who-state-25))
	out := []term.Line{term.Text(term.Head, term.Fit(term.Pad("who", who)+term.Pad("watches", what)+term.Pad("behind", state)+"last sent of this object", w))}
	selective := false
	for _, x := range found[:min(len(found), mostWatchers)] {
		selective = selective || streams.AtMost(x) != ""
		out = append(out, term.FitLine(p.watcherLine(x, who, what, state), w))
	}
	if n := len(found) - mostWatchers; n > 0 {
		out = append(out, term.Text(term.Dim, term.Count(n)+" more watches"))
	}
	out = append(out, nil)
	if selective {
		out = append(out, term.WrapLines(term.Dim, "A watch with a selector is sent this object's changes only while its labels or fields pass; when they cease to, it is sent a DELETED.", w)...)
	}
	return append(out, term.WrapLines(term.Dim, "after is the time from the commit of the change to the socket. 2 shows every watch against the head.", w)...)
}

// watchScope says of which objects a watch is told, beside one that it is told of.
func watchScope(x *flow.Watch) string {
	scope := "all namespaces"
	switch {
	case x.Target.Name != "" || strings.Contains(x.Query, "fieldSelector=metadata.name"):
		scope = "it alone"
	case x.Target.Namespace != "":
		scope = "its namespace"
	}
	q, err := url.ParseQuery(x.Query)
	if s := q.Get("labelSelector"); err == nil && s != "" {
		scope += ", " + s
	}
	return scope
}

func (p *Object) watcherLine(x *flow.Watch, who, what, state int) term.Line {
	st, lag := p.o.env.Streams.Lag(x, x.State())
	l := term.Line{term.Accent.Of(term.Pad(term.Fit(x.Client.Tag, who-1), who)), term.Plain.Of(term.Pad(term.Fit(watchScope(x), what-1), what)), st.Of(term.Pad(term.Fit(lag, state-1), state))}
	frames := x.Frames()
	for _, f := range slices.Backward(frames) {
		if f.Name != p.key.Name || f.Namespace != p.key.Namespace || f.Type == "BOOKMARK" {
			continue
		}
		fst, glyph := label.FrameGlyph(f.Type)
		l = append(l, fst.Of(glyph), term.Plain.Of(" rv "), term.Num.Of(label.Revision(f.Revision)))
		if !f.Committed.IsZero() {
			l = append(l, term.Dim.Of(fmt.Sprintf(", after %s ms", term.Millis(f.Written.Sub(f.Committed)))))
		}
		return l
	}
	return append(l, term.Dim.Of("nothing yet"))
}
