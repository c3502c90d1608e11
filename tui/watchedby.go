package tui

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kubarium/server/flow"
)

// mostWatchers is how many watches of one object are listed.
const mostWatchers = 200

// watcherLines list the open watches that this object's changes concern, with what each was last sent of it.
func (p *objectPane) watcherLines(w int) []line {
	u := p.o.u
	c := flow.Commit{Resource: p.of.id(), Namespace: p.key.namespace, Name: p.key.name}
	var found []*flow.Watch
	for _, x := range u.streams.all {
		if of := concernOf(x); of.has(&c) && x.State().Ended.IsZero() && (u.feed.own || !x.Client.Own()) {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		return []line{text(sBold, "Nobody watches this object."), text(sPlain, "In another window:"),
			text(sAccent, "  kubectl"+u.serverFlag()+" get "+p.of.fullName()+" "+p.key.name+pick(p.of.namespaced, " -n "+p.key.namespace, "")+" -w")}
	}
	slices.SortFunc(found, func(a, b *flow.Watch) int { return cmp.Compare(a.ID, b.ID) })
	const who, state = 7, 13
	what := max(12, min(36, w-who-state-25))
	out := []line{text(sHead, fit(pad("who", who)+pad("watches", what)+pad("behind", state)+"last sent of this object", w))}
	selective := false
	for _, x := range found[:min(len(found), mostWatchers)] {
		selective = selective || atMost(x) != ""
		out = append(out, fitLine(p.watcherLine(x, who, what, state), w))
	}
	if n := len(found) - mostWatchers; n > 0 {
		out = append(out, text(sDim, count(n)+" more watches"))
	}
	out = append(out, nil)
	if selective {
		out = append(out, wrapLines(sDim, "A watch with a selector is sent this object's changes only while its labels or fields pass; when they cease to, it is sent a DELETED.", w)...)
	}
	return append(out, wrapLines(sDim, "after is the time from the commit of the change to the socket. 2 shows every watch against the head.", w)...)
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

func (p *objectPane) watcherLine(x *flow.Watch, who, what, state int) line {
	st, lag := p.o.u.streams.lag(x, x.State())
	l := line{{sAccent, pad(fit(x.Client.Tag, who-1), who)}, {sPlain, pad(fit(watchScope(x), what-1), what)}, {st, pad(fit(lag, state-1), state)}}
	frames := x.Frames()
	for _, f := range slices.Backward(frames) {
		if f.Name != p.key.name || f.Namespace != p.key.namespace || f.Type == "BOOKMARK" {
			continue
		}
		fst, glyph := frameGlyph(f.Type)
		l = append(l, span{fst, glyph}, span{sPlain, " rv "}, span{sNum, revision(f.Revision)})
		if !f.Committed.IsZero() {
			l = append(l, span{sDim, fmt.Sprintf(", after %s ms", millis(f.Written.Sub(f.Committed)))})
		}
		return l
	}
	return append(l, span{sDim, "nothing yet"})
}
