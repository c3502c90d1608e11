package traffic

import (
	"fmt"
	"time"

	"kubarium/flow"
)

// runs folds the requests of each kubectl run into one line of the list. A run is known by its Kubectl-Session header.
// Its line is that of its first request, so that it does not move while the run goes on.
type runs struct {
	on        bool
	open      map[string]bool // sessions that are unfolded
	bySession map[string]*run
}

// A run is the requests of one kubectl run that are in the list: at least two, in the order of the list.
type run struct {
	session  string
	requests []*flow.Flow
	open     bool
}

// head is the request in whose line a folded run is shown.
func (r *run) head() *flow.Flow { return r.requests[0] }

// fold is the list with each folded run as its first request alone. It is the list itself while runs are not folded.
func (rs *runs) fold(all []*flow.Flow) []*flow.Flow {
	before := len(rs.bySession)
	rs.bySession = nil
	if !rs.on {
		return all
	}
	rs.bySession = make(map[string]*run, before)
	rows := make([]*flow.Flow, 0, len(all))
	var r *run
	for _, f := range all {
		s := f.Client.Session
		if s == "" {
			rows = append(rows, f)
			continue
		}
		if r == nil || r.session != s { // mostly it is the run of the request before
			r = rs.bySession[s]
		}
		if r == nil {
			r = &run{session: s, open: rs.open[s], requests: make([]*flow.Flow, 0, 4)}
			rs.bySession[s] = r
		}
		r.requests = append(r.requests, f)
		if r.open || len(r.requests) == 1 {
			rows = append(rows, f)
		}
	}
	return rows
}

// of is the run that a request belongs to; nil if runs are not folded or it is alone in its run.
func (rs *runs) of(f *flow.Flow) *run {
	if f == nil || f.Client.Session == "" {
		return nil
	}
	if r := rs.bySession[f.Client.Session]; r != nil && len(r.requests) > 1 {
		return r
	}
	return nil
}

// folded is the run of the selected line, nil if it is a line of one request.
func (t *Page) folded() *run {
	if r := t.runs.of(t.env.Sel); r != nil && !r.open {
		return r
	}
	return nil
}

// unfolded is the run that the selected request belongs to, if its requests are listed one by one.
func (t *Page) unfolded() *run {
	if r := t.runs.of(t.env.Sel); r != nil && r.open {
		return r
	}
	return nil
}

// unfold lists the requests of a run one by one.
func (t *Page) unfold(r *run) { t.setOpen(r, true) }

// refold shows a run as one line again and selects it.
func (t *Page) refold(r *run) {
	t.setOpen(r, false)
	t.env.SelectFlow(r.head())
	t.relocate()
}

func (t *Page) setOpen(r *run, open bool) {
	if t.runs.open == nil {
		t.runs.open = map[string]bool{}
	}
	if open {
		t.env.Pin()
		t.runs.open[r.session] = true
	} else {
		delete(t.runs.open, r.session)
	}
	t.arrange()
}

// Group folds all kubectl runs, or lists every request by itself.
func (t *Page) Group(on bool) {
	t.runs = runs{on: on}
	t.arrange()
	if t.env.Follow {
		t.toNewest()
	}
	if on {
		t.env.Say("each kubectl run is one line now: enter or → unfolds it, ← folds it")
	} else {
		t.env.Say("every request has a line of its own")
	}
}

// worst is the request of the run with the worst answer: the highest code, or a client that went away before any
// answer.
func (r *run) worst() *flow.Flow {
	bad := func(f *flow.Flow) int {
		if f.Status == 0 {
			return 399 // worse than an answer, better than a refusal
		}
		return f.Status
	}
	w := r.head()
	for _, f := range r.requests {
		if bad(f) > bad(w) {
			w = f
		}
	}
	return w
}

// took is the time from the run's first request to its last answer.
func (r *run) took() time.Duration {
	begin, end := r.head().Start, r.head().Start
	for _, f := range r.requests {
		if f.Start.Before(begin) {
			begin = f.Start
		}
		if e := f.Start.Add(f.Duration); e.After(end) {
			end = e
		}
	}
	return end.Sub(begin)
}

// revision is the highest resourceVersion that one of the run's requests committed, 0 if none did.
func (r *run) revision() int64 {
	rv := int64(0)
	for _, f := range r.requests {
		if len(f.Effects) > 0 {
			rv = max(rv, f.Revision)
		}
	}
	return rv
}

// text is what a folded run is called: "kubectl apply · 5 requests".
func (r *run) text() string {
	command := r.head().Client.Command
	if command == "" {
		command = "kubectl"
	}
	return fmt.Sprintf("%s · %d requests", command, len(r.requests))
}

// enterRequest unfolds the run that is selected in the list, or moves the keys to the pane next to the list.
func (t *Page) enterRequest() {
	if r := t.folded(); r != nil {
		t.unfold(r)
		return
	}
	t.env.Enter(1)
}

// goLeft folds the run of the selected request.
func (t *Page) goLeft() {
	if r := t.unfolded(); r != nil {
		t.refold(r)
	}
}
