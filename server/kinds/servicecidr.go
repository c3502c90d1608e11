package kinds

import (
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"kubarium/server/table"
)

// serviceCIDR is the row of ServiceCIDR: a range from which Services get addresses.
func serviceCIDR() *Kind {
	return &Kind{
		GroupVersionKind:    networkingv1.SchemeGroupVersion.WithKind("ServiceCIDR"),
		Resource:            "servicecidrs",
		Singular:            "servicecidr",
		New:                 func() runtime.Object { return &networkingv1.ServiceCIDR{} },
		NewList:             func() runtime.Object { return &networkingv1.ServiceCIDRList{} },
		UnconditionalUpdate: true,
		Status:              true,
		StatusAlone:         true,
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			return validateCIDRs(&obj.(*networkingv1.ServiceCIDR).Spec)
		},
		ValidateUpdate: validateCIDRsUpdate,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("CIDRs", networkingv1beta1.ServiceCIDRSpec{}.SwaggerDoc()["cidrs"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				c := obj.(*networkingv1.ServiceCIDR)
				return []any{c.Name, strings.Join(c.Spec.CIDRs, ","), age(c.CreationTimestamp, now)}
			},
		},
	}
}

// validateCIDRs wants one range, or one of each family.
func validateCIDRs(s *networkingv1.ServiceCIDRSpec) field.ErrorList {
	at := field.NewPath("spec", "cidrs")
	switch {
	case len(s.CIDRs) == 0:
		return field.ErrorList{field.Required(at, "at least one CIDR required")}
	case len(s.CIDRs) > 2:
		// The type without JSON names shows the value as Kubernetes does, from its internal type.
		shown := struct{ CIDRs []string }(*s)
		return field.ErrorList{field.Invalid(at, shown, "may only hold up to 2 values")}
	}
	var errs field.ErrorList
	for i, cidr := range s.CIDRs {
		errs = append(errs, validation.IsValidCIDR(at.Index(i), cidr)...)
	}
	if len(s.CIDRs) == 1 {
		return errs
	}
	first, second := netutils.IPFamilyOfCIDRString(s.CIDRs[0]), netutils.IPFamilyOfCIDRString(s.CIDRs[1])
	if first == second && first != netutils.IPFamilyUnknown {
		errs = append(errs, field.Invalid(at, s.CIDRs,
			"may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
	}
	return errs
}

// validateCIDRsUpdate lets a second family be added, and nothing else.
func validateCIDRsUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*networkingv1.ServiceCIDR).Spec, old.(*networkingv1.ServiceCIDR).Spec.CIDRs
	at := field.NewPath("spec", "cidrs")
	grows := len(was) == 1 && len(s.CIDRs) == 2
	if len(was) != len(s.CIDRs) && !grows {
		return field.ErrorList{field.Invalid(at, s.CIDRs, apivalidation.FieldImmutableErrorMsg)}
	}
	var errs field.ErrorList
	for i := range was {
		if s.CIDRs[i] != was[i] {
			errs = append(errs, field.Invalid(at.Index(i), s.CIDRs[i], apivalidation.FieldImmutableErrorMsg))
		}
	}
	if grows {
		errs = append(errs, validateCIDRs(s)...)
	}
	return errs
}
