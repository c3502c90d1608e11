package registry

import (
	"cmp"
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/flow"
	"kubarium/server/cache"
)

// List returns the objects of a collection. o has been validated (API Concepts, "Retrieving large results sets in
// chunks" and "Resource versions").
func (r *Registry) List(ctx context.Context, t Target, o metainternal.ListOptions) (List, error) {
	if err := r.uncached(ctx, t); err != nil {
		if !passesCache(o) {
			return List{}, err
		}
		if o.ResourceVersion == "0" {
			o.ResourceVersion = "" // the store has only one state
		}
	}
	return r.list(ctx, t, o)
}

// list is List for what is read in any case.
func (r *Registry) list(ctx context.Context, t Target, o metainternal.ListOptions) (List, error) {
	read, err := planRead(t, o)
	if err != nil {
		return List{}, err
	}
	f := flow.From(ctx)
	if err := f.Before(ctx, "cache"); err != nil {
		return List{}, err
	}
	if err := r.readLate(ctx, o, &read); err != nil {
		return List{}, interpret(err, t)
	}
	f.Enter("cache")
	l, err := r.readList(ctx, t, o, read)
	leaveRead(f, err, "%d at rv %d", len(l.Objects), l.Revision)
	if err != nil {
		err = listError(err, t, read)
	}
	notePage(ctx, o, read, l, err)
	if err != nil {
		return List{}, err
	}
	if err := unreadableList(t, l.Objects); err != nil {
		return List{}, err
	}
	return l, nil
}

// readList reads the page from the cache's snapshot, or from the history where an older state is asked for.
func (r *Registry) readList(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (List, error) {
	resource := t.Kind.StorageResource()
	if read.at == 0 {
		least, err := r.least(ctx, o.ResourceVersion, read.min)
		if err != nil {
			return List{}, err
		}
		read.min = least
	}
	if read.at > r.Cache.Head() {
		if err := r.Cache.Wait(ctx, read.at); err != nil {
			return List{}, err
		}
	}
	if o.ResourceVersion == "0" {
		o.Limit = 0
	}
	if l, done, err := r.listUnfilled(ctx, t, o, read); done {
		return l, err
	}
	snap, err := r.Cache.Snapshot(ctx, resource, read.min)
	if err != nil {
		return List{}, err
	}
	if read.at > 0 && !r.keeps(snap, read.at) {
		return r.enterHistory(ctx, t, o, read)
	}
	m := newMatcher(o)
	l := List{Revision: cmp.Or(read.at, snap.Revision())}
	if m.all() {
		n := snap.Count(read.prefix, read.after)
		if o.Limit > 0 {
			n = int(min(o.Limit, int64(n)))
		}
		l.Objects = make([]*cache.Object, 0, n)
	}
	more, last, looked := false, "", 0
	scope, one := m.scope(t, read.prefix)
	first := !read.paging && read.at == 0
	walk := func() (err error) {
		snap.Ascend(scope, read.after, func(obj *cache.Object) bool {
			if looked++; looked%lookUp == 0 {
				if err = ctx.Err(); err != nil {
					return false
				}
			}
			if o.Limit > 0 && int64(len(l.Objects)) == o.Limit { // the next page finds out what matches
				more = !first || m.indexed(t.Kind, obj)
				return !more
			}
			if !m.matches(obj) {
				return true
			}
			l.Objects, last = append(l.Objects, obj), obj.Key.Name
			return !one
		})
		return err
	}
	if snap.Len() <= FewObjects || m.all() && o.Limit > 0 && o.Limit <= FewObjects {
		err = walk()
	} else {
		err = r.Budget.Piece(ctx, walk)
	}
	if err != nil {
		return List{}, err
	}
	if more {
		l.setContinue(read.prefix, last, m, snap.Count(read.prefix, last))
	}
	return l, nil
}

// fillPatience is how long a page waits for its kind to be read into the cache, which takes longer where there are
// more than some thousand objects.
const fillPatience = 20 * time.Millisecond

// listUnfilled reads a page from the store, as it is now, while the cache is still busy with a kind that has many
// objects. It is not done when the cache is filled, or all of the objects are asked for: those wait for the cache.
func (r *Registry) listUnfilled(ctx context.Context, t Target, o metainternal.ListOptions, read listRead) (l List, done bool, err error) {
	if o.Limit == 0 {
		return l, false, nil
	}
	filled, err := r.Cache.Filled(ctx, t.Kind.StorageResource(), fillPatience)
	if err == nil && !filled {
		err = r.Cache.Wait(ctx, read.min)
	}
	if err != nil || filled {
		return l, err != nil, err
	}
	read.at = cmp.Or(read.at, r.Cache.Head())
	l, err = r.enterHistory(ctx, t, o, read)
	return l, true, err
}

// FewObjects is how many objects are looked at without a turn among those that read many.
const FewObjects = 1000

// lookUp is after how many objects a list checks whether its client still waits.
const lookUp = 64

// readLate moves a list that any version may answer to an older revision.
func (r *Registry) readLate(ctx context.Context, o metainternal.ListOptions, read *listRead) error {
	if read.at != 0 || read.paging {
		return nil
	}
	at, err := r.lagging(ctx, o.ResourceVersion)
	if at != 0 {
		read.at, read.min = at, 0
	}
	return err
}

// notePage records what a list answered with, or that its snapshot is no longer there.
func notePage(ctx context.Context, o metainternal.ListOptions, read listRead, l List, err error) {
	f := flow.From(ctx)
	if f == nil {
		return
	}
	p := &flow.Page{
		Source: "cache", Snapshot: int64(l.Revision), Items: len(l.Objects), Limit: o.Limit,
		Token: o.Continue, Next: l.Continue,
	}
	if l.Past {
		p.Source = "history"
	}
	var status apierrors.APIStatus
	switch {
	case l.Remaining != nil:
		p.Remaining = *l.Remaining
	case l.Continue != "":
		p.Remaining = -1
	}
	if err != nil {
		p.Snapshot = int64(read.at)
		p.Expired = apierrors.IsResourceExpired(err)
		if errors.As(err, &status) {
			p.Next = status.Status().Continue
		}
	}
	f.Flow.Page = p
}
