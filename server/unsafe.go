package server

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/answer"
	"kubarium/server/authz"
)

// unsafe reports whether a deletion is to take out a row that no longer decodes.
func unsafe(o metav1.DeleteOptions) bool {
	ignore := o.IgnoreStoreReadErrorWithClusterBreakingPotential
	return ignore != nil && *ignore
}

// authorizeUnsafe asks for the second verb that an unsafe deletion needs.
func (s *Server) authorizeUnsafe(q *Request) error {
	first, err := authz.Attributes(q.Context(), &q.Route, q.who.User)
	if err != nil {
		return err
	}
	return s.authorizer().CheckUnsafeDelete(q.Context(), first)
}

// damagedDeleted is the answer to an unsafe deletion. It names the kind, not the resource, and no uid, as nothing is
// known of the object.
func (q *Request) damagedDeleted() *answer.Answer {
	return &answer.Answer{Status: http.StatusOK, Object: &metav1.Status{
		TypeMeta: answer.StatusType, Status: metav1.StatusSuccess, Code: http.StatusOK,
		Details: &metav1.StatusDetails{Name: q.Target.Name, Kind: q.Target.Kind.Kind},
	}}
}
