// Package decision tells in lines who decided on a request: who asked and how they proved it, which rule of which role allowed it or
// what was looked for in vain, and what each admission plugin, policy and webhook said and changed. It draws what the flow records and
// guesses nothing.
package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/term"
)

// A Line is a line about a decision, and which of the request's calls it stands for, from 1; 0 for none.
type Line struct {
	term.Line
	Call int
}

// Lines tell who decided on a request, in so many cells. The short form leaves out what nobody would miss: plugins that had nothing to say,
// an administrator who may do everything, and values. It is empty where nothing else was decided.
func Lines(f *flow.Flow, width int, whole bool) []Line {
	t := &teller{f: f, w: width, whole: whole, names: min(28, width/4)}
	if width < narrow {
		t.names = max(10, width-stations-millis)
	}
	t.asker()
	t.rights()
	t.plugins()
	t.calls()
	return t.out
}

// A teller collects the lines. They have columns: the station, who says it, how long they took, and what they say.
type teller struct {
	f       *flow.Flow
	w       int
	whole   bool
	names   int // cells of the second column
	out     []Line
	station string       // which was told last
	told    map[int]bool // calls that have a line
}

const (
	stations = 13 // cells of the first column
	millis   = 8  // cells of the third one, with what separates it from the fourth
	narrow   = 76 // the width from which on there is a fourth column; below it, what somebody says stands under their name
)

// begin is the first column: the station, once for all lines of it.
func (t *teller) begin(station string) term.Span {
	text := term.Pick(station == t.station, "", station)
	t.station = station
	return term.Bold.Of(term.Pad(text, stations))
}

// say adds text behind the station, wrapped.
func (t *teller) say(station string, st term.Style, call int, text string) {
	for _, part := range term.Wrap(text, max(10, t.w-stations)) {
		t.out = append(t.out, Line{term.Line{t.begin(station), st.Of(part)}, call})
	}
}

// under adds text below what was said, indented, wrapped.
func (t *teller) under(st term.Style, text string) { t.signed(st, "", text) }

// signed is the same with a sign before it.
func (t *teller) signed(st term.Style, sign, text string) {
	indent := stations + 2 + len(sign)
	for i, part := range term.Wrap(text, max(10, t.w-indent-2)) {
		if i > 0 {
			part = "  " + part
		}
		t.out = append(t.out, Line{Line: term.Line{term.Plain.Of(term.Pad("", stations+2)), st.Of(term.Pick(i == 0, sign, term.Pad("", len(sign))) + part)}})
	}
}

// row adds a line with somebody's name, how long they took and what they say; sign stands before the name.
func (t *teller) row(station, sign string, st term.Style, name string, took time.Duration, call int, said term.Line) {
	ms := ""
	if took > 0 {
		ms = term.Millis(took)
	}
	l := term.Line{t.begin(station), st.Of(term.Pad(term.Fit(sign+name, t.names-1), t.names)), term.Num.Of(fmt.Sprintf("%6s  ", ms))}
	if t.w >= narrow {
		l = append(l, said...)
	}
	t.out = append(t.out, Line{term.FitLine(l, t.w), call})
	if t.w < narrow {
		for _, span := range said {
			switch room := t.w - stations - 2; {
			case span.Text == between:
			case term.Text(span.St, span.Text).Width() <= room:
				t.out = append(t.out, Line{Line: term.Line{term.Plain.Of(term.Pad("", stations+2)), span}})
			default:
				t.under(span.St, span.Text)
			}
		}
	}
	if call > 0 {
		if t.told == nil {
			t.told = map[int]bool{}
		}
		t.told[call] = true
	}
}

// asker tells who asks. Of the port on the loopback interface, and of Kubarium's own loops, nobody needs to be told.
func (t *teller) asker() {
	i := t.f.Identity
	switch {
	case i == nil:
	case i.Failure != "" && i.User == "":
		t.say("authenticate", term.Err, 0, "✗ nobody was believed: "+i.Failure)
	case i.Failure != "":
		t.say("authenticate", term.Err, 0, "✗ "+proved(i)+", and nobody else: "+i.Failure)
	case i.Impersonator != nil:
		t.say("authenticate", term.Plain, 0, i.User+", as whom "+proved(i.Impersonator)+" acts")
	case t.whole || i.By != flow.ByPlainPort && i.By != flow.ByOwnToken && len(t.f.Rights) == 0:
		t.say("authenticate", term.Plain, 0, proved(i))
	}
	if i == nil || !t.whole {
		return
	}
	if len(i.Groups) > 0 {
		t.under(term.Dim, "groups "+strings.Join(i.Groups, ", "))
	}
	if i.UID != "" {
		t.under(term.Dim, "uid "+i.UID)
	}
	for _, key := range sorted(i.Extra) {
		t.under(term.Dim, key+" "+strings.Join(i.Extra[key], ", "))
	}
	if c := cmp.Or(i.Credential, credentialOf(i.Impersonator)); c != "" {
		t.under(term.Dim, "credential "+c)
	}
}

func credentialOf(i *flow.Identity) string {
	if i == nil {
		return ""
	}
	return i.Credential
}

// proved is somebody's name, and how they proved it.
func proved(i *flow.Identity) string { return fmt.Sprintf("%s (%s)", term.OrNone(i.User), i.By) }

// rights tell which rule allowed it, or what was looked for in vain.
func (t *teller) rights() {
	for i := range t.f.Rights {
		q := &t.f.Rights[i]
		plain := q.Decision == flow.Allowed && q.Grant == nil && (q.By == "system:masters" || q.By == "AlwaysAllow")
		if plain && !t.whole {
			continue
		}
		t.right(q)
	}
}

func (t *teller) right(q *flow.Right) {
	who := q.User
	if who == "" && t.f.Identity != nil {
		who = t.f.Identity.User
		if t.f.Identity.Impersonator == nil {
			who = proved(t.f.Identity)
		}
	}
	text := term.OrNone(who) + term.Pick(q.Decision == flow.Allowed, " may ", " may not ") + Asked(q)
	if why := purposes[q.For]; why != "" {
		text += " (" + why + ")"
	}
	if q.Decision == flow.Allowed {
		t.say("authorize", term.Plain, 0, text+": "+allowedBy(q))
		if t.whole && q.Grant != nil && q.Grant.Rule != nil {
			t.under(term.Dim, Rule(q.Grant.Rule))
		}
		return
	}
	t.say("authorize", term.Err, 0, "✗ "+text+": "+refusedBy(q))
	for i := range q.Looked {
		if !t.whole && i == 3 && len(q.Looked) > 4 {
			t.under(term.Dim, fmt.Sprintf("and %d more", len(q.Looked)-i+q.More))
			return
		}
		t.under(term.Dim, "looked at "+vain(&q.Looked[i]))
	}
	if q.More > 0 {
		t.under(term.Dim, fmt.Sprintf("and %d more", q.More))
	}
	if t.whole && q.Error != "" {
		t.under(term.Warn, q.Error)
	}
}

// purposes say why a further question was asked.
var purposes = map[string]string{
	flow.ForImpersonation: "to act as somebody else", flow.ForCreate: "to create what is not there", flow.ForConnect: "to open a connection",
	flow.ForUnsafeDelete: "to delete what cannot be read", flow.ForEscalation: "to give away more than they have",
	flow.ForAdmission: "asked by a plugin or a policy", flow.ForReview: "what the review asks",
}

// Asked is what a question is about: "create deployments.apps in shop".
func Asked(q *flow.Right) string {
	if q.Resource == "" {
		return q.Verb + " " + q.Path
	}
	text := q.Verb + " " + q.Resource
	if q.Group != "" {
		text += "." + q.Group
	}
	if q.Subresource != "" {
		text += "/" + q.Subresource
	}
	if q.Name != "" {
		text += " " + q.Name
	}
	if q.Namespace != "" {
		text += " in " + q.Namespace
	}
	return text
}

// allowedBy says who allowed it, and by what.
func allowedBy(q *flow.Right) string {
	g := q.Grant
	switch {
	case g != nil:
		return fmt.Sprintf("rule %d of %s, by %s (%s)", g.Index, g.Role, g.Binding, g.Subject)
	case q.By == "system:masters":
		return "the group system:masters may do everything"
	case q.By == "AlwaysAllow":
		return "everybody may do everything here"
	}
	return strings.TrimSuffix(cmp.Or(q.By, "allowed")+", "+q.Reason, ", ")
}

// refusedBy says who denied it, or that nobody allowed it.
func refusedBy(q *flow.Right) string {
	switch {
	case q.Decision == flow.Denied:
		return strings.TrimSuffix(q.By+" denies it, "+q.Reason, ", ")
	case len(q.Looked) > 0:
		n := len(q.Looked) + q.More
		return term.Pick(n == 1, "the one binding that applies gives no such right", fmt.Sprintf("none of the %d bindings that apply gives such a right", n))
	case q.Reason != "":
		return q.Reason
	}
	return "no binding names them or one of their groups"
}

// vain is a role that was looked at in vain.
func vain(g *flow.Grant) string {
	text := fmt.Sprintf("%s, by %s (%s): ", g.Role, g.Binding, g.Subject)
	if g.Missing {
		return text + "there is no such role"
	}
	return text + term.Pick(g.Rules == 1, "its rule does not fit", fmt.Sprintf("none of its %d rules fits", g.Rules))
}

// Rule is a rule of a role in one line.
func Rule(r *flow.Rule) string {
	text := "verbs " + strings.Join(r.Verbs, " ")
	for _, part := range []struct {
		name string
		all  []string
	}{{"apiGroups", r.APIGroups}, {"resources", r.Resources}, {"resourceNames", r.ResourceNames}, {"nonResourceURLs", r.NonResourceURLs}} {
		if len(part.all) == 0 {
			continue
		}
		all := slices.Clone(part.all)
		for i := range all {
			all[i] = cmp.Or(all[i], `""`)
		}
		text += "; " + part.name + " " + strings.Join(all, " ")
	}
	return text
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
