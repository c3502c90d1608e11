package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"kubarium/app/debug"
	"kubarium/app/home"
	"kubarium/app/running"
	"kubarium/flow"
	"kubarium/tui"
)

// StartAnywhere is Start in a mode that does not let everybody do everything.
var StartAnywhere = start

// FailAfter lets a step of the start fail once it is done.
func (c *Config) FailAfter(step string) { c.failAfter = step }

// FailForks lets that step of the start of forks fail; "" lets none.
func (p *Program) FailForks(step string) { p.config.failAfter = step }

// LimitLog sets how much the log of flows holds.
func (c *Config) LimitLog(l flow.Limits) { c.flows = l }

// Source is the run of a UI's own server.
func (p *Program) Source() tui.Source { return p.source() }

// DebugHandler is what answers a path below /debug/.
func (p *Program) DebugHandler(path string) http.Handler { return debug.Handlers(p)[path] }

// Choose picks one of the running servers at a terminal, and returns its address.
func Choose(in io.Reader, out io.Writer) (string, error) {
	s, err := choose(running.List(home.Running()), true, in, out)
	return s.URL, err
}

// A RecordedRun is a run that is read from a file.
type RecordedRun = recordedRun

// OpenRun opens a recording.
var OpenRun = openRun

// Past is what answers for a server that was recorded.
func (r *recordedRun) Past() http.RoundTripper { return &r.past }

// ClosePast ends the server of the past.
func (r *recordedRun) ClosePast() error { return r.past.close() }

// Term is one term of a server in its election: from when it is a candidate until another may work.
func Term(ctx context.Context, lock resourcelock.Interface, work func(context.Context)) error {
	return (&Program{logger: slog.New(slog.DiscardHandler)}).term(ctx, lock, work)
}
