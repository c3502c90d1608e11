package server

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/answer"
)

// unsafeVerb is what a client must be allowed to do besides delete to force the deletion of a damaged object.
const unsafeVerb = "unsafe-delete-ignore-read-errors"

// unsafe tells whether a deletion is to take out a row that no longer decodes.
func unsafe(o metav1.DeleteOptions) bool {
	ignore := o.IgnoreStoreReadErrorWithClusterBreakingPotential
	return ignore != nil && *ignore
}

// authorizeUnsafe asks for the second verb of an unsafe deletion, as the flow shows.
func (q *Request) authorizeUnsafe() {
	q.Flow.Enter("authorize")
	q.Flow.Leave("AlwaysAllow, verb "+unsafeVerb, nil)
}

// damagedDeleted is the answer to an unsafe deletion. It names the kind, not the resource, and no uid, as nothing is known
// of the object.
func (q *Request) damagedDeleted() *answer.Answer {
	return &answer.Answer{Status: http.StatusOK, Object: &metav1.Status{
		TypeMeta: answer.StatusType, Status: metav1.StatusSuccess, Code: http.StatusOK,
		Details: &metav1.StatusDetails{Name: q.Target.Name, Kind: q.Target.Kind.Kind},
	}}
}
