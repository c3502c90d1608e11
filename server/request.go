package server

import (
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/aggregate"
	"kubarium/server/answer"
	"kubarium/server/authn"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/gate"
	"kubarium/server/route"
	"kubarium/server/storage"
	"kubarium/server/stream"
)

// A Request is one HTTP request on its way along the line.
type Request struct {
	answer.Client  // the request itself, and the form of its answer
	Flow           *flow.Recorder
	route.Endpoint             // what serves it
	Route          route.Route // what it asks for

	elsewhere *aggregate.Service // whose server answers; nil for this one

	came  *http.Request    // as it came to authenticate, with its credentials
	since storage.Revision // the newest one then
	who   authn.Identity   // who asks

	out   answer.Response
	share budget.Share // of what all may take

	body     []byte // what was read of it, for a request that begins again
	bodyRead bool

	inLine *atomic.Int64 // among those in flight
	made   made          // its answer, while that is at the gate

	time  lifetime    // its own time, unless it lasts as long as its client wants
	clock *gate.Clock // which counts it where the gate may stop it; nil otherwise
}

// isWatch reports whether the request asks for a watch.
func (q *Request) isWatch() bool { return q.Route.Verb == "watch" }

// isLong reports whether the request lasts as long as its client wants: a watch, a debug handler that follows
// something, or what another server has of that kind.
func (s *Server) isLong(q *Request) bool {
	return q.isWatch() || s.o.Debug[q.Route.Path] != nil && q.Query.Get("follow") != "" ||
		q.Route.LongRunning() && s.o.Aggregator.Find(q.Route.Path) != nil
}

// readBody reads the body, and keeps it for the flow.
func (q *Request) readBody() ([]byte, error) {
	if q.bodyRead {
		return q.body, nil
	}
	body, err := q.share.Read(q.Request, &q.out.Conn)
	if ctx := q.share.With(q.Context()); ctx != q.Context() {
		q.Request = q.WithContext(ctx)
		if q.Target.Kind != nil {
			q.Target.Kind = q.Target.Kind.During(ctx)
		}
	}
	if body != nil {
		q.Flow.Flow.RequestBody = flow.Keep(body)
	}
	q.body, q.bodyRead = body, err == nil
	return body, err
}

// Negotiate picks the form of the answer.
func (q *Request) Negotiate(o codecs.Offer) error {
	q.Flow.Enter("negotiate")
	err := q.Client.Negotiate(o)
	note := ""
	if err == nil {
		note = q.Media.String()
	}
	q.Flow.Leave(note, err)
	return err
}

// objects is what an endpoint of objects can answer with.
func (q *Request) objects() codecs.Offer {
	o := codecs.Offer{Views: codecs.Views}
	if !q.Target.Kind.HasTable(q.Target.Subresource) {
		o.Views = codecs.MetadataViews
	}
	if q.Target.Kind.Dynamic {
		o.Codecs, o.Direct = codecs.Generic, true
	}
	return o
}

// collections is the same for one that can also be watched.
func (q *Request) collections() codecs.Offer {
	o := q.objects()
	o.Streams = true
	return o
}

// record is the answer of one stored object.
func (q *Request) record(r storage.Record) *answer.Answer {
	q.Flow.Flow.Revision = int64(r.Revision)
	found := &struct {
		answer.Answer
		record storage.Record
	}{record: r}
	found.Kind, found.Record = q.Target.Kind, &found.record
	return &found.Answer
}

// written is the answer of a write, which may have created its object.
func (q *Request) written(r storage.Record, created bool) *answer.Answer {
	a := q.record(r)
	if created {
		a.Code(http.StatusCreated)
	}
	return a
}

// cached is the answer of an object of the cache.
func (q *Request) cached(o *cache.Object) *answer.Answer {
	a := q.record(o.Record())
	a.Cached = o
	return a
}

// A made is an answer that was made and not sent.
type made struct {
	answer *answer.Answer
	err    error
}

// timedOut is the answer to a request that had no time to be looked at.
var timedOut = apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)

// mustWrite bounds how long the answer may take to be written. A watch moves that on with each frame.
func (s *Server) mustWrite(q *Request) {
	_ = q.out.Conn.SetWriteDeadline(time.Now().Add(s.o.RequestTimeout + stream.SlowWrite))
}
