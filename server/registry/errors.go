package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// errOptimisticLock is the text of a 409 for a resourceVersion that is not the stored one.
var errOptimisticLock = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// interpret turns an error of the store into the Status that the API answers with, in the words of kube-apiserver. An
// error that a client can do nothing about is returned as it is.
func interpret(err error, t Target) error {
	var key *storage.KeyError
	var rev *storage.RevisionError
	var failure *storage.Failure
	switch {
	case errors.As(err, &failure):
		return StoreError(failure)
	case errors.As(err, &key) && errors.Is(err, storage.ErrNotFound) && key.Key.Resource != t.Kind.StorageResource():
		_, name := key.Key.Split()
		return namespaceNotFound(name)
	case errors.Is(err, storage.ErrNotFound):
		return apierrors.NewNotFound(t.resource(), t.Name)
	case errors.Is(err, storage.ErrExists):
		return apierrors.NewAlreadyExists(t.resource(), t.Name)
	case errors.Is(err, storage.ErrLarge):
		return tooLargeToStore()
	case errors.Is(err, storage.ErrConflict):
		return apierrors.NewConflict(t.resource(), t.Name, errOptimisticLock)
	case errors.As(err, &rev):
		return WatchError(t.Kind, rev)
	case errors.Is(err, storage.ErrBusy):
		return apierrors.NewTimeoutError("the database is locked by another process", 1)
	case errors.Is(err, context.DeadlineExceeded):
		return apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	}
	return err
}

// StoreError is the Status of a request that fails because the store as a whole does.
func StoreError(f *storage.Failure) error {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: f.Text}
	switch {
	case f.Answer != "":
		status.Code, status.Reason, status.Message = http.StatusInternalServerError, metav1.StatusReasonUnknown, f.Answer
	case errors.Is(f, storage.ErrFull): // RFC 4918, section 11.5
		status.Code, status.Reason = http.StatusInsufficientStorage, "InsufficientStorage"
	case errors.Is(f, storage.ErrDamaged):
		status.Code, status.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// tooLarge is the 504 for a resourceVersion from the future (API Concepts, "Unavailable resource versions").
func tooLarge(asked, current storage.Revision) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", asked, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	err.ErrStatus.Code = http.StatusGatewayTimeout
	return err
}

// WatchError is the Status of a watch that cannot go on: the 410 of one whose next change is no longer retained, or
// the 504 of a streaming list from the future. It comes as an ERROR event. kube-apiserver watches events in etcd, whose
// words have no numbers, and all other kinds in its watch cache. The kind may be nil.
func WatchError(k *kinds.Kind, e *storage.RevisionError) error {
	switch {
	case errors.Is(e, storage.ErrTooLarge):
		return tooLarge(e.Asked, e.Current)
	case k != nil && k.StorageResource() == "events":
		return apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", e.Asked, e.Current))
}

// uidConflict is the 409 of an update whose body names another uid than the stored object has.
func uidConflict(t Target, sent, stored types.UID) error {
	return storeConflict(t, fmt.Sprintf(
		"Precondition failed: UID in precondition: %v, UID in object meta: %v", sent, stored))
}

// storeConflict is the 409 of a write that kube-apiserver's store refuses.
func storeConflict(t Target, why string) error {
	return apierrors.NewConflict(t.resource(), t.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %s", etcdKey(t), why)) //nolint:staticcheck // the official text
}

// etcdKey is where kube-apiserver would keep an object, which its messages name.
func etcdKey(t Target) string { return "/registry" + etcdPath(t) }

// etcdPath is etcdKey below the prefix that all of Kubernetes has in etcd.
func etcdPath(t Target) string {
	return "/" + t.Kind.Stored().Key + "/" + t.key().Name
}

func tooLargeToStore() error {
	return apierrors.NewRequestEntityTooLargeError("etcdserver: request is too large")
}

func namespaceNotFound(name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: namespaces}, name)
}
