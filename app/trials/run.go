package trials

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kubarium/analysis/explore"
	"kubarium/analysis/quiet"
	"kubarium/app/child"
	"kubarium/app/cli"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/flow"
)

// longestStart is how long a controller may take to begin its watches.
const longestStart = 20 * time.Second

// run runs the command once, on a server of its own, with a fault or (nil) with none. Its error is not that of
// the command.
func (x *Exploration) run(ctx context.Context, name string, f *explore.Fault) (r *ran, err error) {
	if r := x.known(name); r != nil {
		return r, nil
	}
	r = &ran{folder: filepath.Join(x.folder, name)}
	if err := os.Mkdir(r.folder, 0o700); err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	begun := time.Now()
	p, err := child.Start(ctx, program.Record{File: filepath.Join(r.folder, ownRecording)}, x.controller != nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	err = x.attend(ctx, p, r, f)
	err = errors.Join(err, p.Close())
	if err != nil {
		return nil, err
	}
	r.Took, r.Panicked = time.Since(begun), r.panics()
	return r, errors.Join(writeJSON(filepath.Join(r.folder, factsFile), r.facts), r.read())
}

// attend runs the command, and the controller next to it, on a server until everything rests.
func (x *Exploration) attend(ctx context.Context, p *program.Program, r *ran, f *explore.Fault) error {
	environment, err := child.Environment(p.URL, r.folder, child.Runs(r.folder))
	if err != nil {
		return err
	}
	if f == nil {
		f = &explore.Fault{}
	}
	if environment, err = withRules(environment, r.folder, f.Rules); err != nil {
		return err
	}
	if err := x.setUp(ctx, r, environment); err != nil {
		return err
	}
	r.Begun = time.Now()
	control, end, err := x.control(p, r, f)
	if err != nil {
		return err
	}
	defer end()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &tormentor{fault: f, log: p.Log, gate: gatekeeper{p.URL}, controller: control, ended: make(chan struct{})}
	if err := t.begin(running); err != nil {
		return err
	}
	if control != nil {
		if err := control.start(); err != nil {
			return cli.Misuse(fmt.Errorf("--controller: %w", err))
		}
	}
	if err := x.command(ctx, r, environment); err != nil {
		return err
	}
	x.rest(ctx, p.Log, t, r)
	cancel()
	t.done.Wait()
	r.Rules, r.Falls, r.Restarted = t.rules(), control.fallen(), t.bare
	return errors.Join(ctx.Err(), t.why(), control.lost())
}

// withRules gives the rules to servers that the command starts.
func withRules(environment []string, folder string, rules []string) ([]string, error) {
	if len(rules) == 0 {
		return environment, nil
	}
	file := filepath.Join(folder, rulesFile)
	if err := os.WriteFile(file, []byte(strings.Join(rules, "\n")+"\n"), 0o600); err != nil {
		return nil, remedy.Add(err, remedy.Temporary)
	}
	return append(environment, "KUBARIUM_FAULTS="+file), nil
}

// setUp runs the command of --setup.
func (x *Exploration) setUp(ctx context.Context, r *ran, environment []string) error {
	if x.setup == nil {
		return nil
	}
	out, err := os.Create(filepath.Join(r.folder, setupOutput))
	if err != nil {
		return remedy.Add(err, remedy.Temporary)
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	if err := child.Run(ctx, x.setup, environment, nil, out, out); err != nil {
		return fmt.Errorf("--setup: %w%s", err, lastLine(out.Name()))
	}
	return nil
}

// control is the controller next to the command, nil for none, with a kubeconfig of its own, by which its requests are
// known; end ends it.
func (x *Exploration) control(p *program.Program, r *ran, f *explore.Fault) (k *kept, end func(), err error) {
	if x.controller == nil {
		return nil, func() {}, nil
	}
	folder := filepath.Join(r.folder, "controller")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, nil, remedy.Add(err, remedy.Temporary)
	}
	environment, err := child.Environment(p.CommandURL, folder, child.Runs(r.folder))
	if err != nil {
		return nil, nil, err
	}
	if environment, err = withRules(append(environment, f.Variables...), folder, f.Rules); err != nil {
		return nil, nil, err
	}
	out, err := os.Create(filepath.Join(r.folder, controllerFile))
	if err != nil {
		return nil, nil, remedy.Add(err, remedy.Temporary)
	}
	k = &kept{words: x.controller, environment: environment, out: out}
	return k, func() {
		k.stop()
		out.Close()
	}, nil
}

// command runs the command until it ends, or until its time is over.
func (x *Exploration) command(ctx context.Context, r *ran, environment []string) error {
	out, err := os.Create(filepath.Join(r.folder, commandOutput))
	if err != nil {
		return remedy.Add(err, remedy.Temporary)
	}
	defer out.Close()
	limited, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	err = child.Run(limited, x.words, environment, nil, out, out)
	code := cli.ExitCode(0)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &code):
		r.Exit = int(code)
	case err != nil && limited.Err() == nil:
		return cli.Misuse(err)
	case err != nil:
		r.Exit = 1
	}
	r.Late = limited.Err() != nil
	return nil
}

// rest waits until no client writes any more, and then for a fault that comes at the end.
func (x *Exploration) rest(ctx context.Context, log *flow.Log, t *tormentor, r *ran) {
	x.up(ctx, log, t.controller)
	r.Busy = x.still(ctx, log, waitsBehind(t.fault))
	if !t.fault.ControllerNeeded() && t.fault.Restart == nil {
		return
	}
	close(t.ended)
	if t.fault.Restart != nil && t.fault.Restart.Moment == explore.AtEnd {
		t.done.Wait()
	}
	t.lagged(ctx)
	x.up(ctx, log, t.controller)
	r.Busy = x.still(ctx, log, 0)
}

// up waits until the controller has opened a watch.
func (x *Exploration) up(ctx context.Context, log *flow.Log, control *kept) {
	if control == nil {
		return
	}
	for end := time.Now().Add(longestStart); time.Now().Before(end) && ctx.Err() == nil && control.lost() == nil; pause(ctx, gateEvery) {
		if watching(log, func(c flow.Client) bool { return c.Via == flow.ViaRun }) {
			return
		}
	}
}

// longestUnrest bounds the wait for a quiet time, in quiet times.
const longestUnrest = 15

// still waits for a time without a write, and returns who went on writing if there was none for long.
func (x *Exploration) still(ctx context.Context, log *flow.Log, longer time.Duration) []quiet.Busy {
	rest := x.Quiet + longer
	ctx, cancel := context.WithTimeout(ctx, longestUnrest*rest)
	defer cancel()
	return quiet.Wait(ctx, log, quiet.Options{For: rest, Writes: true})
}
