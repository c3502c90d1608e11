package registry

import (
	"context"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// Get returns the newest version of an object, not older than resourceVersion if that is stated (API Concepts, "get
// and list").
func (r *Registry) Get(ctx context.Context, t Target, resourceVersion string) (*cache.Object, error) {
	min, err := readRevision(resourceVersion)
	if err != nil && t.Kind.Stored().Uncached {
		return nil, badRevision(err)
	}
	if err != nil {
		return nil, err
	}
	f := flow.From(ctx)
	if err := f.Before(ctx, "cache"); err != nil {
		return nil, err
	}
	if at, err := r.lagging(ctx, resourceVersion); at != 0 || err != nil {
		return r.getLate(ctx, t, at, err)
	}
	f.Enter("cache")
	min, err = r.least(ctx, resourceVersion, min)
	var obj *cache.Object
	head := min
	if err == nil {
		obj, head, err = r.Cache.Get(ctx, t.key(), min)
	}
	leaveRead(f, err, "at rv %d", head)
	if err != nil {
		return nil, interpret(err, t)
	}
	if err := readable(t, obj); err != nil {
		return nil, unreadable(t, err)
	}
	return obj, nil
}

// getLate is Get at an older revision.
func (r *Registry) getLate(ctx context.Context, t Target, at storage.Revision, err error) (*cache.Object, error) {
	f := flow.From(ctx)
	f.Enter("history")
	var rec storage.Record
	if err == nil {
		rec, err = r.Store.Get(ctx, t.key(), at)
	}
	leaveRead(f, err, "at rv %d", at)
	if err != nil {
		return nil, interpret(err, t)
	}
	obj := r.object(rec)
	if err := readable(t, obj); err != nil {
		return nil, unreadable(t, err)
	}
	return obj, nil
}
