package registry

import (
	"context"
	"fmt"
	"math"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

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

// Current returns when all that anybody has been told of before the call can be read.
func (r *Registry) Current(ctx context.Context) error {
	if r.Store == nil { // nothing is stored
		return nil
	}
	_, err := r.Store.Current(ctx)
	return interpret(err, Target{})
}
