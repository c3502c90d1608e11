package inspect

import (
	"net/url"
	"strings"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// plans are SQLite's plans for the statements on the SQL tab, from the server (EXPLAIN QUERY PLAN). They are shown
// after enter, and read once for each statement.
type plans struct {
	on    bool
	known map[string]queryPlan // by statement
	asked map[string]bool
	came  int // counts the plans received, so that drawn lines can be outdated
}

// A queryPlan is the steps of one statement, nested steps indented.
type queryPlan struct {
	steps []string
	err   error
}

// plansHere reports whether the present tab has plans.
func (in *Inspector) plansHere() bool { return in.Tab == tabStore && in.env.Store().Plans }

// togglePlans shows the plans, or hides them.
func (in *Inspector) togglePlans() {
	in.plans.on = !in.plans.on
	in.askPlans()
}

// askPlans reads the plans of the selected request's statements, if they are shown and not known.
func (in *Inspector) askPlans() {
	f := in.env.Sel
	if f == nil || !in.plans.on || !in.plansHere() {
		return
	}
	p, a := &in.plans, in.env.API
	if p.known == nil {
		p.known, p.asked = map[string]queryPlan{}, map[string]bool{}
	}
	for _, s := range f.Statements {
		if p.asked[s.SQL] {
			continue
		}
		p.asked[s.SQL] = true
		in.env.Do(page.Work{Run: func() func() {
			plan := readPlan(a, s.SQL)
			return func() {
				p.known[s.SQL] = plan
				p.came++
			}
		}})
	}
}

// readPlan does I/O and is called off the loop.
func readPlan(a *client.Client, statement string) queryPlan {
	var answer struct {
		Plan []struct {
			ID, Parent int64
			Detail     string
		}
	}
	if err := a.Read("/debug/plan", url.Values{"sql": {strings.TrimRight(statement, "; \n")}}, client.JSON,
		&answer); err != nil {
		return queryPlan{err: err}
	}
	depth := map[int64]int{}
	var steps []string
	for _, l := range answer.Plan {
		d := 0
		if up, ok := depth[l.Parent]; ok {
			d = up + 1
		}
		depth[l.ID] = d
		steps = append(steps, strings.Repeat("  ", d)+l.Detail)
	}
	return queryPlan{steps: steps}
}

// plan adds the plan of a statement; a step that reads a whole table is marked.
func (in *Inspector) plan(p *term.Column, s flow.Statement) {
	if !in.plans.on {
		return
	}
	q, ok := in.plans.known[s.SQL]
	switch {
	case !ok:
		p.Field("   plan", 7, term.Dim, "asking the server …")
	case q.err != nil:
		p.Field("   plan", 7, term.Err, "✗ "+q.err.Error())
	case len(q.steps) == 0:
		p.Field("   plan", 7, term.Dim, "none: it touches no table")
	}
	for i, step := range q.steps {
		scans := strings.HasPrefix(strings.TrimSpace(step), "SCAN") && !strings.Contains(step, "USING")
		p.Field(term.Pick(i == 0, "   plan", ""), 7, term.Plain, term.Pick(scans, step+" (every row)", step))
	}
}

func (in *Inspector) needsStatements() string {
	if in.Tab != tabStore {
		return "only on the tab SQL; ] goes to the next tab"
	}
	return page.Unless(in.env.Sel != nil && len(in.env.Sel.Statements) > 0, "no SQL ran for this request")
}
