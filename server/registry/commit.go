package registry

import (
	"context"
	"errors"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/flow"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// commit hands a write to the store and notes on the flow what became of it. before is the object as the request met
// it, nil for a create.
func (r *Registry) commit(ctx context.Context, w storage.Write, before []byte) (storage.Record, error) {
	f := flow.From(ctx)
	if err := f.Before(ctx, "store"); err != nil {
		return storage.Record{}, err
	}
	f.Enter("store")
	w.Before = before
	rec, err := r.Store.Write(ctx, w)
	if f == nil {
		return rec, err
	}
	if err != nil {
		f.Leave(err.Error(), err)
		r.noteRefusal(ctx, w, err)
		return rec, err
	}
	f.Leave("revision "+strconv.FormatInt(int64(rec.Revision), 10), nil)
	ns, name := w.Key.Split()
	change := flow.ChangeType(w.Op)
	f.Flow.Effects = append(f.Flow.Effects, flow.Effect{
		Commit: flow.Commit{Revision: int64(rec.Revision), Type: change, Resource: w.Key.Resource, Namespace: ns, Name: name, At: r.Now()},
		Before: before, After: w.Value,
	})
	f.Flow.Revision = int64(rec.Revision)
	return rec, nil
}

// summary spares the follower reading the labels out of the value that was made of obj.
func summary(obj runtime.Object) *storage.Summary {
	return &storage.Summary{Labels: objects.Meta(obj).GetLabels()}
}

// noteRefusal records why the store refused a write.
func (r *Registry) noteRefusal(ctx context.Context, w storage.Write, err error) {
	f := flow.From(ctx)
	var key *storage.KeyError
	if !errors.As(err, &key) {
		return
	}
	switch {
	case errors.Is(err, storage.ErrExists):
		c := &flow.Conflict{Kind: flow.AlreadyExists}
		if found, _, err := r.Cache.Get(ctx, w.Key, 0); err == nil {
			c.Stored, c.Object = int64(found.Revision), found.Value
		}
		f.Flow.Conflict = c
	case errors.Is(err, storage.ErrConflict) && key.Key == w.Key:
		f.Flow.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: int64(w.Expect), Stored: int64(key.Stored.Revision), Object: key.Stored.Value}
	}
}

// noteStale records that a request named a resourceVersion that is not the stored one, with both versions if the
// older one is still retained.
func (r *Registry) noteStale(ctx context.Context, sent storage.Revision, stored storage.Record) {
	f := flow.From(ctx)
	if f == nil {
		return
	}
	c := &flow.Conflict{Kind: flow.StaleRevision, Sent: int64(sent), Stored: int64(stored.Revision), Object: stored.Value}
	if base, err := r.Store.Get(flow.With(ctx, nil), stored.Key, sent); err == nil {
		c.Base = base.Value
	}
	f.Flow.Conflict = c
}

// station runs one step of a request and marks it on the flow.
func station(ctx context.Context, name, note string, step func() error) error {
	if err := ctx.Err(); err != nil {
		return err // the client has gone, or its time is up
	}
	f := flow.From(ctx)
	if err := f.Before(ctx, name); err != nil {
		return err
	}
	f.Enter(name)
	err := step()
	f.Leave(note, err)
	return err
}
