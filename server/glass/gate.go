package glass

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/server/budget"
	"kubarium/server/elsewhere"
	"kubarium/server/gate"
	"kubarium/server/glass/seen"
)

// NewGate is a gate for what goes by. The stored version of an object is the one that was seen last, and rules that act
// inside the server are refused.
func NewGate(s *seen.Store) *gate.Gate {
	return gate.New(gate.Options{Takes: rule.Rule.AtGlass, Stored: func(_ context.Context, t flow.Target) int64 {
		v, known := s.At(keyOf(&t), 0)
		if !known || v.Gone || v.Type == flow.Deleted {
			return 0
		}
		return v.Revision
	}})
}

// A gating is what the gate needs of a request, and does to it.
type gating struct {
	came    *http.Request // with the context of its client
	share   budget.Share  // for a body that is read whole
	text    []byte        // the body, if it was read
	isRead  bool
	stopped error  // why the answer is not handed back
	lost    *taken // the answer of a write that the client did not get
	events  *events
	close   func() // ends those; nil before they have begun
}

// A taken is an answer that was taken from the client.
type taken struct {
	status int
	body   flow.Body
}

// admit lets the request pass the gate before it is handed on, perhaps with another body.
func (p *passing) admit(r *http.Request) error {
	if p.g.Gate != nil && p.route.Verb == "watch" {
		r.Header.Del("Accept-Encoding") // or events that come compressed could not be read
	}
	if p.came = r; p.g.Gate.Idle() {
		return nil
	}
	p.share = p.g.bodies.Share()
	defer p.share.EndTurn()
	p.g.Gate.Pass(p.rec, atGate{p})
	if p.g.Gate.Reads() && !p.route.LongRunning() { // an upload may be long
		if _, err := p.readBody(); err != nil {
			return err
		}
	}
	err := p.rec.Before(p.share.With(r.Context()), "negotiate")
	p.since = p.g.Seen.Newest() // it may have been held for long
	if p.isRead {
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(p.text)), int64(len(p.text)), nil
	}
	return err
}

// readBody reads the body whole, if the request has one.
func (p *passing) readBody() (text []byte, err error) {
	if p.isRead || p.came.Body == nil || p.came.Body == http.NoBody || elsewhere.IsUpgrade(p.came) {
		return p.text, nil
	}
	text, err = p.share.Read(p.came, &p.out.Conn)
	p.rec.Flow.RequestBody = flow.Keep(text)
	p.text, p.isRead = text, err == nil
	p.sent()
	return text, err
}

// An atGate is a request as the gate knows it.
type atGate struct{ *passing }

// Stop implements gate.Request: its time is between the client and the server.
func (atGate) Stop() (goOn func()) { return func() {} }

// Aside implements gate.Request.
func (p atGate) Aside(ctx context.Context, wait func() error) error {
	return p.share.Aside(ctx, wait)
}

// Left implements gate.Request.
func (atGate) Left() time.Duration { return 0 }

// Committed implements gate.Request: a write that was answered well has changed something, unless it was for trial.
func (p atGate) Committed() bool {
	f := &p.rec.Flow
	return p.writes() && f.Target.Resource != "" && f.Status >= http.StatusOK && f.Status < http.StatusMultipleChoices
}

// Editable implements gate.Request: before the request is handed on its body.
func (p atGate) Editable(station string) (gate.Editable, error) {
	if station != "negotiate" {
		return gate.Editable{Keeps: int64(len(p.text))}, nil
	}
	// All of it is read, or net/http would not notice that the client goes away.
	body, err := p.readBody()
	if err != nil || len(body) == 0 {
		return gate.Editable{}, err
	}
	return gate.EditBody(body, p.came.Header.Get("Content-Type"), func(text []byte, media string) {
		p.text = text
		p.rec.Flow.RequestBody = flow.Keep(text)
		p.came.Header.Set("Content-Type", media)
	}), nil
}

// passBack lets an answer pass the gate before it is handed back; the events of a watch will pass it one by one.
func (p *passing) passBack(resp *http.Response) (*http.Response, error) {
	if p.g.Gate == nil {
		return resp, nil
	}
	p.gateEvents(resp)
	f := &p.rec.Flow
	if p.rec.Gate == nil {
		return resp, nil
	}
	if f.Status = resp.StatusCode; f.Status >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, flow.MaxBody)) // an error comes again after these bytes
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), resp.Body), resp.Body}
		elsewhere.NoteStatus(f, text)
	}
	p.stopped = p.rec.Before(p.came.Context(), "encode")
	if p.stopped != nil {
		if (atGate{p}).Committed() {
			text, _ := io.ReadAll(io.LimitReader(resp.Body, flow.MaxBody+1)) // as much as there is
			p.lost = &taken{f.Status, flow.Keep(text)}
		}
		_ = resp.Body.Close()
		resp = nil
	}
	f.Status, f.Reason, f.Message = 0, "", ""
	return resp, p.stopped
}

// stop answers a request that the gate has stopped.
func (p *passing) stop(err error) {
	var refused apierrors.APIStatus
	switch {
	case errors.Is(err, gate.ErrCut):
		p.rec.Flow.Message = err.Error()
		panic(http.ErrAbortHandler) // net/http ends the connection
	case errors.As(err, &refused):
		p.failWith(refused.Status())
	case p.came.Context().Err() == nil:
		p.fail(http.StatusBadRequest, metav1.StatusReasonBadRequest, err) // its body cannot be read
	}
}

// lostFacts reads what the answer proves that the client did not get.
func (p *passing) lostFacts() {
	if p.lost == nil {
		return
	}
	f := &p.rec.Flow
	f.Status, f.ResponseBody = p.lost.status, p.lost.body
	p.facts()
}
