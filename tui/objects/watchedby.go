package objects

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kubarium/analysis/lag"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/streams"
	"kubarium/tui/term"
)

// mostWatchers is how many watches of one object are listed.
const mostWatchers = 200

// watcherLines are the open watches that this object's changes concern, with the last event of it on each.
func (p *Object) watcherLines(w int) []term.Line {
	u := p.o.env
	c := flow.Commit{Resource: p.Of.ID(), Namespace: p.key.Namespace, Name: p.key.Name}
	var found []*flow.Watch
	for _, x := range u.Streams.All {
		if of := lag.ScopeOf(x.Target); of.Has(&c) && x.State().Ended.IsZero() && (u.Feed.Own || !x.Client.Own()) {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		none := term.Pick(u.Past(), "No client watched this object "+u.Then()+".", "No client watches this object.")
		command := u.Kubectl() + " get " + p.Of.FullName() + " " + p.key.Name +
			term.Pick(p.Of.Namespaced, " -n "+p.key.Namespace, "") + " -w"
		return append([]term.Line{term.Text(term.Bold, none)}, u.Try("", command)...)
	}
	slices.SortFunc(found, func(a, b *flow.Watch) int { return cmp.Compare(a.ID, b.ID) })
	t := term.PlanTable(w+1, 1, p.watcherColumns(w), nil) // the last column has no gap after it
	out := []term.Line{t.Heading()}
	selective := false
	for _, x := range found[:min(len(found), mostWatchers)] {
		selective = selective || streams.AtMost(x) != ""
		out = append(out, t.Row(x))
	}
	if n := len(found) - mostWatchers; n > 0 {
		out = append(out, term.Text(term.Dim, term.Count(n)+" more watches"))
	}
	out = append(out, nil)
	if selective {
		out = append(out, term.WrapLines(term.Dim, "A watch with a selector is sent this object's changes only while "+
			"its labels or fields match; when they no longer match, it is sent a DELETED.", w)...)
	}
	return append(out, term.WrapLines(term.Dim, "after is the time from the commit of the change to the socket. 2 "+
		"shows every watch against the head.", w)...)
}

// watchScope describes which objects a watch includes in addition to the present one.
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

// watcherColumns are the columns of the list of watches in w cells.
func (p *Object) watcherColumns(w int) []term.TableColumn[*flow.Watch] {
	return []term.TableColumn[*flow.Watch]{
		{Name: "who", Width: 6, Cell: func(x *flow.Watch) term.Span { return term.Accent.Of(x.Client.Tag) }},
		{Name: "watches", Width: max(11, min(35, w-46)),
			Cell: func(x *flow.Watch) term.Span { return term.Plain.Of(watchScope(x)) }},
		{Name: "behind", Width: 12, Cell: func(x *flow.Watch) term.Span {
			st, lag := p.o.env.Streams.Lag(x, x.State())
			return st.Of(lag)
		}},
		{Name: "last sent of this object", Cells: p.lastSent},
	}
}

// lastSent is the last event of the object on a watch.
func (p *Object) lastSent(x *flow.Watch, _ int) term.Line {
	for _, f := range slices.Backward(x.Frames()) {
		if f.Name != p.key.Name || f.Namespace != p.key.Namespace || f.Type == "BOOKMARK" {
			continue
		}
		st, glyph := label.FrameGlyph(f.Type)
		l := term.Line{st.Of(glyph), term.Plain.Of(" rv "), term.Num.Of(label.Revision(f.Revision))}
		if !f.Committed.IsZero() {
			l = append(l, term.Dim.Of(fmt.Sprintf(", after %s ms", term.Millis(f.Written.Sub(f.Committed)))))
		}
		return l
	}
	return term.Text(term.Dim, "nothing yet")
}
