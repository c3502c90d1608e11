package registry

import (
	"context"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/flow"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// How long a read waits for a server that lags to see what it names, and how often it looks: kube-apiserver waits three seconds for its
// watch cache.
const (
	lagWait = 3 * time.Second
	lagLook = 50 * time.Millisecond
)

// lagging is the revision as of which a read is answered that any version may answer, or any not older than the one it names, where a fault
// rule lets its client see a server that lags; 0 if it sees all there is. A read that names no version is not touched: kube-apiserver asks
// etcd for it, however far its cache lags (API Concepts, "Resource versions").
func (r *Registry) lagging(ctx context.Context, asked string) (storage.Revision, error) {
	f := flow.From(ctx)
	if asked == "" || f == nil || f.Gate == nil {
		return 0, nil
	}
	least, err := readRevision(asked)
	if err != nil {
		return 0, nil // it is refused where it is read
	}
	for end := r.Now().Add(lagWait); ; {
		seen := storage.Revision(f.Seen(ctx))
		if seen == 0 || seen >= least {
			return seen, nil
		}
		if r.Now().After(end) {
			return 0, &storage.RevisionError{Err: storage.ErrTooLarge, Asked: least, Current: seen}
		}
		select {
		case <-time.After(lagLook):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
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

// openLate begins a watch with an ADDED event for each object that there was at an older revision.
func (r *Registry) openLate(ctx context.Context, w *Watch, t Target, at storage.Revision) error {
	l, err := r.listHistory(ctx, t, metainternal.ListOptions{}, listRead{at: at, prefix: w.prefix})
	if err != nil {
		return err
	}
	if w.watcher, err = r.Cache.Watch(ctx, t.Kind.StorageResource(), at); err != nil {
		return err
	}
	w.start = at
	w.initial = initial{left: len(l.Objects), next: func() (o *cache.Object) {
		o, l.Objects = l.Objects[0], l.Objects[1:]
		return o
	}}
	return nil
}
