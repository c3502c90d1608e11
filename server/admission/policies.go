package admission

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"kubarium/flow"
)

// A bound is a policy with one of its bindings.
type bound struct {
	policy      generic.PolicyAccessor
	binding     generic.BindingAccessor
	conditions  int // matchConditions, which are not evaluated here
	expressions []expression
}

// An expression is a validation or a mutation of a policy, and the message that it refuses with.
type expression struct{ text, message string }

// policySet are the policies that are configured, of one of the two plugins.
type policySet struct {
	matcher generic.PolicyMatcher
	all     func() []bound
}

func policiesOf(plugin string, f informers.SharedInformerFactory, client kubernetes.Interface) *policySet {
	configured := f.Admissionregistration().V1()
	var all func() []bound
	switch plugin {
	case validatingpolicy.PluginName:
		policies, bindings := configured.ValidatingAdmissionPolicies().Lister(), configured.ValidatingAdmissionPolicyBindings().Lister()
		all = func() (found []bound) {
			bs, _ := bindings.List(labels.Everything())
			for _, b := range bs {
				if p, err := policies.Get(b.Spec.PolicyName); err == nil {
					found = append(found, bound{
						validatingpolicy.NewValidatingAdmissionPolicyAccessor(p), validatingpolicy.NewValidatingAdmissionPolicyBindingAccessor(b),
						len(p.Spec.MatchConditions), validations(p),
					})
				}
			}
			return found
		}
	case mutatingpolicy.PluginName:
		policies, bindings := configured.MutatingAdmissionPolicies().Lister(), configured.MutatingAdmissionPolicyBindings().Lister()
		all = func() (found []bound) {
			bs, _ := bindings.List(labels.Everything())
			for _, b := range bs {
				if p, err := policies.Get(b.Spec.PolicyName); err == nil {
					found = append(found, bound{
						mutatingpolicy.NewMutatingAdmissionPolicyAccessor(p), mutatingpolicy.NewMutatingAdmissionPolicyBindingAccessor(b),
						len(p.Spec.MatchConditions), mutations(p),
					})
				}
			}
			return found
		}
	default:
		return nil
	}
	return &policySet{generic.NewPolicyMatcher(matching.NewMatcher(f.Core().V1().Namespaces().Lister(), client)), all}
}

func validations(p *admissionregistrationv1.ValidatingAdmissionPolicy) (all []expression) {
	for _, v := range p.Spec.Validations {
		all = append(all, expression{v.Expression, v.Message})
	}
	return all
}

func mutations(p *admissionregistrationv1.MutatingAdmissionPolicy) (all []expression) {
	for _, m := range p.Spec.Mutations {
		switch {
		case m.ApplyConfiguration != nil:
			all = append(all, expression{text: m.ApplyConfiguration.Expression})
		case m.JSONPatch != nil:
			all = append(all, expression{text: m.JSONPatch.Expression})
		}
	}
	return all
}

// opinions returns what policies said about a request: first those that refused it, as official code reports them, with
// the expression where that is known; then those that matched and allowed or changed it. Official code does not report
// the values of expressions, how long they took, or whether matchConditions were true: a policy with matchConditions is
// named only if it refused the request.
func (s *policySet) opinions(a admission.Attributes, o admission.ObjectInterfaces, refusal error, mark *flow.PluginMark) []flow.Opinion {
	all := against(refusal, mark.Annotations)
	configured := s.all()
	for i := range all {
		for _, b := range configured {
			if b.policy.GetName() == all[i].Name && (all[i].By == "" || b.binding.GetName() == all[i].By) {
				b.decided(&all[i])
				break
			}
		}
	}
	if refusal != nil {
		return all
	}
	told := len(all)
	for _, b := range configured {
		known := slices.ContainsFunc(all, func(o flow.Opinion) bool { return o.Name == b.policy.GetName() && o.By == b.binding.GetName() })
		if known || b.conditions > 0 || !s.fits(a, o, b) {
			continue
		}
		said := flow.Opinion{Kind: flow.PolicyPart, Name: b.policy.GetName(), By: b.binding.GetName(), Params: params(b.binding.GetParamRef()), Said: flow.SaidAllowed}
		if len(b.expressions) == 1 {
			said.Expression, said.Index = b.expressions[0].text, 1
		}
		all = append(all, said)
	}
	if fit := all[told:]; mark.Station == flow.Mutate && len(mark.Changes) > 0 {
		for i := range fit {
			fit[i].Said = flow.SaidAsked
		}
		if len(fit) == 1 && len(configured) == 1 {
			fit[0].Said, fit[0].Changes = flow.SaidChanged, mark.Changes
		}
	}
	return all
}

// fits reports whether a policy is about a request, by the same matcher as in the plugin.
func (s *policySet) fits(a admission.Attributes, o admission.ObjectInterfaces, b bound) bool {
	is, _, _, err := s.matcher.DefinitionMatches(a, o, b.policy)
	if err != nil || !is {
		return false
	}
	is, err = s.matcher.BindingMatches(a, o, b.binding)
	return err == nil && is
}

// decided notes which expression refused a request: the only one, or the only one with that message.
func (b bound) decided(o *flow.Opinion) {
	if o.Params == "" {
		o.Params = params(b.binding.GetParamRef())
	}
	if o.Index > 0 && o.Index <= len(b.expressions) {
		o.Expression = b.expressions[o.Index-1].text
		return
	}
	found := 0
	for i, e := range b.expressions {
		if len(b.expressions) == 1 || e.message != "" && e.message == o.Message || o.Message == "failed expression: "+strings.TrimSpace(e.text) {
			o.Expression, o.Index = e.text, i+1
			found++
		}
	}
	if found > 1 {
		o.Expression, o.Index = "", 0
	}
}

// params is the object of a binding's parameters, where it names one.
func params(ref *admissionregistrationv1.ParamRef) string {
	switch {
	case ref == nil:
		return ""
	case ref.Namespace == "":
		return ref.Name
	}
	return ref.Namespace + "/" + ref.Name
}

// denied is how official code names the policy that refused, in the causes of its Status.
var denied = regexp.MustCompile(`(?s)^(?:ValidatingAdmissionPolicy|policy) ['"]([^'"]+)['"](?: with binding '([^']+)')? denied request: (.*)$`)

// against are the policies that refused a request.
func against(refusal error, annotations map[string]string) (all []flow.Opinion) {
	var failures []validatingpolicy.ValidationFailureValue
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
