package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/scenarios/expr"
)

// A gateState is what a server tells of its gate, as far as a lesson looks.
type gateState struct {
	Rules []struct {
		ID   int    `json:"id"`
		Line string `json:"line"`
	} `json:"rules"`
	Held []struct {
		ID     uint64 `json:"id"`
		Client struct {
			UserAgent string `json:"userAgent"`
		} `json:"client"`
		Method  string `json:"method"`
		Path    string `json:"path"`
		Station string `json:"station"`
	} `json:"held"`
}

// askGate sends a request to the server's gate.
func (p *Player) askGate(ctx context.Context, method, path, text string) (s gateState, err error) {
	a, err := p.send(ctx, manager, &Request{Method: method, Path: path, Text: text})
	if err != nil {
		return s, err
	}
	if a.Status == http.StatusNotFound {
		return s, errNotThere
	}
	if a.Status != http.StatusOK {
		return s, fmt.Errorf("%s: %s", a.brief(), strings.TrimSpace(string(a.Body)))
	}
	return s, json.Unmarshal(a.Body, &s)
}

var errNotThere = errors.New("it is not there")

// rules removes and adds the fault rules that a step says.
func (p *Player) rules(ctx context.Context, s Step) error {
	if s.Mend {
		if err := p.mend(ctx, p.stage); err != nil {
			return err
		}
	}
	if len(s.Faults) == 0 {
		return nil
	}
	p.stage.faulty = true // even if no answer comes: they may be there
	if _, err := p.askGate(ctx, http.MethodPost, gatePath, strings.Join(s.Faults, "\n")); err != nil {
		return fmt.Errorf("add fault rules: %w", err)
	}
	return nil
}

// mend removes the lesson's own fault rules: those that name its namespace.
func (p *Player) mend(ctx context.Context, st *stage) error {
	if st == nil || !st.faulty {
		return nil
	}
	s, err := p.askGate(ctx, http.MethodGet, gatePath, "")
	if err != nil {
		return fmt.Errorf("remove fault rules: %w", err)
	}
	mine := expr.Fill(own, st.values)
	for _, r := range s.Rules {
		if !slices.Contains(strings.Fields(r.Line), mine) {
			continue
		}
		_, err := p.askGate(ctx, http.MethodDelete, gatePath+"?id="+strconv.Itoa(r.ID), "")
		if err != nil && !errors.Is(err, errNotThere) { // somebody else may have removed it
			return fmt.Errorf("remove fault rule %q: %w", r.Line, err)
		}
	}
	st.faulty = false
	return nil
}

// A pending is a request that was sent and is held.
type pending struct {
	request *Request
	sent    Sent
	held    uint64 // by which the gate knows it
	done    chan struct{}
	answer  *answer // once done
	err     error
}

// sendLater sends a step's request, and returns when the gate holds it.
func (p *Player) sendLater(ctx context.Context, s Step, c *check) error {
	st := p.stage
	request, err := p.newRequest(st.ctx, s.As, s.Request)
	if err != nil {
		return c.broken(err)
	}
	q := &pending{request: s.Request, sent: Sent{Actor: s.As, Method: s.Request.Method, Path: s.Request.Path, Mark: st.mark}, done: make(chan struct{})}
	go func() {
		defer close(q.done)
		response, err := p.clientOf(s.As).Do(request)
		if err != nil {
			q.err = err
			return
		}
		defer response.Body.Close()
		q.answer, q.err = readAnswer(response)
	}()
	station, err := p.untilHeld(ctx, q, request)
	if err != nil {
		return c.broken(err)
	}
	st.pending[s.Later] = q
	c.result.Brief = "held before " + station + ", no answer yet"
	return nil
}

// untilHeld waits until the gate holds a request, and learns its number.
func (p *Player) untilHeld(ctx context.Context, q *pending, request *http.Request) (station string, err error) {
	deadline := time.Now().Add(p.options.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		s, err := p.askGate(ctx, http.MethodGet, gatePath, "")
		if err != nil {
			return "", fmt.Errorf("ask who is held: %w", err)
		}
		for _, h := range s.Held {
			if h.Client.UserAgent == request.UserAgent() && h.Method == request.Method && h.Path == request.URL.Path && !p.stage.holds(h.ID) {
				q.held = h.ID
				return h.Station, nil
			}
		}
		if time.Now().Add(pause).After(deadline) {
			return "", fmt.Errorf("no fault rule held it within %s", p.options.Patience)
		}
		select {
		case <-q.done:
			return "", q.notHeld()
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (q *pending) notHeld() error {
	if q.err != nil {
		return q.err
	}
	return fmt.Errorf("no fault rule held it: it was answered %s", q.answer.brief())
}

// holds tells whether the lesson knows somebody who is held.
func (st *stage) holds(id uint64) bool {
	for _, q := range st.pending {
		if q.held == id {
			return true
		}
	}
	return false
}

// playAnswer lets a held request go, and checks what it is answered with.
func (p *Player) playAnswer(ctx context.Context, s Step, c *check) error {
	q := p.stage.pending[s.Answer.Of]
	c.result.Method, c.result.Path = q.request.Method, q.request.Path
	if _, err := p.askGate(ctx, http.MethodPost, s.Answer.path(q.held), ""); err != nil {
		return c.broken(fmt.Errorf("let the held request go: %w", err))
	}
	patience := time.NewTimer(p.options.Patience)
	defer patience.Stop()
	select {
	case <-q.done:
	case <-patience.C:
		return c.broken(fmt.Errorf("no answer within %s", p.options.Patience))
	case <-ctx.Done():
		return c.broken(ctx.Err())
	}
	return p.answered(s, q.request, q.answer, q.err, c)
}

// path asks the gate for the verdict.
func (a *Answer) path(held uint64) string {
	path := fmt.Sprintf("/debug/held?id=%d&do=%s", held, a.verdict())
	if a.Code != 0 {
		path += "&code=" + strconv.Itoa(a.Code)
	}
	if a.RetryAfter != 0 {
		path += "&retry-after=" + strconv.Itoa(a.RetryAfter)
	}
	return path
}

func (a *Answer) verdict() string {
	if a.Do == "" {
		return "go"
	}
	return a.Do
}

// answered checks what a request was answered with, or that its connection ended instead.
func (p *Player) answered(s Step, r *Request, a *answer, err error, c *check) error {
	if s.Expect.None {
		return c.lost(a, err)
	}
	if err != nil {
		return c.broken(err)
	}
	p.made(p.stage, r, a)
	if err := c.answer(a, &s.Expect); err != nil {
		return err
	}
	return c.keep("body", a.object, s.Keep)
}

// noAnswer is what is told of a request whose connection ended.
const noAnswer = "no answer: the connection has ended"

// lost checks that there was no answer. A server that was not reached, or took too long, is another matter.
func (c *check) lost(a *answer, err error) error {
	if err == nil {
		return c.mismatch("answer", noAnswer, a.brief())
	}
	var op *net.OpError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &op) && op.Op == "dial" {
		return c.broken(err)
	}
	c.result.Brief = noAnswer
	return nil
}
