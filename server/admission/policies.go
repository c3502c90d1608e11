package admission

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"

	"kubarium/server/flow"
)

// denied is how official code tells which policy refused, in the causes of its Status.
var denied = regexp.MustCompile(`(?s)^(?:ValidatingAdmissionPolicy|policy) ['"]([^'"]+)['"](?: with binding '([^']+)')? denied request: (.*)$`)

// policies are what policies said that were against a request. Those that had nothing against it are not told: official code keeps what
// their expressions came to, and how long that took, to itself.
func policies(refusal error, annotations map[string]string) (all []flow.Opinion) {
	var failures []validating.ValidationFailureValue
	_ = json.Unmarshal([]byte(annotations["validation.policy.admission.k8s.io/validation_failure"]), &failures) // there may be none
	for _, f := range failures {
		o := flow.Opinion{Kind: flow.PolicyPart, Name: f.Policy, By: f.Binding, Index: f.ExpressionIndex + 1, Message: f.Message, Said: flow.SaidAudited}
		if slices.Contains(f.ValidationActions, admissionregistrationv1.Warn) {
			o.Said = flow.SaidWarned
		}
		all = append(all, o)
	}
	var status apierrors.APIStatus
	if !errors.As(refusal, &status) || status.Status().Details == nil {
		return all
	}
	for _, c := range status.Status().Details.Causes {
		if m := denied.FindStringSubmatch(c.Message); m != nil {
			all = append(all, flow.Opinion{Kind: flow.PolicyPart, Name: m[1], By: m[2], Message: m[3], Said: flow.SaidDenied})
		}
	}
	return all
}
