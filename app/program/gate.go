package program

import (
	"context"
	"time"

	"kubarium/app/cli"
	"kubarium/flow"
	"kubarium/server/gate"
	"kubarium/server/storage"
)

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
	_, err = p.gate.Add(s)
	return err
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
