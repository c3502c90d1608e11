package gate

import (
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/flow"
)

// refusal is an error that a client may be answered with, in the words that kube-apiserver has for it.
func refusal(f *flow.Flow, code int, retryAfter time.Duration) error {
	t := &f.Target
	of := schema.GroupResource{Group: t.Group, Resource: t.Resource}
	seconds := int(retryAfter / time.Second)
	switch code {
	case http.StatusConflict:
		if t.Verb == "create" {
			return again(apierrors.NewAlreadyExists(of, t.Name), seconds)
		}
		return again(apierrors.NewConflict(of, t.Name, fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again")), seconds)
	case http.StatusGone:
		return again(apierrors.NewResourceExpired("The resourceVersion for the provided "+t.Verb+" is too old."), seconds)
	case http.StatusTooManyRequests:
		return again(apierrors.NewTooManyRequests("The server is currently handling too many requests, please try again later.", max(1, seconds)), max(1, seconds))
	case http.StatusInternalServerError:
		return again(apierrors.NewInternalError(fmt.Errorf("etcdserver: request timed out")), seconds)
	case http.StatusServiceUnavailable:
		return again(apierrors.NewServiceUnavailable("apiserver is shutting down"), seconds)
	case http.StatusGatewayTimeout:
		return again(apierrors.NewTimeoutError("request did not complete within the allotted timeout", seconds), seconds)
	case http.StatusNotFound:
		return again(apierrors.NewNotFound(of, t.Name), seconds)
	case http.StatusForbidden:
		return again(apierrors.NewForbidden(of, t.Name, fmt.Errorf("refused at the gate")), seconds)
	}
	return again(apierrors.NewGenericServerResponse(code, t.Verb, of, t.Name, "", seconds, true), seconds)
}

// again adds when to try again, which becomes the header Retry-After.
func again(err *apierrors.StatusError, seconds int) error {
	if seconds == 0 {
		return err
	}
	if err.ErrStatus.Details == nil {
		err.ErrStatus.Details = &metav1.StatusDetails{}
	}
	err.ErrStatus.Details.RetryAfterSeconds = int32(seconds)
	return err
}
