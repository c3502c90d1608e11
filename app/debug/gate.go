package debug

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"kubarium/flow/redact"
	"kubarium/flow/rule"
	"kubarium/server/gate"
	"kubarium/server/storage"
)

const (
	gatePath = "/debug/gate"
	heldPath = "/debug/held"

	maxRuleText = 1 << 20
	maxHeldText = 4 << 20
)

// Gated is what has a gate.
type Gated interface {
	// Gate has the fault rules, and the requests that they hold.
	Gate() *gate.Gate
	// CacheHead is the newest revision that is known.
	CacheHead() storage.Revision
}

// gated answer for one Gated.
type gated struct {
	Gated
	line gateLine
}

// Gate returns the handlers of a gate, by their paths.
func Gate(of Gated) map[string]http.Handler {
	p := &gated{Gated: of}
	return map[string]http.Handler{gatePath: http.HandlerFunc(p.serveGate), heldPath: http.HandlerFunc(p.serveHeld)}
}

// NoGate returns handlers in their place that say why there is no gate.
func NoGate(why string) map[string]http.Handler {
	no := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, why, http.StatusForbidden) })
	return map[string]http.Handler{gatePath: no, heldPath: no}
}

// serveGate answers with the fault rules and the held requests (GET, with ?follow=true at each change), adds rules
// (POST), replaces them (PUT), and removes one by ?id=, or all (DELETE). The answer to new rules says which they are.
func (p *gated) serveGate(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete) {
		return
	}
	q := r.URL.Query()
	if r.Method == http.MethodGet && q.Get("follow") != "" {
		p.followGate(w, r)
		return
	}
	Answer(w, func() (any, error) {
		var added []int
		var err error
		switch r.Method {
		case http.MethodPost:
			added, err = putRules(w, r, p.Gate().Add)
		case http.MethodPut:
			added, err = putRules(w, r, p.Gate().Replace)
		case http.MethodDelete:
			var id uint64
			if id, err = numberOf(q, "id", 0); err == nil {
				err = p.Gate().Remove(int(id))
			}
		}
		if err != nil {
			return nil, err
		}
		s := p.Gate().State(r.Context())
		s.Added = added
		return s, nil
	})
}

func putRules(w http.ResponseWriter, r *http.Request, put func(rule.Set) ([]int, error)) ([]int, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRuleText))
	if err != nil {
		return nil, err
	}
	s, err := rule.ParseSet(string(text))
	if err != nil {
		return nil, Wrong(err)
	}
	return put(s)
}

// numberOf reads a number of a query, otherwise if it is not there.
func numberOf(q url.Values, name string, otherwise uint64) (uint64, error) {
	text := q.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, Wrong(fmt.Errorf("%s is a number, not %q", name, text))
	}
	return n, nil
}

// flagOf reads a flag of a query, false if it is not there.
func flagOf(q url.Values, name string) (bool, error) {
	text := q.Get(name)
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, Wrong(fmt.Errorf("%s is true or false, not %q", name, text))
	}
	return on, nil
}

// followGate writes the gate's state, a line of JSON at each change.
func (p *gated) followGate(w http.ResponseWriter, r *http.Request) {
	changed, end := p.Gate().Subscribe()
	defer end()
	w.Header().Set("Content-Type", "application/x-ndjson")
	conn := http.NewResponseController(w)
	to := patient{w, conn}
	for {
		line, err := p.line.of(p)
		if err == nil {
			_, err = to.Write(line)
		}
		if err != nil || conn.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
		select {
		case <-time.After(gatePause):
		case <-r.Context().Done():
			return
		}
	}
}

// serveHeld answers with a held request, by ?id=, with its body, answer or object, in which secrets are masked without
// ?secrets=true; and lets it go, by ?do=go, refuse or drop. A body of the request that says go replaces what may be
// edited.
func (p *gated) serveHeld(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost) {
		return
	}
	q := r.URL.Query()
	Answer(w, func() (any, error) {
		if r.Method == http.MethodGet {
			id, err := numberOf(q, "id", 0)
			if err != nil {
				return nil, err
			}
			if id == 0 {
				return p.Gate().State(r.Context()).Held, nil
			}
			return p.held(r, id)
		}
		v, err := verdict(w, r, q)
		if err != nil {
			return nil, err
		}
		return p.decide(q.Get("id"), v)
	})
}

// held is a held request, as this request may see it.
func (p *gated) held(r *http.Request, id uint64) (rule.Held, error) {
	unmasked, err := flagOf(r.URL.Query(), "secrets")
	if err != nil {
		return rule.Held{}, err
	}
	h, err := p.Gate().Held(r.Context(), id)
	if !unmasked {
		h.Text = redact.Text(h.Target, h.Text)
	}
	return h, err
}

// decided is the answer to a verdict.
type decided struct {
	Gone int `json:"gone"` // how many were let go
}

func (p *gated) decide(id string, v gate.Verdict) (any, error) {
	if id == "all" {
		if v.Text != nil {
			return nil, Wrong(errors.New("a body is for one: say its id"))
		}
		return decided{p.Gate().DecideAll(v)}, nil
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return nil, Wrong(fmt.Errorf("say who is meant: id=N, or id=all, not %q", id))
	}
	return decided{1}, p.Gate().Decide(n, v)
}

// verdict reads what is to become of a held request.
func verdict(w http.ResponseWriter, r *http.Request, q url.Values) (v gate.Verdict, err error) {
	v.Do = gate.Do(q.Get("do"))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHeldText))
	if err != nil {
		return v, err
	}
	switch v.Do {
	case gate.Go:
		if len(text) > 0 {
			v.Text = text
		}
	case gate.Drop:
	case gate.Refuse:
		code, err := numberOf(q, "code", http.StatusConflict)
		if err == nil && (code < 400 || code > 599) {
			err = Wrong(fmt.Errorf("code is a status between 400 and 599, not %d", code))
		}
		if err != nil {
			return v, err
		}
		after, err := numberOf(q, "retry-after", 0)
		v.Code, v.RetryAfter = int(code), time.Duration(after)*time.Second
		return v, err
	default:
		return v, Wrong(fmt.Errorf("do is go, refuse or drop, not %q", q.Get("do")))
	}
	if v.Do != gate.Go && len(text) > 0 {
		return v, Wrong(errors.New("a body is for do=go"))
	}
	return v, nil
}
