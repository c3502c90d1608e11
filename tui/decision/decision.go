// Package decision describes the decisions on a request in lines: the client's identity and its proof, the rule and
// role that allowed it or the bindings that were searched in vain, and what each admission plugin, policy and webhook
// said and changed. It draws only what the flow records.
package decision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/term"
)

// A Line is a line about a decision; Call is the request's call that it is about, from 1; 0 for none.
type Line struct {
	term.Line
	Call int
}

// Lines describes the decisions on a request in lines of width cells. The short form leaves out unimportant parts:
// plugins without effect, an administrator who may do everything, and values. It is empty if no other decisions were
// made.
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

// A teller collects the lines. Their columns are the station, the plugin or webhook, its time, and what it said.
type teller struct {
	f       *flow.Flow
	w       int
	whole   bool
	names   int // cells of the second column
	out     []Line
	station string       // of the last line
	told    map[int]bool // calls that have a line
}

// Widths in cells.
const (
	stations = 13 // cells of the first column
	millis   = 8  // cells of the third one, with the gap after it
	narrow   = 76 // the width from which on there is a fourth column; below it, its text is under the name
)

// begin returns the first column: the station, only in the first of its lines.
func (t *teller) begin(station string) term.Span {
	text := term.Pick(station == t.station, "", station)
	t.station = station
	return term.Bold.Of(term.Pad(text, stations))
}

// say adds wrapped text after the station.
func (t *teller) say(station string, st term.Style, call int, text string) {
	for _, part := range term.Wrap(text, max(10, t.w-stations)) {
		t.out = append(t.out, Line{term.Line{t.begin(station), st.Of(part)}, call})
	}
}

// under adds wrapped text below, indented.
func (t *teller) under(st term.Style, text string) { t.signed(st, "", text) }

// signed is under with a sign.
func (t *teller) signed(st term.Style, sign, text string) {
	indent := stations + 2 + len(sign)
	for i, part := range term.Wrap(text, max(10, t.w-indent-2)) {
		if i > 0 {
			part = "  " + part
		}
		first := term.Pick(i == 0, sign, term.Pad("", len(sign)))
		t.out = append(t.out, Line{Line: term.Line{term.Plain.Of(term.Pad("", stations+2)), st.Of(first + part)}})
	}
}

// row adds a line with a name, its time and what it said; sign is before the name.
func (t *teller) row(station, sign string, st term.Style, name string, took time.Duration, call int, said term.Line) {
	ms := ""
	if took > 0 {
		ms = term.Millis(took)
	}
	l := term.Line{
		t.begin(station), st.Of(term.Pad(term.Fit(sign+name, t.names-1), t.names)),
		term.Num.Of(fmt.Sprintf("%6s  ", ms)),
	}
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

// asker adds the client's identity, except, in the short form, that of the loopback port and of Kubarium's controllers.
func (t *teller) asker() {
	i := t.f.Identity
	switch {
	case i == nil:
	case i.Failure != "" && i.User == "":
		t.say("authenticate", term.Err, 0, "✗ not authenticated: "+i.Failure)
	case i.Failure != "":
		t.say("authenticate", term.Err, 0, "✗ "+proved(i)+", without impersonation: "+i.Failure)
	case i.Impersonator != nil:
		t.say("authenticate", term.Plain, 0, i.User+", impersonated by "+proved(i.Impersonator))
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
	for _, key := range slices.Sorted(maps.Keys(i.Extra)) {
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

// proved returns a user's name, and the authenticator.
func proved(i *flow.Identity) string { return fmt.Sprintf("%s (%s)", term.OrNone(i.User), i.By) }

// rights adds the rules that allowed the request, or the bindings searched in vain.
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
		t.under(term.Dim, "checked "+vain(&q.Looked[i]))
	}
	if q.More > 0 {
		t.under(term.Dim, fmt.Sprintf("and %d more", q.More))
	}
	if t.whole && q.Error != "" {
		t.under(term.Warn, q.Error)
	}
}

// purposes describe the reasons of further questions.
var purposes = map[string]string{
	flow.ForImpersonation: "to impersonate", flow.ForCreate: "to create a missing object",
	flow.ForConnect:      "to open a connection",
	flow.ForUnsafeDelete: "to delete an unreadable object", flow.ForEscalation: "to grant more than they have",
	flow.ForAdmission: "asked by a plugin or a policy", flow.ForReview: "what the review asks",
}

// Asked describes a question: "create deployments.apps in shop".
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

// allowedBy describes what allowed it.
func allowedBy(q *flow.Right) string {
	g := q.Grant
	switch {
	case g != nil:
		return fmt.Sprintf("rule %d of %s, by %s (%s)", g.Index, g.Role, g.Binding, g.Subject)
	case q.By == "system:masters":
		return "the group system:masters may do everything"
	case q.By == "AlwaysAllow":
		return "every user may do everything here"
	}
	return strings.TrimSuffix(cmp.Or(q.By, "allowed")+", "+q.Reason, ", ")
}

// refusedBy describes what denied it, or that nothing allowed it.
func refusedBy(q *flow.Right) string {
	switch {
	case q.Decision == flow.Denied:
		return strings.TrimSuffix(q.By+" denies it, "+q.Reason, ", ")
	case len(q.Looked) > 0:
		n := len(q.Looked) + q.More
		several := fmt.Sprintf("none of the %d bindings that apply gives such a right", n)
		return term.Pick(n == 1, "the one binding that applies gives no such right", several)
	case q.Reason != "":
		return q.Reason
	}
	return "no binding names them or one of their groups"
}

// vain describes a role without a matching rule.
func vain(g *flow.Grant) string {
	text := fmt.Sprintf("%s, by %s (%s): ", g.Role, g.Binding, g.Subject)
	if g.Missing {
		return text + "there is no such role"
	}
	return text + term.Pick(g.Rules == 1, "its rule does not match",
		fmt.Sprintf("none of its %d rules matches", g.Rules))
}

// Rule returns a rule of a role in one line.
func Rule(r *flow.Rule) string {
	text := "verbs " + strings.Join(r.Verbs, " ")
	for _, part := range []struct {
		name string
		all  []string
	}{
		{"apiGroups", r.APIGroups}, {"resources", r.Resources}, {"resourceNames", r.ResourceNames},
		{"nonResourceURLs", r.NonResourceURLs},
	} {
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
