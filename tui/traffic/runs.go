package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// runs folds the requests of each kubectl run into one line of the list; flow.Client.Run says what a run is. Its line
// is that of its first request other than discovery, so that it does not move while the run goes on. Steps of one kind
// that a controller of Kubarium's takes after a client's write are folded too, if they are many.
type runs struct {
	off     bool
	open    map[string]bool     // runs that are unfolded, by key
	named   map[string]*run     // by session
	waiting map[string]*run     // by connection: runs without a session
	unnamed map[*flow.Flow]*run // the runs of requests without a session
	waves   map[wave]*run       // of controllers' steps
	writes  []uint64            // Seq of clients' writes, rising
}

// A wave is what a controller's steps have in common that are folded into one line.
type wave struct {
	who, verb, resource, sub string

	after uint64 // Seq of the last client's write before them; 0 if none is listed
}

// leastWave is how many steps are folded: fewer are read one by one.
const leastWave = 5

// A run is the requests of one kubectl run that are in the list, in its order, or a controller's steps.
type run struct {
	key      string // of its first request
	steps    bool   // of a controller, not of kubectl
	requests []*flow.Flow
	main     []*flow.Flow // those other than discovery
	open     bool
}

func newRuns(off bool, open map[string]bool) runs {
	return runs{off, open, map[string]*run{}, map[string]*run{}, map[*flow.Flow]*run{}, map[wave]*run{}, nil}
}

// fold returns the list with each folded run as one request. It is the list itself while runs are not folded.
func (rs *runs) fold(all []*flow.Flow) []*flow.Flow {
	*rs = newRuns(rs.off, rs.open)
	if rs.off {
		return all
	}
	for _, f := range all {
		rs.note(f)
	}
	slices.Sort(rs.writes)
	for _, f := range all {
		rs.add(f)
	}
	rows := make([]*flow.Flow, 0, len(all))
	for _, f := range all {
		if r := rs.find(f); r == nil || !r.folds() || r.row() == f {
			rows = append(rows, f)
		}
	}
	return rows
}

// more returns the rows with new requests, the newest of the list, and whether there are some of kubectl runs.
func (rs *runs) more(rows, added []*flow.Flow) (_ []*flow.Flow, inRuns bool) {
	for _, f := range added {
		rs.note(f)
		r := rs.add(f)
		inRuns = inRuns || r != nil
		if r == nil || !r.folds() || r.row() == f {
			rows = append(rows, f)
		}
		if r != nil && r.folds() && r.steps && len(r.requests) == leastWave { // they are many now
			rows = slices.DeleteFunc(rows, func(f *flow.Flow) bool { return slices.Contains(r.requests[1:], f) })
		}
		if r != nil && !r.open && r.row() == f && len(r.requests) > 1 { // it takes the place of discovery
			was := slices.Index(rows, r.requests[0])
			rows = slices.Delete(rows, was, was+1)
		}
	}
	return rows, inRuns
}

// note notes a client's write: what controllers do after it is another wave.
func (rs *runs) note(f *flow.Flow) {
	if !f.Client.Own() && feed.Writes(f.Target.Verb) {
		rs.writes = append(rs.writes, f.Seq)
	}
}

// waveOf is the wave of a controller's step.
func (rs *runs) waveOf(f *flow.Flow) wave {
	w := wave{who: f.Client.Tag, verb: f.Target.Verb, resource: f.Target.Resource, sub: f.Target.Subresource}
	if i, _ := slices.BinarySearch(rs.writes, f.Seq); i > 0 {
		w.after = rs.writes[i-1]
	}
	return w
}

// add adds a request to its run, and returns the run; nil for one of a client other than kubectl that is no step of a
// controller either.
func (rs *runs) add(f *flow.Flow) *run {
	if f.Works() {
		w := rs.waveOf(f)
		r := rs.waves[w]
		if r == nil {
			key := fmt.Sprint(w)
			r = &run{key: key, steps: true, open: rs.open[key]}
			rs.waves[w] = r
		}
		r.requests, r.main = append(r.requests, f), append(r.main, f)
		return r
	}
	key := f.Client.Run()
	if key == "" {
		return nil
	}
	r := rs.named[key]
	if f.Client.Session == "" {
		r = rs.waiting[key]
	} else if r == nil {
		r = rs.waiting[f.Client.Remote]
		delete(rs.waiting, f.Client.Remote)
	}
	if r == nil {
		r = &run{key: key, open: rs.open[key]}
	}
	if f.Client.Session == "" {
		rs.waiting[key], rs.unnamed[f] = r, r
	} else {
		rs.named[key] = r
	}
	r.requests = append(r.requests, f)
	if !f.Discovery() {
		r.main = append(r.main, f)
	}
	return r
}

// find returns the run of a request of the list, which may be its only one; nil if there is none.
func (rs *runs) find(f *flow.Flow) *run {
	switch {
	case f == nil:
		return nil
	case f.Works():
		return rs.waves[rs.waveOf(f)]
	case f.Client.Session == "":
		return rs.unnamed[f]
	}
	return rs.named[f.Client.Session]
}

// of returns the run that a request belongs to; nil if runs are not folded or its run is too short for that.
func (rs *runs) of(f *flow.Flow) *run {
	if r := rs.find(f); r != nil && r.long() {
		return r
	}
	return nil
}

// long reports whether the run has enough requests for one line of all.
func (r *run) long() bool { return len(r.requests) >= term.Pick(r.steps, leastWave, 2) }

// folds reports whether the run is one line.
func (r *run) folds() bool { return !r.open && r.long() }

// row is the request in whose line a folded run is shown.
func (r *run) row() *flow.Flow {
	if len(r.main) > 0 {
		return r.main[0]
	}
	return r.requests[0]
}

// single reports whether one request alone is not discovery: the run is shown as that one.
func (r *run) single() bool { return len(r.main) == 1 }

// verdict is the request that shows how the run went, which is selected with its line: the one with the worst answer,
// or else the last write, or else the last request. Of a run that writes, a get that is answered with 404 is not
// bad: kubectl asks so whether the object is there.
func (r *run) verdict() *flow.Flow {
	all := r.main
	if len(all) == 0 {
		all = r.requests
	}
	writes := slices.ContainsFunc(all, func(f *flow.Flow) bool { return feed.Writes(f.Target.Verb) })
	weight := func(f *flow.Flow) int {
		switch {
		case f.Status >= 400 && !(f.Status == 404 && writes && f.Target.Verb == "get"):
			return f.Status
		case f.Status == 0:
			return 3 // no answer is worse than any answer except a refusal
		case f.Status >= 400:
			return 0
		}
		return term.Pick(feed.Writes(f.Target.Verb), 2, 1)
	}
	worst := all[0]
	for _, f := range all {
		if weight(f) >= weight(worst) {
			worst = f
		}
	}
	return worst
}

// took is the time from the run's first request to its last answer.
func (r *run) took() time.Duration {
	begin, end := r.requests[0].Start, r.requests[0].Start
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

// text is what a folded run is called in w cells: "kubectl apply · 2 requests +1 discovery", "create  1 000 × pods".
func (r *run) text(w int) term.Line {
	if t := r.requests[0].Target; r.steps {
		what := term.Count(len(r.requests)) + " × " + t.Resource
		if t.Subresource != "" {
			what += "/" + t.Subresource
		}
		return term.Line{term.Write.Of(fmt.Sprintf("%-7s ", label.Verb(t.Verb))), term.Bold.Of(term.Fit(what, w-8))}
	}
	command := "kubectl"
	for _, f := range r.requests {
		command = cmp.Or(f.Client.Command, command)
	}
	n := len(r.main)
	if n == 0 {
		n = len(r.requests)
	}
	name := fmt.Sprintf("%s · %d requests", command, n)
	if cells.Width(name) > w {
		name = term.Fit(strings.TrimPrefix(name, "kubectl "), w)
	}
	return append(term.Text(term.Bold, name), term.Dim.Of(r.discovery(w-cells.Width(name))))
}

// discovery says in w cells how much is folded with the other requests; "" if it is nothing or does not fit.
func (r *run) discovery(w int) string {
	n := len(r.requests) - len(r.main)
	if n == 0 || len(r.main) == 0 {
		return ""
	}
	for _, s := range []string{fmt.Sprintf(" +%d discovery", n), fmt.Sprintf(" +%d", n)} {
		if len(s) <= w {
			return s
		}
	}
	return ""
}
