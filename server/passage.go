package server

import (
	"context"
	"net/http"
	"time"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/gate"
)

// timed gives a request its own time. Where there are fault rules the gate may stop that clock.
func (s *Server) timed(ctx context.Context, q *Request, timeout time.Duration) context.Context {
	if s.o.Gate.Idle() {
		q.time.begin(ctx, q.Flow, timeout)
		return &q.time
	}
	q.clock, q.time.cancel = gate.NewClock(flow.With(ctx, q.Flow), timeout)
	return q.clock
}

// An atGate is a request as the gate knows it.
type atGate struct {
	s *Server
	q *Request
}

// Stop implements gate.Request.
func (r atGate) Stop() (goOn func()) {
	q := r.q
	resume := func() {}
	if q.clock != nil {
		resume = q.clock.Pause()
	}
	q.inLine.Add(-1)
	_ = q.out.Conn.SetWriteDeadline(time.Time{})
	return func() {
		r.s.mustWrite(q)
		q.inLine.Add(1)
		resume()
	}
}

// Aside implements gate.Request.
func (r atGate) Aside(ctx context.Context, wait func() error) error {
	return r.q.share.Aside(ctx, wait)
}

// Committed implements gate.Request.
func (r atGate) Committed() bool { return len(r.q.Flow.Flow.Effects) > 0 }

// Left implements gate.Request.
func (r atGate) Left() time.Duration {
	if r.q.clock == nil {
		return 0
	}
	return r.q.clock.Left()
}

// Editable implements gate.Request: before the answer is encoded that, earlier the body.
func (r atGate) Editable(station string) (gate.Editable, error) {
	q := r.q
	if station == "encode" {
		return q.editAnswer(r.s.answers), nil
	}
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return gate.Editable{}, nil
	}
	// All of the body is read, or net/http would not notice that the client goes away.
	body, err := q.readBody()
	if err != nil || len(body) == 0 {
		return gate.Editable{}, err
	}
	return gate.EditBody(body, q.Header.Get("Content-Type"), q.replaceBody), nil
}

// replaceBody goes on with another body. The flow keeps the headers that were sent.
func (q *Request) replaceBody(b []byte, media string) {
	q.body, q.bodyRead = b, true
	q.Flow.Flow.RequestBody = flow.Keep(b)
	for _, r := range []*http.Request{q.Request, q.came} {
		if r == nil || r.Header.Get("Content-Type") == media {
			continue
		}
		h := r.Header.Clone()
		h.Set("Content-Type", media)
		r.Header = h
	}
}

// passAnswer lets an answer pass the gate, which is before "encode". Answers that write themselves have passed
// earlier.
func (s *Server) passAnswer(q *Request, a *answer.Answer, err error) (*answer.Answer, error) {
	if q.Flow.Gate == nil || a != nil && a.Stream != nil {
		return a, err
	}
	q.made = made{a, err}
	f := &q.Flow.Flow
	status, reason := http.StatusOK, ""
	if err != nil {
		told := s.answers.StatusOf(&q.Client, err)
		status, reason = int(told.Code), string(told.Reason)
	} else if a.Status != 0 {
		status = a.Status
	}
	f.Status, f.Reason = status, reason
	stopped := q.Flow.Before(q.Context(), "encode")
	f.Status, f.Reason = 0, ""
	if stopped != nil {
		a.Abandon()
		return nil, stopped
	}
	return q.made.answer, q.made.err
}

// pointer is the size of a pointer, in bytes.
const pointer = 8

// editAnswer is what may be edited of an answer: its JSON, in which it then goes.
func (q *Request) editAnswer(w *answer.Writer) gate.Editable {
	if q.made == (made{}) { // it is another server's
		return gate.Editable{}
	}
	if a := q.made.answer; q.made.err == nil && a.List != nil && a.List.Size() > codecs.MaxBody { // the text would be too long to be edited
		return gate.Editable{Keeps: int64(len(a.List.Objects)) * pointer}
	}
	text, err := w.JSON(&q.Client, q.made.answer, q.made.err)
	if err != nil {
		return gate.Editable{}
	}
	status := q.Flow.Flow.Status
	return gate.Editable{
		What: "answer", Media: codecs.JSON.MediaType, Size: len(text), Keeps: int64(len(text)),
		Text:  func() ([]byte, error) { return text, nil },
		Check: gate.CheckText(codecs.JSON.MediaType),
		Take: func(b []byte) {
			q.made = made{answer: &answer.Answer{Status: status, Raw: b, ContentType: codecs.JSON.MediaType}}
		},
	}
}
