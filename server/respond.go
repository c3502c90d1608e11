package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/flow"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/route"
	"kubarium/server/storage"
)

// An answer is what a handler found: one of record, list, object, raw and stream.
type answer struct {
	status int // 0 means 200
	kind   *kinds.Kind
	record *storage.Record
	cached *cache.Object // where record comes from, if from the cache
	list   *registry.List
	object runtime.Object // typed, with kind and apiVersion set

	raw         []byte // bytes as they are
	contentType string
	header      http.Header // further headers, for raw

	stream func(w *response) // writes the answer itself
}

// record is the answer of one stored object.
func (q *Request) record(r storage.Record) *answer {
	q.Flow.Flow.Revision = int64(r.Revision)
	return &answer{record: &r, kind: q.Target.Kind}
}

// written is the answer of a write, which may have created its object.
func (q *Request) written(r storage.Record, created bool) *answer {
	a := q.record(r)
	if created {
		a.code(http.StatusCreated)
	}
	return a
}

// cached is the answer of an object of the cache.
func (q *Request) cached(o *cache.Object) *answer {
	a := q.record(storage.Record{Key: o.Key, Revision: o.Revision, Value: o.Value})
	a.cached = o
	return a
}

func (a *answer) code(status int) *answer {
	a.status = status
	return a
}

// respond writes an answer in the form that was negotiated.
func (s *Server) respond(out *response, q *Request, a *answer) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.stream != nil {
		a.stream(out)
		return
	}
	if q.streamsList(a) {
		s.respondList(out, q, a)
		return
	}
	q.Flow.Enter("encode")
	body, contentType, err := s.encode(q, a)
	q.Flow.Leave(strconv.Itoa(len(body))+" B", err)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	h := out.Header()
	for k, v := range a.header {
		h[k] = v
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache, private")
	}
	setWarnings(h, q.warnings)
	h.Set("Content-Type", contentType)
	if a.raw != nil {
		q.Flow.Enter("respond")
		out.WriteHeader(a.status)
		_, err = out.Write(body)
		q.Flow.Leave("", err)
		return
	}
	q.send(out, a.status, body)
}

// send writes an encoded answer, compressed where it is long.
func (q *Request) send(out *response, status int, text []byte) {
	b := q.body(out, status)
	b.gzip = b.gzip && len(text) > compressOver
	station, note := "respond", ""
	if b.gzip {
		station = "compress"
	}
	q.Flow.Enter(station)
	_, err := b.Write(text)
	if err == nil {
		err = b.Close()
	}
	if b.gzip {
		note = b.String()
	}
	q.Flow.Leave(note, err)
}

// encode makes the bytes of an answer.
func (s *Server) encode(q *Request, a *answer) ([]byte, string, error) {
	if a.raw != nil {
		return a.raw, a.contentType, nil
	}
	if a.contentType == "" {
		a.contentType = q.Media.ContentType(false)
	}
	body, err := s.encodeObject(q, a)
	if err == nil && q.Media.Codec.IsText() {
		body, err = q.Media.Codec.FromJSON(body, q.Media.Pretty)
	}
	return body, a.contentType, err
}

// encodeObject makes the bytes of an answer's object: compact JSON for an encoding made of it, the encoding itself for
// one made of typed objects.
func (s *Server) encodeObject(q *Request, a *answer) ([]byte, error) {
	if q.Media.Codec.IsText() {
		return s.encodeJSON(q, a)
	}
	return s.encodeTyped(q, a)
}

// encodeJSON makes the compact JSON of an answer, from the stored bytes where the object itself is asked for.
func (s *Server) encodeJSON(q *Request, a *answer) ([]byte, error) {
	switch {
	case a.object != nil:
		return json.Marshal(a.object)
	case q.Media.As != "":
		view, err := s.view(q, a)
		if err != nil {
			return nil, err
		}
		return json.Marshal(view)
	case a.cached != nil:
		value, place, err := registry.Served(a.kind, a.cached)
		return stamp(value, place, a.record.Revision), err
	case a.record != nil:
		value, place, err := registry.ServedRecord(a.kind, *a.record)
		return stamp(value, place, a.record.Revision), err
	}
	return encodeList(a.kind, a.list)
}

// stamp is a copy of an object's JSON with its resourceVersion in it.
func stamp(value []byte, p codecs.Place, r storage.Revision) []byte {
	return codecs.Stamp(make([]byte, 0, len(value)+40), value, p, registry.FormatRevision(r))
}

// statusType is the kind of every Status.
var statusType = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}

// fail answers with an error. A StatusError is for the client; any other is internal, logged here and nowhere else.
func (s *Server) fail(out *response, q *Request, err error) {
	if out.code != 0 {
		return // the answer has begun
	}
	if errors.Is(err, route.ErrNoPath) {
		s.failPlain(out, q)
		return
	}
	if q.timedOut() {
		s.failLate(out, q)
		return
	}
	status := s.statusOf(q, err)
	q.Flow.Flow.Reason, q.Flow.Flow.Message = string(status.Reason), status.Message
	h := out.Header()
	h.Set("Cache-Control", "no-cache, private")
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	setWarnings(h, q.warnings)
	m := codecs.ForError(q.Header.Get("Accept"), q.UserAgent(), q.Query, q.offer(codecs.Offer{}))
	var b bytes.Buffer
	q.Flow.Enter("encode")
	encodeErr := m.Codec.Encode(&b, &status, m.Pretty)
	q.Flow.Leave(strconv.Itoa(b.Len())+" B", encodeErr)
	h.Set("Content-Type", m.ContentType(false))
	q.send(out, int(status.Code), b.Bytes())
}

// failPlain is the 404 of a path that nobody serves.
func (s *Server) failPlain(out *response, q *Request) {
	q.Flow.Flow.Reason, q.Flow.Flow.Message = string(metav1.StatusReasonNotFound), "404 page not found"
	out.Header().Set("Cache-Control", "no-cache, private")
	http.Error(out, "404 page not found", http.StatusNotFound)
}

// timedOut tells whether a request that is no watch has had all the time that it may take.
func (q *Request) timedOut() bool {
	return !q.isWatch() && errors.Is(q.Context().Err(), context.DeadlineExceeded)
}

// failLate is the 504 of a request that took too long. It comes from before kube-apiserver knows what the client accepts: a
// Status in JSON that names no kind, and calls itself text.
func (s *Server) failLate(out *response, q *Request) {
	status := apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0).ErrStatus
	q.Flow.Flow.Reason, q.Flow.Flow.Message = string(status.Reason), status.Message
	out.Header().Set("Cache-Control", "no-cache, private")
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	q.send(out, http.StatusGatewayTimeout, append(mustJSON(status), '\n'))
}

// statusOf is the Status that tells a client of an error.
func (s *Server) statusOf(q *Request, err error) metav1.Status {
	var api apierrors.APIStatus
	if f := (*storage.Failure)(nil); errors.As(err, &f) && !errors.As(err, &api) { // the store has logged it
		err = registry.StoreError(f)
	}
	if !errors.As(err, &api) {
		if q.Context().Err() == nil { // else the client has gone, and nothing went wrong here
			s.o.Logger.Error("internal error", "method", q.Method, "path", q.URL.Path, "error", err)
		}
		return metav1.Status{TypeMeta: statusType, Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	}
	status := api.Status()
	status.TypeMeta = statusType
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	if status.Code == 0 {
		status.Code = http.StatusInternalServerError
	}
	return status
}

// A response writes the answer and keeps its beginning for the flow.
type response struct {
	http.ResponseWriter
	flow *flow.Recorder
	code int // 0 until the header was written
	kept []byte
	size int64
	// reused says that the caller writes from a buffer that it will use again.
	reused bool
	// streams says that nothing is kept: the frames of a watch are told in its own record.
	streams bool
}

func (w *response) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
		w.flow.Flow.Status = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(b []byte) (int, error) {
	if w.code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.streams {
		w.size += int64(len(b))
		return w.ResponseWriter.Write(b)
	}
	if w.size == 0 && len(b) <= flow.MaxBody && !w.reused {
		w.kept = b // an answer in one piece, which nobody changes
	} else if room := flow.MaxBody - len(w.kept); room > 0 {
		w.keep(b[:min(room, len(b))])
	}
	w.size += int64(len(b))
	return w.ResponseWriter.Write(b)
}

// keep copies a part of the answer for the flow; what was kept before belongs to a caller as long as it is all.
func (w *response) keep(part []byte) {
	if int64(len(w.kept)) == w.size && !w.reused {
		w.kept = slices.Clip(w.kept)
	}
	if w.kept == nil && len(part) >= listPiece {
		w.kept = make([]byte, 0, flow.MaxBody) // more will come, and growing step by step would copy it all
	}
	w.kept = append(w.kept, part...)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// body is what the flow keeps of the answer.
func (w *response) body() flow.Body {
	return flow.Body{Kept: w.kept, Total: w.size, Cut: int64(len(w.kept)) < w.size}
}
