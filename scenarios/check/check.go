// Package check compares what came of a lesson's step with what the lesson expects. It sends nothing and waits for nothing.
package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
)

// Outcome returns what came of the step, and the first expectation that does not hold as a *Mismatch. Another error says that
// there was no answer.
func (of Check) Outcome(o Outcome) (*Result, error) {
	c := &check{Check: of, result: &Result{Step: of.Step, Method: o.Method, Path: o.Path, Body: o.Body}}
	err := o.Err
	if err == nil {
		err = c.outcome(o)
	}
	if mismatch := new(Mismatch); err != nil && !errors.As(err, &mismatch) {
		err = fmt.Errorf("%s, step %d (%s): %w", c.Lesson, c.Number, c.Step.Title, err)
	}
	return c.result, err
}

func (c *check) outcome(o Outcome) error {
	s := c.Step
	switch {
	case o.Held != "":
		c.result.Brief = "held before " + o.Held + ", no answer yet"
		return nil
	case s.Watch != nil:
		return c.watch(o.Response)
	case s.Frames != nil:
		return c.frames(s.Frames, o)
	case s.Request == nil && s.Answer == nil:
	case s.Expect.None:
		if err := c.lost(o); err != nil {
			return err
		}
	case o.Lost != nil:
		return o.Lost
	default:
		if err := c.answered(o); err != nil || o.Cut {
			return err
		}
	}
	return c.asked(o.Asked)
}

// noAnswer is what is said of a request whose connection ended.
const noAnswer = "no answer: the connection has ended"

// lost checks that there was no answer. A server that was not reached, or took too long, is another matter.
func (c *check) lost(o Outcome) error {
	if o.Lost == nil {
		return c.mismatch("answer", noAnswer, o.Response.Brief())
	}
	var op *net.OpError
	if errors.Is(o.Lost, context.Canceled) || errors.Is(o.Lost, context.DeadlineExceeded) || errors.As(o.Lost, &op) && op.Op == "dial" {
		return o.Lost
	}
	c.result.Brief = noAnswer
	return nil
}

// answered checks the answer to a request, and keeps what the step says.
func (c *check) answered(o Outcome) error {
	want := c.Step.Expect
	if c.Step.Until != nil {
		want = *c.Step.Until
	}
	if o.Cut { // there is no more to see than that it came
		want = scenarios.Expect{Status: want.Status, Headers: want.Headers}
	}
	err := c.answer(o.Response, &want)
	if o.Reader && err != nil {
		err = c.table(o.Response, &want, err)
	}
	if err != nil || o.Cut {
		return err
	}
	return c.keep("body", o.Response.Object, c.Step.Keep)
}

// came makes an answer the step's result.
func (c *check) came(a *client.Response) {
	c.result.Status, c.result.Header, c.result.Answer, c.result.Brief = a.Status, a.Header, a.Body, a.Brief()
}

// answer checks an answer and makes it the step's result.
func (c *check) answer(a *client.Response, want *scenarios.Expect) error {
	c.came(a)
	if a.Status != want.Status {
		return c.mismatch("status", fmt.Sprint(want.Status), a.Brief())
	}
	if err := c.headers("header ", a.Header, want.Headers); err != nil {
		return err
	}
	if want.Text != nil {
		if err := c.text("text", string(a.Body), want.Text); err != nil {
			return err
		}
	}
	if want.Size != nil {
		if err := c.text("size", fmt.Sprint(len(a.Body)), want.Size); err != nil {
			return err
		}
	}
	return c.fields("body", a.Object, want.Body)
}

// table checks once more an answer that is not as expected, if it is the Table that kubectl asks for where it prints one: the metadata
// of the objects, which the Table has, may be as expected.
func (c *check) table(a *client.Response, want *scenarios.Expect, err error) error {
	ref, _ := scenarios.RefOf(c.result.Path)
	object := ofTable(a.Object, ref.Name != "")
	if object == nil {
		return err
	}
	c.result.Facts, a.Object = nil, object
	err = c.answer(a, want)
	var m *Mismatch
	if errors.As(err, &m) && m.Actual == noField {
		m.Actual = "a Table, which does not have it: ask with -o yaml"
	}
	return err
}

// watch checks that a watch was opened.
func (c *check) watch(a *client.Response) error {
	c.came(a)
	if a.Status != http.StatusOK {
		return c.mismatch("status", "200", a.Brief())
	}
	return nil
}

// Fits reports whether what has come of the step so far is as expected: an answer, or the first frames of a watch. It keeps nothing.
func (of Check) Fits(o Outcome) bool {
	of.Values = maps.Clone(of.Values)
	of.Step.Keep, of.Step.Asked = nil, nil
	if f := of.Step.Frames; f != nil {
		of.Step.Frames = &scenarios.Frames{From: f.From, Expect: f.Expect[:len(o.Frames)]}
	}
	_, err := of.Outcome(o)
	return err == nil
}
