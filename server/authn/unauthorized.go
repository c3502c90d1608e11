package authn

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Unauthorized refuses a request whose credentials are missing or wrong. Clients learn no more than 401.
type Unauthorized struct {
	Reason error // why, for the record of the request; clients do not learn of it
}

var (
	errNone     = errors.New("no credentials, and --anonymous-auth is off")
	errAudience = errors.New("the credentials are not for the audiences of this server")
)

// Error is the message for clients.
func (u *Unauthorized) Error() string { return "Unauthorized" }

// Unwrap returns Reason.
func (u *Unauthorized) Unwrap() error { return u.Reason }

// Status is kube-apiserver's answer.
func (u *Unauthorized) Status() metav1.Status { return apierrors.NewUnauthorized(u.Error()).Status() }
