package registry

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/storage"
)

// TestStoreError proves with which Status each failure of the store as a whole is answered, also through what has wrapped it.
func TestStoreError(t *testing.T) {
	for _, c := range []struct {
		kind   error
		code   int32
		reason metav1.StatusReason
	}{
		{storage.ErrFull, http.StatusInsufficientStorage, "InsufficientStorage"},
		{storage.ErrReadOnly, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable},
		{storage.ErrIO, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable},
		{storage.ErrDetached, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable},
		{storage.ErrUnreachable, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable},
		{storage.ErrDamaged, http.StatusInternalServerError, metav1.StatusReasonInternalError},
	} {
		err := interpret(fmt.Errorf("fill pods: %w", &storage.Failure{Err: c.kind, Text: "what to do"}), Target{})
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			t.Fatalf("%v: %v", c.kind, err)
		}
		if s := status.Status(); s.Code != c.code || s.Reason != c.reason || s.Message != "what to do" {
			t.Errorf("%v: %+v", c.kind, s)
		}
	}
	told := interpret(&storage.Failure{Err: storage.ErrUnreachable, Text: "what to do", Answer: "etcdserver: request timed out"}, Target{}).(apierrors.APIStatus).Status()
	if told.Code != http.StatusInternalServerError || told.Reason != metav1.StatusReasonUnknown || told.Message != "etcdserver: request timed out" {
		t.Errorf("%+v", told)
	}
}
