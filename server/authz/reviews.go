package authz

import (
	"fmt"

	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/authorization/localsubjectaccessreview"
	"k8s.io/kubernetes/pkg/registry/authorization/selfsubjectaccessreview"
	"k8s.io/kubernetes/pkg/registry/authorization/selfsubjectrulesreview"
	"k8s.io/kubernetes/pkg/registry/authorization/subjectaccessreview"

	"kubarium/server/kinds"
)

// Review answers reviews of a kind of authorization.k8s.io as kube-apiserver does, in their internal form: it checks one,
// asks a about it, and fills the status. The context must be that of kinds.Context.
func (a *Authorizer) Review(kind string) rest.Creater {
	switch kind {
	case "LocalSubjectAccessReview":
		return localsubjectaccessreview.NewREST(a, kinds.Scheme)
	case "SelfSubjectAccessReview":
		return selfsubjectaccessreview.NewREST(a, kinds.Scheme)
	case "SelfSubjectRulesReview":
		return selfsubjectrulesreview.NewREST(a)
	case "SubjectAccessReview":
		return subjectaccessreview.NewREST(a, kinds.Scheme)
	}
	panic(fmt.Sprintf("%s is not a review of authorization.k8s.io", kind))
}
