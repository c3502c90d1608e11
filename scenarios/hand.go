package scenarios

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"kubarium/scenarios/expr"
)

// An Await is what a lesson waits for while the reader has to send a request.
type Await struct {
	Command string // the reader's, filled in
	Came    string // what came in its place, or how its answer differs from what is expected; "" if nothing came
}

// hands tells whether a step is to be played by the reader's hand. Without a Witness nobody would see it, so then the player
// sends the request itself.
func (p *Player) hands(s Step) bool { return s.As == Reader && p.options.Witness != nil }

// awaits tells whether the lesson waits for the reader's hand.
func (p *Player) awaits() bool { return p.State().Await != nil }

// hand takes a request as the reader's, if the lesson waits for one, and reports whether it was what the step asks for.
// If its answer is as expected, the step is done.
func (p *Player) hand(st *stage, seen Seen) bool {
	if !p.awaits() {
		return false
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.stage != st || !p.awaits() {
		return false
	}
	state := p.State()
	ns := st.values["ns"]
	if why := state.Step.differs(seen, ns); why != "" {
		if state.Step.concerns(seen, ns) {
			p.came(fmt.Sprintf("%s sent %s; %s", seen.Who, described(seen, ns), why))
		}
		return false
	}
	r := &Result{Step: state.Step, Method: seen.Method, Path: pathOf(seen)}
	err := p.accept(st, seen, &check{result: r, values: st.values, lesson: p.Lesson.Name, step: state.Done + 1})
	var m *Mismatch
	if errors.As(err, &m) {
		p.came(fmt.Sprintf("%s sent %s, but %s: expected %s, got %s", seen.Who, described(seen, ns), m.What, m.Expected, printable(shortened(m.Actual))))
		return true
	}
	p.set(func(s *State) {
		s.Await, s.Phase, s.Sent.ID = nil, Running, seen.ID
		p.told[state.Done].Sent.ID = seen.ID
	})
	_ = p.finish(st.ctx, state.Done, r, err) // State tells of an error
	p.set(func(s *State) {
		if s.Phase == Running {
			s.Phase = Paused
		}
	})
	p.tell()
	return true
}

// came says what the reader sent that is not what the step asks for.
func (p *Player) came(what string) {
	p.set(func(s *State) {
		if s.Await != nil {
			s.Await = &Await{Command: s.Await.Command, Came: what}
		}
	})
	p.tell()
}

// accept checks the answer that the reader got as if the player had sent the request.
func (p *Player) accept(st *stage, seen Seen, c *check) error {
	s := c.result.Step
	a := seen.answer()
	if s.Watch != nil {
		c.result.Status, c.result.Brief = a.Status, a.brief()
		if a.Status != http.StatusOK {
			return c.mismatch("status", "200", a.brief())
		}
		return p.playWatch(s, c) // a stream that the next steps can read
	}
	want := s.Expect
	if s.Until != nil {
		want = *s.Until
	}
	if seen.Cut { // there is no more to see than that it came
		want = Expect{Status: want.Status, Headers: want.Headers}
	}
	if err := c.table(a, &want); err != nil {
		return err
	}
	p.made(st, s.Request, a)
	if seen.Cut {
		return nil
	}
	if err := c.keep("body", a.object, s.Keep); err != nil {
		return err
	}
	return c.asked(st, s)
}

// table checks an answer, which may be the Table that kubectl asks for where it prints one. If it is not as expected, what the
// Table has of the objects may be: their metadata.
func (c *check) table(a *answer, want *Expect) error {
	err := c.answer(a, want)
	if kind, _ := expr.Lookup(a.object, "kind"); err == nil || kind != "Table" {
		return err
	}
	ref, _ := refOf(c.result.Path)
	c.result.Facts, a.object = nil, ofTable(a.object, ref.Name != "")
	err = c.answer(a, want)
	var m *Mismatch
	if errors.As(err, &m) && m.Actual == noField {
		m.Actual = "a Table, which does not have it: ask with -o yaml"
	}
	return err
}

// answer is what a request was answered with.
func (seen Seen) answer() *answer {
	a := &answer{Status: seen.Status, Body: seen.Body, header: seen.Header}
	var body io.Reader = bytes.NewReader(seen.Body)
	if seen.Header.Get("Content-Encoding") == "gzip" {
		if z, err := gzip.NewReader(body); err == nil {
			body = z
		}
	}
	d := json.NewDecoder(io.LimitReader(body, maxAnswer))
	d.UseNumber()
	if d.Decode(&a.object) != nil {
		a.object = nil
	}
	return a
}

// ofTable is the object or the list that a Table shows, as far as it has it.
func ofTable(table map[string]any, single bool) map[string]any {
	rows, _ := table["rows"].([]any)
	items := []any{}
	for _, row := range rows {
		if o, ok := expr.Lookup(row, "object"); ok {
			items = append(items, o)
		}
	}
	if single && len(items) == 1 {
		object, _ := items[0].(map[string]any)
		return object
	}
	return map[string]any{"metadata": table["metadata"], "items": items}
}

// made remembers what a request created, for others to see at once.
func (p *Player) made(st *stage, r *Request, a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	st.made(r, a)
}
