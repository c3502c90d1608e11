// Package teller plays lessons in a terminal, as plain text: Tell from beginning to end, Guide with a reader who types.
package teller

import (
	"context"
	"errors"
	"io"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/play"
	"kubarium/scenarios/words"
)

// Tell plays a lesson against a server and writes it to w as plain text: the narration, each request with an answer in
// short, and what to look at. It stops nowhere, except for a pace. It returns the first error, a failed expectation being a
// *check.Mismatch; a lesson whose needs the server lacks is an error as well.
func Tell(ctx context.Context, w io.Writer, l *scenarios.Lesson, server string, o play.Options) error {
	t := &page{w: w, kubectl: o.Kubectl, Words: words.In(l.Language)}
	o.Ask, o.Witness = false, nil
	o.Say = func(step int, r *check.Result) {
		t.title(step, len(l.Steps), r.Step)
		if q := r.Step.Predict; q != nil {
			t.wrapped("    ?  ", q.Ask+" ["+strings.Join(q.Choices, " | ")+"]")
		}
		t.step(r)
	}
	p := play.New(l, server, o)
	if err := p.Playable(ctx); err != nil {
		return err
	}
	t.opening(l)
	err := p.Run(ctx)
	if err != nil { // it may have been stopped between two steps
		err = errors.Join(err, p.Reset(ctx))
	}
	switch {
	case t.err != nil:
		return t.err
	case err != nil:
		return err
	}
	t.ending(l)
	return t.err
}
