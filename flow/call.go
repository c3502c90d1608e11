package flow

import (
	"context"
	"io"
	"net/http"
)

// A Call is a request that the server itself sent to another server to answer the request that the flow records.
type Call struct {
	Kind CallKind `json:"kind,omitzero"`
	// Name is the webhook, "sidecar.example.com"; for a converter its definition, for a server its APIService.
	Name    string `json:"name,omitzero"`
	By      string `json:"by,omitzero"`      // the webhook's configuration; "" for a call without one
	Station string `json:"station,omitzero"` // at which it was sent
	Host    string `json:"host,omitzero"`    // scheme, host and port: "https://10.0.0.7:8443"
	Shared  bool   `json:"shared,omitzero"`  // its bodies are those of the request itself, and are kept only there
	// Flow records the call as a request of its own: Method, Path, Query, headers, bodies, Status, Start and Duration.
	// Message says why there was no complete answer; Status is 0 if there was none at all. It has no number and no
	// stations.
	Flow *Flow `json:"flow,omitzero"`
}

// A CallKind is the purpose of a Call.
type CallKind string

// The purposes of calls.
const (
	WebhookCall    CallKind = "webhook"      // an admission webhook, with an AdmissionReview
	ConversionCall CallKind = "conversion"   // a conversion webhook, with a ConversionReview
	AggregatedCall CallKind = "aggregated"   // the server behind an APIService, with the client's own request
	TokenCall      CallKind = "token review" // an authentication webhook, with a TokenReview
)

// Limits of what a flow keeps of its calls; there may be many, as custom resources in a list are converted one by one.
const (
	maxCalls     = 128
	maxCallBytes = 1 << 20 // of all bodies together
)

// A Caller describes the calls that are made with a context or over a Transport.
type Caller struct {
	Kind CallKind
	Name string
	By   string
	// Shared says that the bodies are those of the request itself, passed through; they are not kept twice.
	Shared bool
}

type callerKey struct{}

// Calling returns a context for calls that c describes. It takes precedence over the Caller of a Transport.
func Calling(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Beside returns ctx with the Recorder and the Caller of another context.
func Beside(ctx, of context.Context) context.Context {
	if c, ok := of.Value(callerKey{}).(Caller); ok {
		ctx = Calling(ctx, c)
	}
	return With(ctx, From(of))
}

// A calling is a call in progress. Its recorder's mu guards all of it.
type calling struct {
	rec       *Recorder
	of        *calls
	caller    Caller
	call      Call
	sent, got Body
	done      bool
}

// calls are the calls of one request. Its recorder's mu guards all of it.
type calls struct {
	made  []*calling
	bytes int // kept of all their bodies together
}

// call begins the record of a call.
func (r *Recorder) call(c Caller, req *http.Request) *calling {
	if said, ok := req.Context().Value(callerKey{}).(Caller); ok {
		c = said
	}
	made := &calling{rec: r, caller: c, call: Call{
		Kind: c.Kind, Name: c.Name, By: c.By, Host: req.URL.Scheme + "://" + req.URL.Host, Shared: c.Shared,
	}}
	made.call.Flow = &Flow{
		Start: r.clock(), Method: req.Method, Path: req.URL.Path, Query: req.URL.RawQuery, Proto: req.Proto,
		RequestHeader: req.Header.Clone(), Client: Client{UserAgent: req.Header.Get("User-Agent")},
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	made.call.Station = r.Station()
	if r.calls == nil {
		r.calls = &calls{}
	}
	made.of = r.calls
	if len(r.calls.made) < maxCalls {
		r.calls.made = append(r.calls.made, made)
	} else {
		r.Flow.MoreCalls++
	}
	return made
}

// keep appends the bytes read to a body. It copies b, which belongs to the caller.
func (c *calling) keep(into *Body, b []byte) {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	if c.done {
		return
	}
	into.Total += int64(len(b))
	room := min(MaxBody-len(into.Kept), maxCallBytes-c.of.bytes, len(b))
	if c.caller.Shared {
		return
	}
	if room < len(b) {
		into.Cut = true
	}
	if room > 0 {
		into.Kept = append(into.Kept, b[:room]...)
		c.of.bytes += room
	}
}

// again discards the body sent so far: it is sent once more, from its beginning.
func (c *calling) again() {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	c.of.bytes -= len(c.sent.Kept)
	c.sent = Body{}
}

// answered notes the head of the answer.
func (c *calling) answered(a *http.Response) {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	f := c.call.Flow
	f.Status, f.ResponseHeader, f.Proto = a.StatusCode, a.Header.Clone(), a.Proto
}

// end ends the call; the second time it does nothing.
func (c *calling) end(err error) {
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	if c.done {
		return
	}
	c.done = true
	c.call.Flow = c.record()
	if err != nil && err != io.EOF {
		c.call.Flow.Message = err.Error()
	}
}

// record returns the flow of the call so far.
func (c *calling) record() *Flow {
	f := *c.call.Flow
	f.Duration = c.rec.clock().Sub(f.Start)
	f.RequestBody, f.ResponseBody = c.sent, c.got
	return &f
}

// Calls returns the calls made so far for the request, in the order in which they began.
func (r *Recorder) Calls() []Call {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.callsSoFar()
}

func (r *Recorder) callsSoFar() []Call {
	if r.calls == nil {
		return nil
	}
	all := make([]Call, len(r.calls.made))
	for i, c := range r.calls.made {
		all[i] = c.call
		if !c.done {
			all[i].Flow = c.record()
		}
	}
	return all
}

// endCalls gives the flow its calls. A call still in progress, such as one whose result is no longer needed, goes on
// unrecorded.
func (r *Recorder) endCalls() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Flow.Calls = r.callsSoFar()
	r.endAll()
}

// forgetCalls drops the calls recorded so far.
func (r *Recorder) forgetCalls() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endAll()
	r.calls, r.Flow.MoreCalls = nil, 0
}

// endAll ends the record of all calls; r.mu is held.
func (r *Recorder) endAll() {
	if r.calls == nil {
		return
	}
	for _, c := range r.calls.made {
		c.done = true
	}
}

const sizeCall = 96

// first cuts the bodies of a call to at most most bytes each.
func (c *Call) first(most int) {
	f := *c.Flow
	f.RequestBody, f.ResponseBody = f.RequestBody.first(most), f.ResponseBody.first(most)
	c.Flow = &f
}
