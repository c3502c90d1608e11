package kinds

import (
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const maxControllerName = 250 // bytes of spec.controller of an IngressClass

// ingressClass is the row of IngressClass.
func ingressClass() *Kind {
	return &Kind{
		GroupVersionKind:    networkingv1.SchemeGroupVersion.WithKind("IngressClass"),
		Resource:            "ingressclasses",
		Singular:            "ingressclass",
		New:                 func() runtime.Object { return &networkingv1.IngressClass{} },
		NewList:             func() runtime.Object { return &networkingv1.IngressClassList{} },
		UnconditionalUpdate: true,
		Generation:          true,
		Default: func(obj runtime.Object) {
			if p := obj.(*networkingv1.IngressClass).Spec.Parameters; p != nil {
				orDefault(&p.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
			}
		},
		Validate: validateIngressClass,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			is, was := obj.(*networkingv1.IngressClass), old.(*networkingv1.IngressClass)
			return apivalidation.ValidateImmutableField(is.Spec.Controller, was.Spec.Controller, field.NewPath("spec", "controller"))
		},
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(),
				column("Controller", "Controller that is responsible for handling this class"),
				column("Parameters", "A reference to a resource with additional parameters"),
				ageColumn(),
			},
			Cells: ingressClassCells,
		},
	}
}

func validateIngressClass(obj runtime.Object) field.ErrorList {
	s := &obj.(*networkingv1.IngressClass).Spec
	controller := field.NewPath("spec", "controller")
	errs := required(controller, s.Controller)
	if len(s.Controller) > maxControllerName {
		errs = append(errs, field.TooLong(controller, "", maxControllerName))
	}
	if s.Controller != "" {
		errs = append(errs, validation.IsDomainPrefixedPath(controller, s.Controller)...)
	}
	if s.Parameters == nil {
		return errs
	}
	return append(errs, validateClassParameters(s.Parameters, field.NewPath("spec", "parameters"))...)
}

func validateClassParameters(p *networkingv1.IngressClassParametersReference, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.APIGroup != nil {
		errs = named(at.Child("apiGroup"), *p.APIGroup, validation.IsDNS1123Subdomain(*p.APIGroup))
	}
	errs = append(errs, validateSegment(p.Kind, at.Child("kind"))...)
	errs = append(errs, validateSegment(p.Name, at.Child("name"))...)
	if p.Scope == nil {
		return append(errs, field.Required(at.Child("scope"), ""))
	}
	namespace := at.Child("namespace")
	switch *p.Scope {
	case networkingv1.IngressClassParametersReferenceScopeNamespace:
		if p.Namespace == nil {
			return append(errs, field.Required(namespace, "`parameters.scope` is set to 'Namespace'"))
		}
		return append(errs, named(namespace, *p.Namespace, apivalidation.ValidateNamespaceName(*p.Namespace, false))...)
	case networkingv1.IngressClassParametersReferenceScopeCluster:
		if p.Namespace != nil {
			errs = append(errs, field.Forbidden(namespace, "`parameters.scope` is set to 'Cluster'"))
		}
		return errs
	}
	return append(errs, field.NotSupported(at.Child("scope"), *p.Scope, []string{
		networkingv1.IngressClassParametersReferenceScopeCluster,
		networkingv1.IngressClassParametersReferenceScopeNamespace,
	}))
}

func ingressClassCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*networkingv1.IngressClass)
	name := c.Name
	if c.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
		name += " (default)"
	}
	parameters := none
	if p := c.Spec.Parameters; p != nil {
		parameters = p.Kind
		if p.APIGroup != nil {
			parameters += "." + *p.APIGroup
		}
		parameters += "/" + p.Name
	}
	return []any{name, c.Spec.Controller, parameters, age(c.CreationTimestamp, now)}
}
