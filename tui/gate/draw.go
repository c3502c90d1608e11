package gate

import (
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// Title counts who is held, and the rules; or it is what the sheet is about.
func (x *Page) Title(i int) (title, note term.Line) {
	if i == 1 {
		r := x.selected()
		return term.Text(x.Env.TitleStyle(1), r.named()), nil
	}
	g := x.Env.Gate
	title = term.Line{x.Env.TitleStyle(0).Of(x.Env.T("gate")), term.Plain.Of(x.Env.F("  %d held  %s", len(g.Held), term.Plural(len(g.Rules), "rule")))}
	if g.Seed > 0 && len(g.Rules) > 0 {
		note = term.Text(term.Dim, fmt.Sprintf("seed %d", g.Seed))
	}
	return title, note
}

// named is what the sheet is about.
func (r *row) named() string {
	switch {
	case r.held != nil:
		return fmt.Sprintf("held request %d", r.held.ID)
	case r.rule != nil:
		return fmt.Sprintf("rule %d", r.rule.ID)
	case r.flow != nil:
		return fmt.Sprintf("#%d", r.flow.Seq)
	case r.watch != nil:
		return fmt.Sprintf("watch %d", r.watch.ID)
	}
	return "details"
}

// Draw shows the list below the rule that is typed, or what there is to say about the chosen row.
func (x *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	x.renew()
	if i == 0 || len(x.Rows) == 0 && x.Env.HasKeys(1) {
		x.Head = x.drawAdding(c, r)
		r = r.From(x.Head)
	}
	x.List.Draw(c, i, r)
}

func (x *Page) drawRows(c *term.Canvas, r term.Rect) {
	held := term.PlanTable(r.W-2, 1, gates.Columns(x.Env.Now), nil)
	rules := term.PlanTable(r.W-2, 1, ruleColumns(), nil)
	touched := term.PlanTable(r.W-2, 1, x.touchedColumns(), nil)
	x.Cursor.DrawMore(c, r, x.Env.RowStyle(0), func(int) int { return r.W }, func(at term.Rect, i int) {
		switch o := x.Rows[i]; {
		case o.head == "held":
			c.Line(at, 2, 0, held.Heading())
		case o.head == "rules":
			c.Line(at, 2, 0, rules.Heading())
		case o.head != "":
			c.Line(at, 2, 0, touched.Heading())
		case o.held != nil:
			if x.drafts[o.held.ID] != nil {
				c.Put(at, 1, 0, term.Marked, "◆")
			}
			c.Line(at, 2, 0, held.Row(o.held))
		case o.rule != nil:
			c.Line(at, 2, 0, rules.Row(o.rule))
		default:
			c.Line(at, 2, 0, touched.Row(o))
		}
	})
}

func ruleColumns() []term.TableColumn[*rule.Active] {
	type active = *rule.Active
	return []term.TableColumn[active]{
		{Name: "", Width: 3, Right: true, Cell: func(a active) term.Span { return term.Dim.Of(fmt.Sprint(a.ID)) }},
		{Name: "rule", Least: 20, Cells: func(a active, w int) term.Line { return lineSpans(a.Line, a.Spent) }},
		{Name: "seen", Width: 7, Right: true, From: 56, Cell: func(a active) term.Span { return term.Plain.Of(term.Count(a.Seen)) }},
		{Name: "hits", Width: 7, Right: true, Cell: func(a active) term.Span { return term.Bold.Of(term.Count(a.Hits)) }},
		{Name: "", Width: 5, Cell: func(a active) term.Span { return term.Dim.Of(term.Pick(a.Spent, "spent", "")) }},
	}
}

// lineSpans is the line of a rule with its action set off.
func lineSpans(line string, spent bool) term.Line {
	if spent {
		return term.Text(term.Dim, line)
	}
	action, rest, ok := strings.Cut(line, " ")
	if !ok {
		return term.Text(term.Bold, line)
	}
	return term.Line{term.Bold.Of(action), term.Plain.Of(" " + rest)}
}

func (x *Page) touchedColumns() []term.TableColumn[*row] {
	return []term.TableColumn[*row]{
		{Name: "ϟ", Width: 6, Right: true, From: 48, Cell: func(r *row) term.Span {
			if r.flow == nil {
				return term.Dim.Of("–")
			}
			return term.Dim.Of(fmt.Sprint(r.flow.Seq))
		}},
		{Name: "who", Width: 5, Cell: func(r *row) term.Span { return term.Accent.Of(r.request().Client.Tag) }},
		{Name: "verb", Width: 7, Cell: func(r *row) term.Span { return term.Plain.Of(label.Verb(r.request().Target.Verb)) }},
		{Name: "touched", Least: 12, Cell: func(r *row) term.Span {
			f := r.request()
			return term.Plain.Of(label.Target(f) + label.Where(f.Target))
		}},
		{Name: "code", Width: 4, Cell: func(r *row) term.Span {
			st, code := label.Code(r.request())
			return st.Of(code)
		}},
		{Name: "what rules did", From: 70, Least: 24, Cell: func(r *row) term.Span { return term.Warn.Of(r.done()) }},
	}
}

// request is the request of a touched row; that of a watch as far as it is known.
func (r *row) request() *flow.Flow {
	if r.flow != nil {
		return r.flow
	}
	return &flow.Flow{Client: r.watch.Client, Target: r.watch.Target, Query: r.watch.Query, Status: 200, Watch: r.watch, Phase: flow.WatchOpened}
}

// done says what rules did to the request, or to the events of the watch.
func (r *row) done() string {
	f := r.request()
	var out []string
	for i := range f.Faults {
		out = append(out, gates.Mark(&f.Faults[i]))
	}
	if f.Watch != nil {
		s := f.Watch.State()
		if n := len(s.Faults); n > 0 {
			out = append(out, fmt.Sprintf("%s touched, the last: %s", term.Plural(int(s.Touched), "event"), gates.Mark(&s.Faults[n-1])))
		}
	}
	return strings.Join(out, "; ")
}

// nothing says why there is no row, and what to do.
func (x *Page) nothing(w int) []term.Line {
	switch g := x.Env.Gate; {
	case x.Env.NoGate != "" && x.Env.Through():
		return term.WrapLines(term.Bold, x.Env.T(x.Env.NoGate), max(10, w))
	case x.Env.NoGate != "":
		return term.WrapLines(term.Bold, "No request of this recording was touched by a rule. A recording holds nothing: the gate is that of a server that runs.", max(10, w))
	case g.Trouble != "":
		return term.WrapLines(term.Bold, strings.ToUpper(g.Trouble[:1])+g.Trouble[1:]+".", max(10, w))
	}
	then := "an update stops before its version is compared"
	if x.Env.Through() {
		then = "an update stops before it is handed on"
	}
	return []term.Line{
		{term.Bold.Of("No rules, and nothing is held. "), term.Key.Of("a"), term.Bold.Of(" adds a rule:")},
		term.Text(term.Accent, "  "+x.example()),
		term.Text(term.Plain, "From another window:"),
		term.Text(term.Accent, "  "+x.curlAdd(x.example())),
		{term.Key.Of("y"), term.Dim.Of(" copies that. Then " + then + ", until "), term.Key.Of("g"), term.Dim.Of(" lets it go.")},
	}
}

// example is a rule to try.
func (x *Page) example() string { return term.Pick(x.Env.Through(), rule.GlassExample, rule.Example) }
