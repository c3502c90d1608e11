package program

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"kubarium/app/record"
	"kubarium/app/remedy"
	"kubarium/app/version"
	"kubarium/flow/recording"
)

// Run is the run as a recording has it; secrets says that it names secret values as they are.
func (p *Program) Run(secrets bool) record.Run {
	return record.Run{Log: p.Log, Why: p.why, Feed: &p.feed, Store: p.store, Begin: recording.Begin{
		MadeBy: version.String(), Run: p.id, URL: cmp.Or(p.URL, p.Secure), DB: p.DB, Secrets: secrets,
	}}
}

// record begins a recording, if one is wanted.
func (p *Program) record(ctx context.Context, o Record) error {
	p.id = uuid.NewString()
	if o.File == "" {
		return nil
	}
	r, err := record.Start(ctx, p.Run(o.Secrets), o.Path(), o.Size(), p.logger)
	if err != nil {
		return remedy.Add(err, "say --record FILE for one that can be written")
	}
	p.recorder = r
	ctx, end := context.WithCancel(context.Background())
	go r.Run(ctx)
	p.closers.push(func() error { // with what came last
		end()
		return r.Wait()
	})
	return nil
}
