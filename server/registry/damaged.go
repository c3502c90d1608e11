package registry

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/cache"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// maxDamaged is how many damaged objects a list names at most (apiserver, etcd3 store).
const maxDamaged = 100

// corruptObject is the text in which a read names a damaged object.
func corruptObject(key string, err error) error {
	return fmt.Errorf("StorageError: corrupt object, Code: 7, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %w", key, err) //nolint:staticcheck // the official text
}

// readable is why an object cannot be shown: it is damaged, or its webhook does not convert it; nil if it can.
func readable(t Target, o *cache.Object) error {
	if o.Err != nil || !t.Kind.Remote {
		return o.Err
	}
	_, _, err := objects.Served(t.Kind, o)
	return objects.Damaged(storage.Record{Key: o.Key, Revision: o.Revision}, err)
}

// unreadable makes the 500 of a get or a delete out of what is wrong with a damaged object. Other errors stay as they
// are.
func unreadable(t Target, err error) error {
	if bad := (*objects.Undecodable)(nil); !errors.As(err, &bad) {
		return err
	}
	return apierrors.NewInternalError(corruptObject(etcdPath(t), err))
}

// unreadableList is the 500 of a list in which objects are damaged; nil if none is.
func unreadableList(t Target, objects []*cache.Object) error {
	var texts []string
	var causes []metav1.StatusCause
	for _, o := range objects {
		err := readable(t, o)
		if err == nil {
			continue
		}
		one := t
		one.Namespace, one.Name = o.Key.Split()
		text := corruptObject(etcdKey(one), err).Error()
		texts = append(texts, text)
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeUnexpectedServerResponse, Field: etcdKey(one), Message: text})
		if len(texts) == maxDamaged {
			causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: "too many errors, the list is truncated"})
			break
		}
	}
	if texts == nil {
		return nil
	}
	message := fmt.Sprintf("failed to read one or more %s from the storage: %s", t.resource(), texts[0])
	if more := len(texts) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonStoreReadError, Message: message,
		Details: &metav1.StatusDetails{Group: t.Kind.Group, Kind: t.Kind.Resource, Name: "list", Causes: causes},
	}}
}
