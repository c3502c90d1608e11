package debug

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/recording"
	"kubarium/flow/redact"
)

const (
	fewFlows  = 1000   // that a page of /debug/flows has without a limit
	MostFlows = 10_000 // that it has at most
)

// A flowQuery is what is asked of /debug/flows.
type flowQuery struct {
	text    string // of the filter
	filter  *filter.Filter
	after   uint64 // flows after this one
	limit   int    // flows at most; 0 for no limit
	follow  bool   // go on with what comes
	own     bool   // also what Kubarium asks itself
	secrets bool   // unmasked
}

// readFlowQuery reads the parameters; an unknown one is an error, since the answer would have what it was to leave out.
func readFlowQuery(q url.Values) (f flowQuery, err error) {
	for name, values := range q {
		if len(values) != 1 {
			return f, fmt.Errorf("say %s once", name)
		}
		if err := f.set(name, values[0]); err != nil {
			return f, err
		}
	}
	switch {
	case f.follow:
	case f.limit == 0:
		f.limit = fewFlows
	case f.limit > MostFlows:
		return f, fmt.Errorf("limit is %d at most; after continues a page", MostFlows)
	}
	return f, nil
}

func (q *flowQuery) set(name, value string) (err error) {
	flags := map[string]*bool{"follow": &q.follow, "own": &q.own, "secrets": &q.secrets}
	switch {
	case name == "filter":
		q.text = value
		if q.filter, err = filter.Parse(value); err != nil {
			return fmt.Errorf("filter: %w", err)
		}
	case name == "after":
		if q.after, err = strconv.ParseUint(value, 10, 64); err != nil {
			return fmt.Errorf("after is the number of a flow, not %q", value)
		}
	case name == "limit":
		if q.limit, err = strconv.Atoi(value); err != nil || q.limit < 1 {
			return fmt.Errorf("limit is a number from 1 on, not %q", value)
		}
	case flags[name] != nil:
		if *flags[name], err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%s is true or false, not %q", name, value)
		}
	default:
		return fmt.Errorf("there is no parameter %s; there are filter, after, limit, follow, own and secrets", name)
	}
	return nil
}

// serveFlows answers with the record of requests, oldest first, as JSON Lines (recording.Schema): a page of what the
// log holds, or with ?follow=true all that it holds and all that comes. Where flows aged out before they could be
// written, a line says how many; those of Kubarium's own count where they are asked for. A browser gets the page to
// read.
func (p *records) serveFlows(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	q, err := readFlowQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, name := range q.filter.Moments() {
		if _, ok := p.Flows().Moment(name); !ok {
			http.Error(w, fmt.Sprintf("there is no moment %q; make it by POST /debug/flows/moments?name=%s", name, name), http.StatusBadRequest)
			return
		}
	}
	flow.From(r.Context()).Settle(r.Context(), settle)
	if !q.follow && strings.Contains(r.Header.Get("Accept"), "text/html") {
		p.servePage(w, q)
		return
	}
	w.Header().Set("Content-Type", recording.MediaType)
	t := &flowTeller{query: q, log: p.Flows(), why: p.Why(), to: w, conn: http.NewResponseController(w)}
	t.tell(r.Context())
}

// bind gives the filter what it needs to know of the log.
func (q *flowQuery) bind(log *flow.Log) *filter.Filter {
	env := filter.Env{Moment: log.Moment}
	if strings.Contains(q.text, "last") {
		flows, _ := log.Since(0, 0)
		for _, f := range flows {
			if f.Client.Session != "" {
				env.LastRun = f.Client.Session
			}
		}
	}
	return q.filter.Bind(env)
}

// wants reports whether a flow is to be written. Requests for the record itself never are.
func (q *flowQuery) wants(f *flow.Flow, match *filter.Filter) bool {
	ofRecord := f.Path == FlowsPath || strings.HasPrefix(f.Path, FlowsPath+"/")
	return !ofRecord && (q.own || !f.Client.Own()) && match.Match(f)
}

// shown returns a flow as it may be shown.
func (q *flowQuery) shown(f *flow.Flow) *flow.Flow {
	if q.secrets {
		return f
	}
	return redact.Flow(f)
}

const FlowsPath = "/debug/flows"

// A flowTeller writes a page or a stream.
type flowTeller struct {
	query flowQuery
	log   *flow.Log
	why   *chain.Follower
	to    http.ResponseWriter
	conn  *http.ResponseController
	told  int
	gone  uint64 // flows that aged out before they could be written, and that no line has reported yet
}

// tell writes until all is written, the limit is reached, or the client goes. It reads as fast as the client does;
// what ages out of the log during that is missed. A page that takes too much time is aborted, so that the client does
// not take it for complete.
func (t *flowTeller) tell(ctx context.Context) {
	wake, end := t.log.Subscribe()
	defer end()
	upto := t.log.Stats().Published
	for at := t.query.after; ; {
		flows, missed := t.log.Since(at, 256)
		switch {
		case !t.query.follow && (len(flows) == 0 || flows[0].Seq > upto): // it is whole
			_ = t.tellMissed(at)
			return
		case ctx.Err() != nil && t.query.follow:
			return
		case ctx.Err() != nil:
			panic(http.ErrAbortHandler)
		case len(flows) == 0:
			if t.flush() != nil {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
			}
			continue
		}
		t.gone += missed.Others
		match := t.query.bind(t.log)
		for _, f := range flows {
			if !t.query.follow && f.Seq > upto {
				_ = t.tellMissed(at)
				return
			}
			if !t.tellFlow(f, at, match) {
				return
			}
			at = f.Seq
		}
	}
}

// tellFlow writes a flow, if it is wanted, and before it a line for those since an earlier one that are gone. It
// reports whether there is to be more.
//
// Of the flows of others the oldest age out first, so missing ones are before the first one in the log. Kubarium's own
// may be missing anywhere; a query without them misses none.
func (t *flowTeller) tellFlow(f *flow.Flow, earlier uint64, match *filter.Filter) bool {
	if t.query.own {
		t.gone = f.Seq - earlier - 1
	}
	if (t.query.own || !f.Client.Own()) && t.tellMissed(f.Seq-1) != nil {
		return false
	}
	if !t.query.wants(f, match) {
		return true
	}
	if recording.NewWriter(t).Flow(t.query.shown(t.why.With(f))) != nil {
		return false
	}
	t.told++
	return t.told != t.query.limit
}

// tellMissed writes a line for the flows up to one that are gone, if there are some.
func (t *flowTeller) tellMissed(upto uint64) error {
	gone := t.gone
	if t.gone = 0; gone == 0 {
		return nil
	}
	return recording.NewWriter(t).Missed(gone, upto)
}

// Write gives a slow reader some time for each line.
func (t *flowTeller) Write(line []byte) (int, error) {
	_ = t.conn.SetWriteDeadline(time.Now().Add(slowReader))
	return t.to.Write(line)
}

// flush sends what is written. Without a write there is no deadline: an old one would end a stream of
// HTTP/2.
func (t *flowTeller) flush() error {
	err := t.conn.Flush()
	_ = t.conn.SetWriteDeadline(time.Time{})
	return err
}

// serveSchema answers with the JSON Schema of a line of /debug/flows.
func (p *records) serveSchema(w http.ResponseWriter, r *http.Request) {
	if allow(w, r, http.MethodGet) {
		w.Header().Set("Content-Type", "application/schema+json")
		_, _ = w.Write(recording.Schema)
	}
}

// moments is the answer of /debug/flows/moments.
type moments struct {
	Moments map[string]uint64 `json:"moments"` // by their names the newest flow before each
}

// serveMoments answers with the named moments; POST gives the present the name ?name=, for since:NAME in a filter.
func (p *records) serveMoments(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost) {
		return
	}
	if r.Method == http.MethodPost {
		name := r.URL.Query().Get("name")
		if !filter.IsMoment(name) {
			http.Error(w, fmt.Sprintf("a moment's name has letters, digits and hyphens, a letter first, 63 at most, not %q", name), http.StatusBadRequest)
			return
		}
		flow.From(r.Context()).Settle(r.Context(), settle)
		if !p.Flows().SetMoment(name) {
			http.Error(w, "there are 1,000 moments already; reuse one of them", http.StatusTooManyRequests)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(moments{p.Flows().Moments()})
}
