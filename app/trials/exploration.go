// Package trials runs a command again and again, with one fault each, and reports which runs end differently. Package
// explore chooses the faults and compares the ends.
package trials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"kubarium/analysis/explore"
	"kubarium/app/child"
	"kubarium/app/cli"
	"kubarium/flow/filter"
)

// An Exploration is what "kubarium explore" was asked for.
type Exploration struct {
	Out        string // folder of the findings
	Kinds      string
	Most       int
	Bases      int
	Repeat     int
	Parallel   int
	Quiet      time.Duration
	Timeout    time.Duration
	StaleFor   time.Duration
	Seed       uint64
	Client     string
	Only       string
	Controlled string // command line of the controller
	Setup      string // command line that makes all ready
	FailOn     string
	Format     string
	Replay     string         // folder of a finding
	fault      *explore.Fault // of it
	words      []string       // of the command
	controller []string       // its words; nil for none
	setup      []string       // the same

	options explore.Options
	folder  string // of the runs
	resumed bool   // whether an interrupted exploration goes on
}

// Complete reads the arguments; dash is how many of them come before "--", negative for none.
func (x *Exploration) Complete(args []string, dash int) (err error) {
	switch {
	case dash < 0 && len(args) > 0, dash > 0:
		return fmt.Errorf("unexpected argument %q; put a command after --", args[0])
	case len(args) == 0:
		return errors.New("say which command to run: -- COMMAND")
	case x.Most < 0:
		return fmt.Errorf("--most must be 0 or more, not %d", x.Most)
	case x.Bases < 1 || x.Repeat < 1 || x.Parallel < 1:
		return errors.New("--base, --repeat and --parallel must be 1 or more")
	case x.Quiet <= 0 || x.Timeout <= 0 || x.StaleFor <= 0:
		return errors.New("--quiet, --timeout and --stale-for must be more than 0")
	}
	x.words = args
	if _, err := exec.LookPath(args[0]); err != nil {
		return fmt.Errorf("the command: %w", err)
	}
	if x.Controlled != "" {
		if x.controller, err = splitWords(x.Controlled); err != nil || len(x.controller) == 0 {
			return fmt.Errorf("--controller must be a command line, not %q", x.Controlled)
		}
		if _, err := exec.LookPath(x.controller[0]); err != nil {
			return fmt.Errorf("--controller: %w", err)
		}
	}
	if x.Setup != "" {
		if x.setup, err = splitWords(x.Setup); err != nil || len(x.setup) == 0 {
			return fmt.Errorf("--setup must be a command line, not %q", x.Setup)
		}
		if _, err := exec.LookPath(x.setup[0]); err != nil {
			return fmt.Errorf("--setup: %w", err)
		}
	}
	x.options = explore.Options{Most: x.Most, Controller: x.controller != nil, Seed: x.Seed, StaleFor: x.StaleFor}
	if x.options.Kinds, err = explore.ParseKinds(x.Kinds); err != nil {
		return fmt.Errorf("--kinds: %w", err)
	}
	if x.Client != "" {
		if x.options.Client, err = filter.Parse(x.Client); err != nil {
			return fmt.Errorf("--client: %w", err)
		}
	}
	if x.Only != "" {
		if x.options.Only, err = filter.Parse(x.Only); err != nil {
			return fmt.Errorf("--only: %w", err)
		}
	}
	if x.Replay != "" {
		if x.fault, err = readFault(x.Replay); err != nil {
			return fmt.Errorf("--replay: %w", err)
		}
		if x.fault.ControllerNeeded() && x.controller == nil {
			return errors.New("--replay: the fault needs --controller, which is killed and started again")
		}
	}
	return x.place()
}

// place chooses the folder of the findings, which must have none yet.
func (x *Exploration) place() error {
	if x.Out == "" {
		x.Out = "kubarium-findings-" + time.Now().Format("20060102-150405")
	}
	if s, err := os.Stat(x.Out); err == nil && !s.IsDir() {
		return fmt.Errorf("--out %s is not a folder", x.Out)
	}
	known, err := child.Files(x.Out, "finding-*")
	interrupted, _ := child.Files(x.Out, askedFile)
	switch {
	case x.resumed:
	case err != nil:
		return fmt.Errorf("--out: %w", err)
	case len(interrupted) > 0:
		return fmt.Errorf("--out %s has an exploration that was interrupted; go on with it by --resume, or say another folder", x.Out)
	case len(known) > 0:
		return fmt.Errorf("--out %s has findings already; move them away, or say another folder", x.Out)
	}
	return nil
}

// stopped is the error of a run that was interrupted.
func (x *Exploration) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; kubarium explore --resume %s goes on", cli.Quote(x.Out))
	}
	return err
}
