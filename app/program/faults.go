package program

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/server/gate"
	"kubarium/server/storage"
)

// Faults are the fault rules that a Program begins with.
type Faults struct {
	File string   // of rules, as package rule reads them; "" for none
	Set  rule.Set // behind those of the file
}

func (f *Faults) flags(s *pflag.FlagSet) {
	s.StringVar(&f.File, "faults", "", "file of fault rules, a line each: hold, delay, refuse, cut, lose, coalesce, lag")
}

// read reads the file, if there is one.
func (f *Faults) read() (rule.Set, error) {
	if f.File == "" {
		return f.Set, nil
	}
	text, err := os.ReadFile(f.File)
	if err != nil {
		return rule.Set{}, fmt.Errorf("--faults: %w", err)
	}
	s, err := rule.ParseSet(string(text))
	if err != nil {
		return rule.Set{}, fmt.Errorf("--faults %s: %w", f.File, err)
	}
	s.Rules = append(s.Rules, f.Set.Rules...)
	if f.Set.Seed != 0 {
		s.Seed = f.Set.Seed
	}
	return s, nil
}

func (f *Faults) check() error {
	_, err := f.read()
	return err
}

// orEnvironment takes the file that the environment names, for programs without the flag: what envtest starts, and servers in Go tests.
func (f *Faults) orEnvironment(fork bool) error {
	if f.File != "" || fork {
		return nil
	}
	var said Faults
	if err := cli.InEnvironment(said.flags); err != nil {
		return err
	}
	f.File = said.File
	return f.check()
}

// openGate makes the gate that requests go past, with the rules of the configuration.
func (p *Program) openGate(f Faults) error {
	p.gate = gate.New(gate.Options{Stored: p.storedRevision, At: p.revisionAt})
	s, err := f.read()
	if err != nil {
		return cli.Misuse(err)
	}
	if len(s.Rules) == 0 && s.Seed == 0 {
		return nil
	}
	return p.gate.Add(s)
}

// storedRevision is the revision of a target's object as it is now, 0 if there is none.
func (p *Program) storedRevision(ctx context.Context, t flow.Target) int64 {
	resource := t.Resource
	if t.Group != "" {
		resource += "." + t.Group
	}
	name := t.Name
	if t.Namespace != "" {
		name = t.Namespace + "/" + t.Name
	}
	found, _, err := p.cache.Get(flow.With(ctx, nil), storage.Key{Resource: resource, Name: name}, 0)
	if err != nil {
		return 0
	}
	return int64(found.Revision)
}

// revisionAt is the newest revision that there was at a time, and the oldest one that can be read.
func (p *Program) revisionAt(ctx context.Context, t time.Time) (seen, oldest int64) {
	_, compacted := p.store.Head()
	at, err := p.store.RevisionAt(flow.With(ctx, nil), t)
	if err != nil {
		p.logger.Error("the revision of a time is not known", "error", err)
		return 0, int64(compacted)
	}
	return int64(at), int64(compacted)
}
