package decision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubarium/analysis/guard"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// plugins adds the plugins of each station. Those that had no effect are named together at its end.
func (t *teller) plugins() {
	for _, station := range []string{flow.Mutate, flow.Admit} {
		var silent []string
		for i := range t.f.Plugins {
			m := &t.f.Plugins[i]
			switch {
			case m.Station != station:
			case isSilent(m):
				silent = append(silent, m.Plugin)
			default:
				t.plugin(m)
			}
		}
		if t.whole && len(silent) > 0 {
			t.say(station, term.Dim, 0, "nothing to say: "+strings.Join(silent, ", "))
		}
	}
}

// isSilent reports whether a plugin had no effect and nothing to say.
func isSilent(m *flow.PluginMark) bool {
	return m.Refusal == "" && len(m.Changes) == 0 && len(m.Warnings) == 0 && len(m.Opinions) == 0 &&
		len(m.Annotations) == 0
}

// plugin adds one plugin, and each of its parts. A plugin with parts changes and refuses only through them.
func (t *teller) plugin(m *flow.PluginMark) {
	name := m.Plugin + term.Pick(m.Again, " again", "")
	unexplained := m.Refusal != "" && guard.Denying(m) == nil || len(m.Changes) > 0 && !tellChanges(m)
	if len(m.Opinions) == 0 || unexplained {
		sign, st, said := "", term.Plain, t.changed(m.Changes)
		switch {
		case m.Refusal != "":
			sign, st, said = "✗ ", term.Err, term.Text(term.Err, m.Refusal)
		case len(m.Changes) == 0 && len(m.Warnings) > 0:
			said = term.Text(term.Warn, "warns: "+m.Warnings[0])
		}
		t.row(m.Station, sign, st, name, m.Length, 0, said)
		t.detail(m.Changes, m.Warnings, m.Annotations)
		if t.whole && m.Refusal != "" && t.w >= narrow {
			t.under(term.Err, m.Refusal)
		}
	}
	for i := range m.Opinions {
		t.opinion(m, &m.Opinions[i])
	}
}

// tellChanges reports whether the parts of a plugin have its changes.
func tellChanges(m *flow.PluginMark) bool {
	return slices.ContainsFunc(m.Opinions, func(o flow.Opinion) bool { return len(o.Changes) > 0 })
}

// opinion adds a policy or a webhook. A skipped one is only in the whole form.
func (t *teller) opinion(m *flow.PluginMark, o *flow.Opinion) {
	if o.Said == flow.SaidSkipped && !t.whole {
		return
	}
	sign, st, said := term.Pick(o.Kind == flow.WebhookPart, "→ ", "policy "), term.Plain, term.Line(nil)
	switch o.Said {
	case flow.SaidDenied, flow.SaidFailed:
		sign, st, said = "✗ "+sign, term.Err, term.Text(term.Err, cmp.Or(o.Message, string(o.Said)))
	case flow.SaidIgnored:
		said = term.Text(term.Warn, "failed, which its failurePolicy ignores: "+o.Message)
	case flow.SaidWarned:
		said = term.Text(term.Warn, "warns: "+o.Message)
	case flow.SaidAudited:
		said = term.Text(term.Dim, "writes to the audit log: "+o.Message)
	case flow.SaidSkipped:
		said = term.Text(term.Dim, "skipped: a matchCondition is false")
	case flow.SaidChanged:
		said = t.changed(o.Changes)
	default:
		said = term.Text(term.Dim, cmp.Or(o.Expression, "allowed"))
	}
	if len(said) == 0 && !t.whole {
		said = term.Text(term.Dim, string(o.Said))
	}
	t.row(m.Station, sign, st, o.Name+term.Pick(m.Again, " again", ""), o.Length, o.Call, said)
	if !t.whole {
		return
	}
	for _, part := range []struct{ name, text string }{
		{"by ", o.By}, {"with parameters ", o.Params}, {expressionName(o), o.Expression}, {"", o.Message},
	} {
		if part.text != "" && (part.name != "" || t.w >= narrow) {
			t.under(term.Dim, part.name+part.text)
		}
	}
	t.detail(o.Changes, o.Warnings, o.Annotations)
}

func expressionName(o *flow.Opinion) string {
	if o.Index > 0 {
		return fmt.Sprintf("expression %d: ", o.Index)
	}
	return "expression: "
}

// changed names the changed fields: + new, - gone, ~ another value. In the whole form each has its own line.
func (t *teller) changed(all []flow.FieldChange) (l term.Line) {
	room := t.w - stations - 4
	if t.w >= narrow {
		room = max(20, (t.w-stations-t.names-millis)/max(1, min(2, len(all)))-4)
	}
	switch {
	case len(all) == 0 || t.whole && t.w < narrow:
		return nil
	case t.whole:
		return term.Text(term.Plain, "changed "+term.Plural(len(all), "field"))
	}
	for i := range all {
		if i > 0 {
			l = append(l, term.Plain.Of(between))
		}
		sign, st := signOf(&all[i])
		l = append(l, st.Of(sign+label.ShortPath(all[i].Path, room)))
	}
	return l
}

// between separates the parts of one line.
const between = "  "

func signOf(c *flow.FieldChange) (string, term.Style) {
	switch {
	case c.Before == nil:
		return "+ ", term.Add
	case c.After == nil:
		return "- ", term.Del
	}
	return "~ ", term.Plain
}

// detail adds changed values, warnings and annotations.
func (t *teller) detail(changes []flow.FieldChange, warnings []string, annotations map[string]string) {
	if !t.whole {
		return
	}
	for i := range changes {
		c := &changes[i]
		sign, st := signOf(c)
		more := term.Pick(c.Cut, " …", "")
		switch {
		case c.Before == nil:
			t.signed(st, sign, c.Path+": "+string(c.After)+more)
		case c.After == nil:
			t.signed(st, sign, c.Path+": "+string(c.Before)+more)
		default:
			t.signed(term.Del, "- ", c.Path+": "+string(c.Before)+more)
			t.signed(term.Add, "+ ", c.Path+": "+string(c.After)+more)
		}
	}
	for _, w := range warnings {
		t.under(term.Warn, "warns: "+w)
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		t.under(term.Dim, "audit "+key+": "+annotations[key])
	}
}

// calls adds the calls without a webhook's line: to converters, aggregated servers and authenticators.
func (t *teller) calls() {
	for i := range t.f.Calls {
		c := &t.f.Calls[i]
		if t.told[i+1] {
			continue
		}
		said := term.Text(term.Dim, CallText(c))
		if c.Flow.Status == 0 {
			said = term.Text(term.Err, cmp.Or(c.Flow.Message, "no answer"))
		}
		t.row(cmp.Or(c.Station, "called"), "→ ", term.Plain, c.Name, c.Flow.Duration, i+1, said)
	}
	if t.f.MoreCalls > 0 {
		t.say("called", term.Dim, 0, fmt.Sprintf("and %s more", term.Plural(t.f.MoreCalls, "call")))
	}
}

// CallText describes a call and its status: "conversion https://127.0.0.1:9443 200".
func CallText(c *flow.Call) string {
	return fmt.Sprintf("%s %s %d", c.Kind, c.Host, c.Flow.Status)
}
