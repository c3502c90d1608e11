package route

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNoPath is the 404 of a path that is not served; kube-apiserver answers it as plain text.
var ErrNoPath = apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{}, "", "404 page not found", 0, false)

// ErrNoResource is the 404 of a path below a served version that names nothing there.
var ErrNoResource = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
	Message: "the server could not find the requested resource", Details: &metav1.StatusDetails{},
}}

// ErrNoMethod is the 405 of a method that a path does not know.
var ErrNoMethod = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: http.StatusMethodNotAllowed, Reason: metav1.StatusReasonMethodNotAllowed,
	Message: "the server does not allow this method on the requested resource", Details: &metav1.StatusDetails{},
}}
