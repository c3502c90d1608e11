package kinds

import (
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// validatingPolicy is the row of ValidatingAdmissionPolicy.
func validatingPolicy() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"),
		Resource:         "validatingadmissionpolicies",
		Singular:         "validatingadmissionpolicy",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.ValidatingAdmissionPolicy{} },
		NewList:          func() runtime.Object { return &admissionv1.ValidatingAdmissionPolicyList{} },
		Status:           true,
		StatusAlone:      true,
		Generation:       true,
		Default: func(obj runtime.Object) {
			s := &obj.(*admissionv1.ValidatingAdmissionPolicy).Spec
			orDefault(&s.FailurePolicy, admissionv1.Fail)
			defaultMatchResources(s.MatchConstraints)
		},
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			return append(validateValidatingPolicy(obj, nil), validateStaticName(obj)...)
		},
		ValidateUpdate:       validateValidatingPolicy,
		Warn:                 warnStaticName,
		ValidateStatusUpdate: validatePolicyStatus,
		Printer: policyPrinter("Validations", "Validations indicates the number of validation rules defined in this configuration",
			func(obj runtime.Object) (int, *admissionv1.ParamKind) {
				s := &obj.(*admissionv1.ValidatingAdmissionPolicy).Spec
				return len(s.Validations), s.ParamKind
			}),
	}
}

// mutatingPolicy is the row of MutatingAdmissionPolicy.
func mutatingPolicy() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicy"),
		Resource:         "mutatingadmissionpolicies",
		Singular:         "mutatingadmissionpolicy",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.MutatingAdmissionPolicy{} },
		NewList:          func() runtime.Object { return &admissionv1.MutatingAdmissionPolicyList{} },
		Generation:       true,
		Default: func(obj runtime.Object) {
			s := &obj.(*admissionv1.MutatingAdmissionPolicy).Spec
			orDefault(&s.FailurePolicy, admissionv1.Fail)
			defaultMatchResources(s.MatchConstraints)
		},
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			return append(validateMutatingPolicy(obj, nil), validateStaticName(obj)...)
		},
		ValidateUpdate: validateMutatingPolicy,
		Warn:           warnStaticName,
		Printer: policyPrinter("Mutations", "Mutation indicates the number of mutations rules defined in this configuration",
			func(obj runtime.Object) (int, *admissionv1.ParamKind) {
				s := &obj.(*admissionv1.MutatingAdmissionPolicy).Spec
				return len(s.Mutations), s.ParamKind
			}),
	}
}

// validatingPolicyBinding is the row of ValidatingAdmissionPolicyBinding.
func validatingPolicyBinding() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicyBinding"),
		Resource:         "validatingadmissionpolicybindings",
		Singular:         "validatingadmissionpolicybinding",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.ValidatingAdmissionPolicyBinding{} },
		NewList:          func() runtime.Object { return &admissionv1.ValidatingAdmissionPolicyBindingList{} },
		Generation:       true,
		Default: func(obj runtime.Object) {
			s := &obj.(*admissionv1.ValidatingAdmissionPolicyBinding).Spec
			defaultMatchResources(s.MatchResources)
		},
		Validate:       validateValidatingBinding,
		ValidateCreate: validateStaticName,
		Warn:           warnStaticName,
		Printer: bindingPrinter(func(obj runtime.Object) (string, *admissionv1.ParamRef) {
			s := &obj.(*admissionv1.ValidatingAdmissionPolicyBinding).Spec
			return s.PolicyName, s.ParamRef
		}),
	}
}

// mutatingPolicyBinding is the row of MutatingAdmissionPolicyBinding.
func mutatingPolicyBinding() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicyBinding"),
		Resource:         "mutatingadmissionpolicybindings",
		Singular:         "mutatingadmissionpolicybinding",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.MutatingAdmissionPolicyBinding{} },
		NewList:          func() runtime.Object { return &admissionv1.MutatingAdmissionPolicyBindingList{} },
		Generation:       true,
		Default: func(obj runtime.Object) {
			s := &obj.(*admissionv1.MutatingAdmissionPolicyBinding).Spec
			defaultMatchResources(s.MatchResources)
		},
		Validate:       validateMutatingBinding,
		ValidateCreate: validateStaticName,
		Warn:           warnStaticName,
		Printer: bindingPrinter(func(obj runtime.Object) (string, *admissionv1.ParamRef) {
			s := &obj.(*admissionv1.MutatingAdmissionPolicyBinding).Spec
			return s.PolicyName, s.ParamRef
		}),
	}
}

func defaultMatchResources(m *admissionv1.MatchResources) {
	if m == nil {
		return
	}
	orDefault(&m.MatchPolicy, admissionv1.Equivalent)
	orDefault(&m.NamespaceSelector, metav1.LabelSelector{})
	orDefault(&m.ObjectSelector, metav1.LabelSelector{})
	for i := range m.ResourceRules {
		orDefault(&m.ResourceRules[i].Scope, admissionv1.AllScopes)
	}
	for i := range m.ExcludeResourceRules {
		orDefault(&m.ExcludeResourceRules[i].Scope, admissionv1.AllScopes)
	}
}

// policyPrinter shows how many rules a policy has, and what its parameters are.
func policyPrinter(rules, doc string, read func(runtime.Object) (int, *admissionv1.ParamKind)) table.Printer {
	return table.Printer{
		Columns: []metav1.TableColumnDefinition{
			nameColumn(),
			countColumn(rules, doc),
			column("ParamKind", "ParamKind specifies the kind of resources used to parameterize this policy"),
			ageColumn(),
		},
		Cells: func(obj runtime.Object, now time.Time) []any {
			m := obj.(metav1.Object)
			count, kind := read(obj)
			params := unset
			if kind != nil {
				params = kind.APIVersion + "/" + kind.Kind
			}
			return []any{m.GetName(), int64(count), params, age(m.GetCreationTimestamp(), now)}
		},
	}
}

// bindingPrinter shows which policy is bound, and to which parameters.
func bindingPrinter(read func(runtime.Object) (string, *admissionv1.ParamRef)) table.Printer {
	return table.Printer{
		Columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("PolicyName", "PolicyName indicates the policy definition which the policy binding binded to"),
			column("ParamRef", "ParamRef indicates the param resource which sets the configuration param"),
			ageColumn(),
		},
		Cells: func(obj runtime.Object, now time.Time) []any {
			m := obj.(metav1.Object)
			policy, ref := read(obj)
			return []any{m.GetName(), policy, paramCell(ref), age(m.GetCreationTimestamp(), now)}
		},
	}
}

func paramCell(ref *admissionv1.ParamRef) string {
	switch {
	case ref == nil:
		return unset
	case ref.Name != "" && ref.Namespace != "":
		return ref.Namespace + "/" + ref.Name
	case ref.Name != "":
		return ref.Name
	}
	return metav1.FormatLabelSelector(ref.Selector)
}
