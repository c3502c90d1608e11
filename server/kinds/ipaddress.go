package kinds

import (
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// ipAddress is the row of IPAddress, whose name is the address.
func ipAddress() *Kind {
	return &Kind{
		GroupVersionKind:    networkingv1.SchemeGroupVersion.WithKind("IPAddress"),
		Resource:            "ipaddresses",
		Singular:            "ipaddress",
		ShortNames:          []string{"ip"},
		New:                 func() runtime.Object { return &networkingv1.IPAddress{} },
		NewList:             func() runtime.Object { return &networkingv1.IPAddressList{} },
		UnconditionalUpdate: true,
		ValidateName:        validateIPName,
		Validate: func(obj runtime.Object) field.ErrorList {
			return validateParent(obj.(*networkingv1.IPAddress).Spec.ParentRef, field.NewPath("spec", "parentRef"))
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			is, was := obj.(*networkingv1.IPAddress), old.(*networkingv1.IPAddress)
			return frozen(field.NewPath("spec", "parentRef"), is.Spec.ParentRef, was.Spec.ParentRef)
		},
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("ParentRef", networkingv1beta1.IPAddressSpec{}.SwaggerDoc()["parentRef"]),
			},
			Cells: func(obj runtime.Object, _ time.Time) []any {
				ip := obj.(*networkingv1.IPAddress)
				return []any{ip.Name, parentCell(ip.Spec.ParentRef)}
			},
		},
	}
}

// validateIPName wants an address in its canonical form, so that none has two names.
func validateIPName(name string, _ bool) []string {
	var reasons []string
	for _, err := range validation.IsValidIP(&field.Path{}, name) {
		reasons = append(reasons, err.Detail)
	}
	return reasons
}

func validateParent(p *networkingv1.ParentReference, at *field.Path) field.ErrorList {
	if p == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if p.Group != "" { // Services, the usual parents, have none
		errs = named(at.Child("group"), p.Group, validation.IsDNS1123Subdomain(p.Group))
	}
	errs = append(errs, validateSegment(p.Resource, at.Child("resource"))...)
	errs = append(errs, validateSegment(p.Name, at.Child("name"))...)
	if p.Namespace != "" {
		errs = append(errs, named(at.Child("namespace"), p.Namespace, content.IsPathSegmentName(p.Namespace))...)
	}
	return errs
}

// parentCell names the owner of an address: "services/default/kubernetes".
func parentCell(p *networkingv1.ParentReference) string {
	if p == nil {
		return none
	}
	parts := []string{strings.ToLower(schema.GroupResource{Group: p.Group, Resource: p.Resource}.String())}
	if p.Namespace != "" {
		parts = append(parts, p.Namespace)
	}
	return strings.Join(append(parts, p.Name), "/")
}
