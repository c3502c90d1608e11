// Package servers serves the servers that a lesson brings with it: webhooks, and what APIServices lead to. Each listens on the
// loopback interface and remembers what it was asked.
package servers

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"kubarium/scenarios"
	"kubarium/scenarios/expr"
)

// A Set has the servers of a lesson under way, by their names.
type Set map[string]*serving

// A serving is a server of a lesson under way.
type serving struct {
	server  *scenarios.Server // with the placeholders filled in
	values  map[string]string // of placeholders, for conditions
	address string            // "127.0.0.1:40001", from the first start on
	tls     *tls.Config

	mu      sync.Mutex // guards what follows
	http    *http.Server
	ended   context.CancelFunc // of those that still wait for an answer; nil while it is stopped
	heard   []Heard            // the last ones, oldest first
	counted int                // how many there were
}

// A Heard is a request that came to a server of the lesson.
type Heard struct {
	number  int // from 1
	Request *http.Request
	Client  string         // the common name in the client certificate; "" for none
	Object  map[string]any // the body, if it is a JSON object
	Answer  string         // what it was answered with, in short
}

// Limits of what a server of a lesson reads and remembers.
const (
	maxHeard = 64      // requests
	maxBody  = 1 << 20 // bytes of one
)

// Start starts the servers of a lesson, and adds to its placeholders where they are. The Set has those that were started, also after
// an error.
func Start(of map[string]*scenarios.Server, values map[string]string) (Set, error) {
	set := Set{}
	if len(of) == 0 {
		return set, nil
	}
	certificate, bundle, err := newCertificate(values["ns"])
	if err != nil {
		return set, fmt.Errorf("make a certificate: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		s := &serving{address: "127.0.0.1:0", tls: config}
		if err := s.start(); err != nil {
			return set, fmt.Errorf("start server %s: %w", name, err)
		}
		set[name] = s
		host, port, _ := net.SplitHostPort(s.address)
		maps.Copy(values, map[string]string{
			name + ".url": "https://" + s.address, name + ".host": host, name + ".port": port,
			name + ".ca": base64.StdEncoding.EncodeToString(bundle),
		})
	}
	for name, s := range set { // now that each address is known
		s.become(of[name].Filled(values), maps.Clone(values))
	}
	return set, nil
}

// Start starts a server again, on its address.
func (set Set) Start(name string) error {
	if err := set[name].start(); err != nil {
		return fmt.Errorf("start server %s again: %w", name, err)
	}
	return nil
}

// Stop closes the listener and all connections of a server.
func (set Set) Stop(name string) { set[name].stop() }

// StopAll stops all servers.
func (set Set) StopAll() {
	for _, s := range set {
		s.stop()
	}
}

// Counts returns how many requests each server has had so far.
func (set Set) Counts() map[string]int {
	out := map[string]int{}
	for name, s := range set {
		out[name] = s.count()
	}
	return out
}

// Since returns the requests to a server after its first ones, the last one first. It remembers a limited number of them.
func (set Set) Since(name string, first int) []Heard { return set[name].since(first) }

// become gives a server what it answers.
func (s *serving) become(server *scenarios.Server, values map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server, s.values = server, values
}

// start listens, on the address of before if there was one. A server that serves already goes on.
func (s *serving) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return nil
	}
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return err
	}
	s.address = listener.Addr().String()
	ctx, ended := context.WithCancel(context.Background())
	s.ended = ended
	s.http = &http.Server{
		Handler: s, TLSConfig: s.tls.Clone(), ReadHeaderTimeout: scenarios.MaxThink * time.Second, IdleTimeout: time.Minute,
		ErrorLog:     log.New(io.Discard, "", 0),                               // of failed handshakes, which the client reports itself
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 alone, where to end an answer is to end its connection
		BaseContext:  func(net.Listener) context.Context { return ctx },
	}
	go func(h *http.Server) { _ = h.ServeTLS(listener, "", "") }(s.http) // it returns when the server is closed
	return nil
}

// stop closes the listener and all connections. The machine then refuses new ones.
func (s *serving) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		return
	}
	s.ended()
	_ = s.http.Close()
	s.ended = nil
}

// ServeHTTP answers as the lesson says.
func (s *serving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	h := Heard{Request: r}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		h.Client = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	h.Object = expr.Object(bytes.NewReader(body))
	s.mu.Lock()
	server, values := s.server, s.values
	s.mu.Unlock()
	if server == nil { // no client has its address yet
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	if review := reviewOf(server, &h, values); review != nil {
		s.review(w, review, h)
		return
	}
	s.route(w, routeOf(server, r), h)
}

// reviewOf is how the server answers an AdmissionReview, nil if it was asked something else.
func reviewOf(s *scenarios.Server, h *Heard, values map[string]string) *scenarios.Review {
	kind, _ := expr.Lookup(h.Object, "kind")
	if h.Request.Method != http.MethodPost || kind != "AdmissionReview" || len(s.Reviews) == 0 {
		return nil
	}
	asked, _ := expr.Lookup(h.Object, "request")
	for i := range s.Reviews {
		if r := &s.Reviews[i]; isFor(r, h.Request.URL.Path, asked, values) {
			return r
		}
	}
	return &scenarios.Review{}
}

// isFor reports whether this is the answer to a request in an AdmissionReview.
func isFor(r *scenarios.Review, path string, asked any, values map[string]string) bool {
	if r.Path != "" && r.Path != path {
		return false
	}
	for at, cond := range r.When {
		v, found := expr.Lookup(asked, at)
		if ok, _ := cond.Holds(v, found, values); !ok {
			return false
		}
	}
	return true
}

// review answers an AdmissionReview.
func (s *serving) review(w http.ResponseWriter, review *scenarios.Review, h Heard) {
	h.Answer = brief(review)
	s.note(h)
	if review.Seconds > 0 {
		t := time.NewTimer(time.Duration(review.Seconds) * time.Second)
		defer t.Stop()
		select {
		case <-t.C:
		case <-h.Request.Context().Done():
			return
		}
	}
	if review.Drop {
		panic(http.ErrAbortHandler) // how net/http ends a connection
	}
	version, _ := expr.Lookup(h.Object, "apiVersion")
	uid, _ := expr.Lookup(h.Object, "request.uid")
	body := map[string]any{"kind": "AdmissionReview", "apiVersion": version, "response": response(review, uid)}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, expr.JSON(body)) // the client may be gone
}

// response is what the AdmissionReview is answered with.
func response(r *scenarios.Review, uid any) map[string]any {
	out := map[string]any{"uid": uid, "allowed": r.Deny == nil}
	if d := r.Deny; d != nil {
		status := map[string]any{"message": d.Message}
		if d.Code != 0 {
			status["code"] = d.Code
		}
		out["status"] = status
	}
	if len(r.Patch) > 0 {
		out["patchType"], out["patch"] = "JSONPatch", base64.StdEncoding.EncodeToString([]byte(expr.JSON(r.Patch)))
	}
	if len(r.Warnings) > 0 {
		out["warnings"] = r.Warnings
	}
	if len(r.Audit) > 0 {
		out["auditAnnotations"] = r.Audit
	}
	return out
}

// brief is the answer in a line.
func brief(r *scenarios.Review) string {
	switch {
	case r.Drop:
		return "no answer"
	case r.Deny != nil:
		return "denied: " + r.Deny.Message
	case len(r.Patch) > 0:
		return "allowed, with the patch " + expr.JSON(r.Patch)
	}
	return "allowed"
}

// routeOf is how the server answers a request, nil if it has nothing there.
func routeOf(s *scenarios.Server, r *http.Request) *scenarios.Route {
	for i := range s.Routes {
		route := &s.Routes[i]
		if route.Path == r.URL.Path && (route.Method == r.Method || route.Method == "" && r.Method == http.MethodGet) {
			return route
		}
	}
	return nil
}

// route answers a request that is no AdmissionReview.
func (s *serving) route(w http.ResponseWriter, route *scenarios.Route, h Heard) {
	if route == nil {
		route = &scenarios.Route{Status: http.StatusNotFound, Body: map[string]any{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound,
			"message": "the server could not find the requested resource",
		}}
	}
	status := route.Status
	if status == 0 {
		status = http.StatusOK
	}
	h.Answer = fmt.Sprintf("%d %s", status, http.StatusText(status))
	s.note(h)
	text := route.Text
	if route.Body != nil {
		w.Header().Set("Content-Type", "application/json")
		text = expr.JSON(route.Body)
	}
	for name, v := range route.Headers {
		w.Header().Set(name, v)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client may be gone
}

// note remembers a request.
func (s *serving) note(h Heard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted++
	h.number = s.counted
	if s.heard = append(s.heard, h); len(s.heard) > maxHeard {
		s.heard = s.heard[1:]
	}
}

// count is how many requests have come so far.
func (s *serving) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted
}

// since returns the requests after the one of this number, the last one first.
func (s *serving) since(number int) []Heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Heard
	for i := len(s.heard) - 1; i >= 0 && s.heard[i].number > number; i-- {
		out = append(out, s.heard[i])
	}
	return out
}
