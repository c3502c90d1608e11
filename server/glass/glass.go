package glass

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/budget"
	"kubarium/server/elsewhere"
	"kubarium/server/gate"
	"kubarium/server/glass/seen"
	"kubarium/server/route"
)

// Options are what a Glass is made of.
type Options struct {
	Upstream *Upstream
	Keys     map[string]string // of this run (see NewKey), with the Client.Via of requests that bring them
	User     string            // the context's user, as the kubeconfig names it
	Log      *flow.Log
	Seen     *seen.Store
	// Keep says which requests are kept; nil keeps all. It is asked when the answer is known, of a watch when it opens,
	// and of the items of a list when its answer begins. Versions of objects are only kept of requests that are.
	Keep func(*flow.Flow) bool
	// Local are the pages that are answered here, by their paths, for clients with the key of this run.
	Local map[string]http.Handler
	// Gate does to requests and events what fault rules say (see NewGate); nil for none.
	Gate *gate.Gate
	// Closing ends open connections.
	Closing context.Context
}

// A Glass is the handler.
type Glass struct {
	Options
	commits *timeline
	bodies  *budget.Budget // of those that the gate reads

	trouble atomic.Pointer[string] // why the server did not answer last; nil if it did
	last    atomic.Int64           // when it answered last, in nanoseconds since 1970
	changed chan struct{}
}

// New returns the handler. It sends nothing by itself.
func New(o Options) *Glass {
	return &Glass{Options: o, commits: newTimeline(o.Log), bodies: budget.New(), changed: make(chan struct{}, 1)}
}

// A passing is one request on its way there and back.
type passing struct {
	g     *Glass
	rec   *flow.Recorder
	out   *answer.Response
	route route.Route
	body  *elsewhere.Body // nil for a request without
	relay *elsewhere.Relay
	way   way
	since int64 // the newest revision when it came
	// note keeps the version that the answer has of its object; nil for none.
	note func()
	gating
}

// ServeHTTP hands a request on, and its answer back.
func (g *Glass) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := r.Header.Get("Authorization")
	header := r.Header.Clone() // as it came, before the key is exchanged
	use, via, ok := g.way(r)
	mine := ok && use.mine
	switch local := g.Local[r.URL.Path]; {
	case local != nil && mine:
		local.ServeHTTP(w, r)
		return
	case mine && flow.Client{UserAgent: r.UserAgent()}.Own(): // a screen, here or attached
		g.Seen.ServeHTTP(w, r)
		return
	}
	rec := g.Log.Begin(nil)
	p := &passing{g: g, rec: rec, out: answer.NewResponse(w, rec), way: use, since: g.Seen.Newest()}
	p.describe(r, header, via)
	rec.Enter("client")
	p.route = route.Read(r.Method, r.URL.Path, r.URL.Query())
	rec.Flow.Target = p.route.Target()
	if r.Method == http.MethodPatch && strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
		rec.Flow.Target.Verb = "apply"
	}
	switch {
	case mine:
		rec.Flow.Client.User = g.User
	case ok:
		rec.Flow.Client.User = subject(given)
	}
	rec.Known()
	var err error
	if !ok {
		err = errNoKey
	}
	rec.Leave(p.route.String(), err)
	defer p.finish(r)
	if err != nil {
		p.fail(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, err)
		return
	}
	p.pass(r)
}

var errNoKey = errors.New("this is the glass of one run; use the kubeconfig that it has written")

// describe notes what the request line and the headers say.
func (p *passing) describe(r *http.Request, header http.Header, via string) {
	f := &p.rec.Flow
	f.Method, f.Path, f.Query, f.Proto = r.Method, r.URL.Path, r.URL.RawQuery, r.Proto
	f.RequestHeader = header
	f.Client = flow.Client{
		UserAgent: r.UserAgent(), Remote: r.RemoteAddr, Session: r.Header.Get("Kubectl-Session"), Command: r.Header.Get("Kubectl-Command"), Via: via,
	}
	f.Client.Tag = p.g.Log.Tag(f.Client)
}

// pass hands the request on.
func (p *passing) pass(r *http.Request) {
	defer p.share.GiveBack()
	if err := p.admit(r); err != nil {
		p.stop(err)
		return
	}
	p.out.Reused = true // by what copies the answer
	p.relay = &elsewhere.Relay{Response: p.out, Long: p.route.LongRunning(), HTTP2: r.ProtoMajor == 2, Closing: p.g.Closing, Before: p.answers}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	switch p.route.Verb {
	case "watch":
		p.relay.Open = func(media string) *elsewhere.Watch { return p.openWatch(media, cancel) }
	case "list":
		p.relay.Listen = p.readList
	}
	defer context.AfterFunc(p.g.Closing, cancel)()
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		p.body = &elsewhere.Body{From: r.Body}
		r.Body = p.body
	}
	if elsewhere.IsUpgrade(r) {
		p.rec.Enter("body") // what is said on the connection is not known
	}
	elsewhere.Do(p.relay, r, elsewhere.Call{
		Server: p.g.Upstream.URL, Transport: timed{p.way.RoundTripper, p}, Upgrade: p.way.upgrade, Failed: p.failed,
	})
}

// answers marks that the answer begins.
func (p *passing) answers(int) {
	if p.rec.Station() == "" {
		p.rec.Enter("body")
	}
}

// openWatch puts a watch on the screen. stop ends the request to the server.
func (p *passing) openWatch(media string, stop func()) *elsewhere.Watch {
	f := &p.rec.Flow
	f.Status = http.StatusOK
	f.ResponseHeader = p.out.Header()
	start := p.asked()
	keep := p.g.keeps(f)
	if keep {
		f.Watch = p.g.Log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Query: f.Query, Media: media, Opened: time.Now(), Start: start})
		p.rec.Publish(flow.WatchOpened)
	} else {
		f.Watch, _ = flow.NewWatch(flow.WatchInfo{}, flow.WatchState{}, nil) // that is not shown
	}
	if p.events != nil {
		p.close = p.events.open(p, stop)
	}
	w := elsewhere.NewWatch(f.Watch, media, time.Now)
	w.Saw = p.sawFrame(cmp.Or(start, p.since), keep)
	return w
}

// keeps reports whether a request is kept.
func (g *Glass) keeps(f *flow.Flow) bool { return g.Keep == nil || g.Keep(f) }

// heard notes a revision that an answer named. The screen's newest one is not older.
func (g *Glass) heard(revision int64) {
	g.Seen.Heard(revision)
	if head, _ := g.Log.Head(); revision > head {
		g.Log.SetHead(revision, 0)
	}
}

// failed answers where the server did not.
func (p *passing) failed(_ http.ResponseWriter, r *http.Request, err error) {
	if p.stopped != nil {
		p.stop(p.stopped)
		return
	}
	if r.Context().Err() == nil {
		p.g.failed(err)
	}
	p.fail(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, errors.New("no answer from "+p.g.Upstream.URL.Host+": "+err.Error()))
}

// fail answers with an error of the glass itself, as a Status.
func (p *passing) fail(code int, reason metav1.StatusReason, err error) {
	p.failWith(metav1.Status{Code: int32(code), Reason: reason, Message: err.Error()})
}

func (p *passing) failWith(s metav1.Status) {
	f := &p.rec.Flow
	f.Reason, f.Message = string(s.Reason), s.Message
	if p.out.Code != 0 { // the answer has begun
		return
	}
	if s.Details != nil && s.Details.RetryAfterSeconds > 0 {
		p.out.Header().Set("Retry-After", strconv.Itoa(int(s.Details.RetryAfterSeconds)))
	}
	s.TypeMeta, s.Status = answer.StatusType, metav1.StatusFailure
	text, _ := json.Marshal(s) // plain values
	p.out.Header().Set("Content-Type", "application/json")
	p.out.WriteHeader(int(s.Code))
	_, _ = p.out.Write(append(text, '\n')) // to a client that may be gone
}

// finish reads what the answer proves, and publishes the flow. It is called also where the connection is broken off,
// which is a panic of net/http.
func (p *passing) finish(r *http.Request) {
	f := &p.rec.Flow
	cause := ""
	if p.relay != nil {
		ctx := r.Context()
		if p.close != nil {
			ctx = p.events.ctx
			defer p.close()
		}
		cause = p.relay.End(ctx)
	}
	if p.body != nil {
		f.RequestBody = p.body.Kept()
	}
	p.lostFacts()
	f.Status, f.ResponseHeader, f.ResponseBody = p.out.Code, p.out.Header(), p.out.Body()
	for p.rec.Station() != "" {
		p.rec.Leave("", nil)
	}
	phase := flow.Whole
	if f.Watch != nil {
		phase, f.Message = flow.WatchClosed, cause
	} else {
		p.facts()
	}
	if !p.g.keeps(f) {
		p.rec.Drop()
		return
	}
	if p.note != nil {
		p.note()
	}
	p.rec.Publish(phase)
}
