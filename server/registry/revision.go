package registry

import (
	"context"
	"fmt"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/flow"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// readRevision parses the resourceVersion of a read. The error is one of a field, as kube-apiserver has it; a get
// answers it as an internal one.
func readRevision(s string) (storage.Revision, error) {
	rev, err := objects.ParseRevision(s)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), s, err.Error())
	}
	if rev < 0 { // a uint64 on the wire: of the versions from the future, those that no int64 holds
		rev = math.MaxInt64
	}
	return rev, nil
}

// badRevision is that error where kube-apiserver's store finds it, and not its cache.
func badRevision(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
}

// least is the revision that a read must have seen: the one that it names, or where it names none, the newest of all.
func (r *Registry) least(ctx context.Context, asked string, named storage.Revision) (storage.Revision, error) {
	if asked != "" {
		return named, nil
	}
	return r.Store.Current(ctx)
}

// Current returns when every write that was acknowledged before the call can be read.
func (r *Registry) Current(ctx context.Context) error {
	if r.Store == nil { // nothing is stored
		return nil
	}
	_, err := r.Store.Current(ctx)
	return interpret(err, Target{})
}

// How long a read waits for a lagging server to reach the revision that it names, and how often it looks:
// kube-apiserver waits three seconds for its watch cache.
const (
	lagWait = 3 * time.Second
	lagLook = 50 * time.Millisecond
)

// lagging returns the revision at which a read is answered where a fault rule lets the server seem to lag; 0 if the
// read sees everything. It concerns reads that accept any version, or any not older than the one they name. For a
// read that names no version kube-apiserver asks etcd, however far its cache lags (API Concepts, "Resource
// versions").
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
