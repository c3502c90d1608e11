package scenarios

import (
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios/expr"
)

// Headers by which a server can recognise the requests of a lesson.
const (
	AgentPrefix  = "kubarium-lesson/"     // opens the User-Agent; the actor's name follows
	LessonHeader = "Kubarium-Lesson"      // the lesson's name
	MarkHeader   = "Kubarium-Lesson-Step" // differs for each step of each run of a lesson
)

// patchTypes are the Content-Types of patches.
var patchTypes = map[string]string{
	"json": "application/json-patch+json", "merge": "application/merge-patch+json",
	"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml",
}

// PatchType returns the Content-Type for the request's kind of patch; "" if it names none.
func (r *Request) PatchType() string { return patchTypes[r.Patch] }

// Sent returns the body as it is sent; "" if there is none.
func (r *Request) Sent() string {
	if r.Body != nil {
		return expr.JSON(r.Body)
	}
	return r.Text
}

// reviews are the groups whose objects are questions, which are answered and not stored.
var reviews = []string{"authentication.k8s.io", "authorization.k8s.io"}

// writesNothing reports whether a request can be repeated without harm.
func (r *Request) writesNothing() bool {
	_, query, _ := strings.Cut(r.Path, "?")
	ref, _ := RefOf(r.Path)
	return r.Method == http.MethodGet || DryRun(query) || r.Method == http.MethodPost && slices.Contains(reviews, ref.Group)
}

// DryRun reports whether a query asks for a dry run.
func DryRun(query string) bool { return strings.Contains(query, "dryRun=") }
