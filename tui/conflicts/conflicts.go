// Package conflicts is the page of writes that met another one: every 409 by its kind, and overwrites that nothing
// refused. Beside them, and counted apart, are the requests that a guard refused.
package conflicts

import (
	"fmt"
	"slices"

	"kubarium/analysis/conflict"
	"kubarium/analysis/guard"
	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A Row is a write that met another one, or a request that a guard refused.
type Row struct {
	conflict.Clash                // its Kind names the guard, if one refused
	Guard          *guard.Refusal // nil for a clash
}

// judge says what row a request has, if it has one.
func (x *Page) judge(f *flow.Flow) (Row, bool) {
	if g, ok := guard.Refused(f); ok {
		return Row{conflict.Clash{Flow: f, Kind: "✗ " + g.Guard}, &g}, true
	}
	c, ok := conflict.Judge(f, x.lineages)
	return Row{Clash: c}, ok
}

// Page is the screen of writes that met another client's: every 409 by its kind, and the writes that no check
// stopped although they undid or took over what another client had written.
type Page struct {
	page.List[Row, uint64] // by the Seq of their requests
	all                    []Row
	gone                   uint64 // the newest request whose row was let go of; 0 for none
	seen                   uint64 // the newest clash that was on the screen
	forced                 bool   // the matrix is shown as it would be after force

	lineages *lineage.Log
}

// keepClashes bounds the list.
const keepClashes = 2000

// New makes the page; it follows the newest conflict.
func New(e *page.Env) *Page {
	x := &Page{lineages: lineage.New(e.Log.Get)}
	x.List = page.NewList(e, page.ListSpec[Row, uint64]{
		Name: "conflicts", Row: "conflict", Form: page.Form{Stacked: true, Beside: 180, Two: 52}, Legend: legend(),
		Keys: x.Keys, Tail: true,
		Key:     func(r *Row) uint64 { return r.Flow.Seq },
		Request: func(r *Row) *flow.Flow { return r.Flow },
		All:     func() int { return len(x.all) },
		Last:    func() bool { return x.gone > 0 },
		Note:    func() term.Line { return term.Text(term.Dim, x.tallied()) },
		Columns: x.columns, Notice: x.notice, Heading: x.heading, Detail: x.detail,
		Depends: func(*Row) any { return x.forced },
		Word:    "conflicts", Number: func(r *Row) uint64 { return r.Flow.Seq }, Sentence: sentence,
		Nothing: func() string { return "No write has met another one." },
	})
	return x
}

// In is the page at another moment.
func (x *Page) In(e *page.Env) page.Page {
	p := New(e)
	p.TakePlace(&x.List)
	p.forced, p.seen = x.forced, x.seen
	return p
}

// Fold adds what clashed, and lets go of what the log has let go of.
func (x *Page) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if r, ok := x.judge(f); ok {
			x.all = append(x.all, r)
		}
		x.lineages.Note(f)
	}
	stale := len(x.all) - keepClashes
	x.all = slices.DeleteFunc(x.all, func(r Row) bool {
		stale--
		goes := r.Flow.Seq != x.Cursor.Key && (stale >= 0 || !x.Env.Stats.Holds(r.Flow))
		if goes {
			x.gone = max(x.gone, r.Flow.Seq)
		}
		return goes
	})
	x.Refilter()
}

// Refilter lists what the filter lets through and keeps the cursor on its clash.
func (x *Page) Refilter() {
	rows := x.Rows[:0]
	for i := range x.all {
		if f := x.all[i].Flow; x.Env.Feed.Verdict(f) == feed.Shows && x.Env.InScope(page.SubjectOf(f)) {
			rows = append(rows, &x.all[i])
		}
	}
	x.Set(rows)
}

// Seek selects the row of a request.
func (x *Page) Seek(s page.Sought) bool {
	return s.Flow != nil && x.Find(func(r *Row) bool { return r.Flow.Seq == s.Flow.Seq })
}

// A tally counts rows: writes refused with a 409, those that nothing refused, and what guards refused.
type tally struct{ conflicts, overwrites, guards int }

// count counts the rows that came after a request.
func (x *Page) count(after uint64) (n tally) {
	for _, r := range x.Rows {
		switch {
		case r.Flow.Seq <= after:
		case r.Guard != nil:
			n.guards++
		case r.Flow.Status == 409:
			n.conflicts++
		default:
			n.overwrites++
		}
	}
	return n
}

// Tab has the refusals that came since the screen was last looked at.
func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "5 Conflicts", Short: "5Confl", Help: "Conflicts: writes refused with 409, overwrites that nothing refused, and what guards refused"}
	n := x.count(x.seen)
	if n.conflicts > 0 {
		t.Badge = "!" + term.AtLeast(n.conflicts, x.gone > x.seen)
		t.Means = t.Badge + ": so many writes were refused with 409 since you last looked there. "
	}
	if n.guards > 0 {
		guards := "✗" + term.AtLeast(n.guards, x.gone > x.seen)
		t.Badge += guards
		t.Means += guards + ": so many requests were refused by a guard (a policy, a webhook, a quota, RBAC) since then."
	}
	return t
}

func (x *Page) Keys() []page.Binding {
	return append(x.Env.RowKeys(),
		page.Binding{Keys: []string{"F"}, Hint: "force", Help: "show field owners as they would be after force, or as they are", Off: x.needsMatrix, Do: x.toggleForce},
		page.Binding{Keys: []string{"r"}, Hint: "replay", Help: "replay: send this request again, the same, with a fresh rv or without one", Off: x.Env.NeedsReplayableRow, Do: x.Env.OnRow(x.Env.AskReplay)},
	)
}

func (x *Page) needsMatrix() string {
	c := x.Selected()
	return page.Unless(c != nil && c.HasOwners(), "only an apply that met other managers has this")
}

func (x *Page) toggleForce() {
	x.forced = !x.forced
	x.Env.Say("%s", term.Pick(x.forced, "owners as they would be after force; F shows them as they were", "owners as the request met them"))
}

func sentence(r *Row) string {
	f := r.Flow
	return fmt.Sprintf("%s: %s %s %s, %s.", r.Kind, f.Client.Tag, f.Target.Verb, label.Target(f), versionsText(r))
}

func legend() []string {
	return []string{
		"Each line is a write that met another one: a 409 by its kind, or a write that nothing refused although it " +
			"undid or took over what another client had written.",
		"stale resourceVersion: below, base is the version that the writer read, stored the one that it met, sent " +
			"what it wanted; ◀ marks who changed the field, ✗ what would have been lost without the check.",
		"field manager conflict: below, a row for each field and a column for each manager that owns fields; ■ owns " +
			"alone, ▣ with others, ✗ is where the request wants another value; F shows it after force.",
		"silent overwrite: a PUT without a resourceVersion put back what another client had changed, and got its 200.",
		"✗: a guard said no before anything was stored, which is no conflict: the details say who was asked, and " +
			"what each answered. The badge counts them separately, after ✗.",
		"already exists and uid precondition say which object is in the way. The badge counts 409s that came since " +
			"you last looked here.",
	}
}
