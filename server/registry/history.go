package registry

import (
	"context"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// enterHistory reads the page from the store.
func (r *Registry) enterHistory(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	f := flow.From(ctx)
	f.Enter("history")
	l, err := r.listHistory(ctx, t, o, read)
	leaveRead(f, err, "%d at rv %d", len(l.Objects), l.Revision)
	return l, err
}

// listHistory reads the page as it was at an older revision.
func (r *Registry) listHistory(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	m := newMatcher(o)
	l := List{Revision: read.at, Past: true}
	last := read.after
	scope, one := m.scope(t, read.prefix)
	for {
		page, err := r.Store.List(ctx, storage.ListOptions{
			Resource: t.Kind.StorageResource(), Prefix: scope, After: last, At: read.at, Limit: int(o.Limit), Uncounted: true,
		})
		if err != nil {
			return List{}, err
		}
		for i, rec := range page.Records {
			if err := ctx.Err(); err != nil {
				return List{}, err
			}
			last = rec.Key.Name
			obj := r.object(rec)
			if !m.matches(obj) {
				continue
			}
			l.Objects = append(l.Objects, obj)
			if one {
				return l, nil
			}
			if o.Limit > 0 && int64(len(l.Objects)) == o.Limit && (i+1 < len(page.Records) || page.More) {
				left, err := r.leftInHistory(ctx, t, m, read, last)
				l.setContinue(read.prefix, last, m, left)
				return l, err
			}
		}
		if !page.More {
			return l, nil
		}
	}
}

// leftInHistory counts the objects after a page of an older revision, if the answer says it: by the cache, which
// costs the same for any number of objects, or else in the store.
func (r *Registry) leftInHistory(ctx context.Context, t Target, m matcher, read listRead, last string) (int, error) {
	if !m.all() {
		return 0, nil
	}
	resource := t.Kind.StorageResource()
	if n, ok := r.Cache.CountAt(ctx, resource, read.prefix, last, read.at); ok {
		return n, nil
	}
	page, err := r.Store.List(ctx, storage.ListOptions{Resource: resource, Prefix: read.prefix, After: last, At: read.at, Limit: 1})
	return len(page.Records) + page.Remaining, err
}

// object is a record of the history as the cache would hold it.
func (r *Registry) object(rec storage.Record) *cache.Object {
	return cache.NewObject(rec, r.Index(rec.Key.Resource, rec, nil))
}

// keeps reports whether a snapshot is what a list at a revision must show: nothing of the kind has changed since
// then, and the revision may still be read, as the newest one always may.
func (r *Registry) keeps(snap *cache.Snapshot, at storage.Revision) bool {
	_, compacted := r.Store.Head()
	return at == snap.Revision() || at >= compacted && snap.Holds(at)
}
