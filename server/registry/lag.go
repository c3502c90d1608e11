package registry

import (
	"context"
	"time"

	"kubarium/flow"
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
