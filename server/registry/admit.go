package registry

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/flow"
	"kubarium/server/storage"
)

// An operation is what admission is asked about, in the words of admission control.
type operation string

const (
	opCreate operation = "CREATE"
	opUpdate operation = "UPDATE"
	opDelete operation = "DELETE"
)

// immortal are the namespaces that may not be deleted, as the NamespaceLifecycle plugin has them.
var immortal = map[string]bool{"default": true, "kube-system": true, "kube-public": true}

// namespaces is the storage resource of Namespace.
const namespaces = "namespaces"

// admit asks the admission plugins about a write. Built in is NamespaceLifecycle: nothing is created in a namespace
// that is missing or terminating, and three namespaces are not deleted.
func (r *Registry) admit(ctx context.Context, op operation, t Target) (err error) {
	f := flow.From(ctx)
	f.Enter("admit")
	defer func() { f.Leave("NamespaceLifecycle", err) }()
	if op == opCreate && t.Kind.Closed != "" {
		return apierrors.NewForbidden(t.resource(), t.Name, errors.New(t.Kind.Closed))
	}
	if t.Kind.StorageResource() == namespaces {
		if op == opDelete && immortal[t.Name] {
			return apierrors.NewForbidden(t.resource(), t.Name, fmt.Errorf("this namespace may not be deleted"))
		}
		return nil
	}
	if op != opCreate || t.Namespace == "" {
		return nil // updates are for what is there already, even in a namespace that is gone
	}
	_, err = r.namespaceAdmits(ctx, t, 0)
	return err
}

// namespaceAdmits looks the namespace of a create up once the cache has followed up to min, and refuses the create while
// it terminates. It returns the revision at which it admits.
func (r *Registry) namespaceAdmits(ctx context.Context, t Target, min storage.Revision) (storage.Revision, error) {
	found, _, err := r.Cache.Get(ctx, storage.NewKey(namespaces, "", t.Namespace), min)
	if err != nil {
		return 0, interpret(err, t)
	}
	if found.Err != nil {
		return 0, found.Err
	}
	// The phase is a selectable field of Namespace, so the cache has it at hand.
	if found.Fields.Get("status.phase") == string(corev1.NamespaceTerminating) {
		return 0, terminating(t)
	}
	return found.Revision, nil
}

// commitNew writes a new object. One in a namespace is admitted again right before, by the namespace at a revision at which
// the transaction must find it still: nothing comes into a namespace that terminates, however long ago the create passed
// admission. Whoever empties the namespace and finds nothing left may therefore let it go.
func (r *Registry) commitNew(ctx context.Context, t Target, w storage.Write) (storage.Record, error) {
	if !t.Kind.Namespaced {
		return r.commit(ctx, w, nil)
	}
	w.Within = storage.NewKey(namespaces, "", t.Namespace)
	for seen := storage.Revision(0); ; {
		at, err := r.namespaceAdmits(ctx, t, seen)
		if err != nil {
			return storage.Record{}, err
		}
		w.WithinAt = at
		rec, err := r.commit(ctx, w, nil)
		var moved *storage.KeyError
		if !errors.Is(err, storage.ErrConflict) || !errors.As(err, &moved) {
			return rec, err
		}
		seen = moved.Stored.Revision
	}
}

// terminating is the refusal of a create in a namespace that is being deleted.
func terminating(t Target) error {
	err := apierrors.NewForbidden(t.resource(), t.Name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", t.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", t.Namespace), Field: "metadata.namespace",
	})
	return err
}

func namespaceNotFound(name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: namespaces}, name)
}
