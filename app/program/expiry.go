package program

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow/object"
	"kubarium/server/cache"
	"kubarium/server/storage"
)

// defaultEventTTL is that of kube-apiserver's --event-ttl.
const defaultEventTTL = time.Hour

// expireEvents deletes Events that were not written for the time ttl, until ctx ends. It does so in the store, as the
// leases of kube-apiserver's do: no request deletes them, no admission is asked, and finalizers do not hold them.
func (p *Program) expireEvents(ctx context.Context, ttl time.Duration) {
	tick := time.NewTicker(min(time.Minute, max(ttl/10, time.Second)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := p.deleteEvents(ctx, now.Add(-ttl)); err != nil && ctx.Err() == nil {
				p.logger.Error("delete events that have expired", "error", err)
			}
		}
	}
}

// deleteEvents deletes the Events whose last write was before a time.
func (p *Program) deleteEvents(ctx context.Context, before time.Time) error {
	all, err := p.cache.Snapshot(ctx, "events", 0)
	if err != nil {
		return err
	}
	all.Ascend("", "", func(o *cache.Object) bool {
		if at, ok := written(o.Value); !ok || !at.Before(before.Truncate(time.Second)) { // the times have whole seconds
			return true
		}
		_, err = p.store.Write(ctx, storage.Write{Op: storage.OpDelete, Key: o.Key, Expect: o.Revision, Before: o.Value})
		if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrConflict) { // it was written just now
			err = nil
		}
		return err == nil
	})
	return err
}

// written is when an object was written last: its managed fields say it of each write that has changed something.
func written(value []byte) (at time.Time, ok bool) {
	var meta metav1.ObjectMeta
	if json.Unmarshal(object.Member(value, "metadata"), &meta) != nil {
		return at, false
	}
	at = meta.CreationTimestamp.Time
	for _, m := range meta.ManagedFields {
		if m.Time != nil && m.Time.After(at) {
			at = m.Time.Time
		}
	}
	return at, !at.IsZero()
}
