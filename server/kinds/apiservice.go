package kinds

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"kubarium/server/table"
)

// Bounds of the priorities by which discovery orders groups and versions.
const (
	maxGroupPriority   = 20000
	maxVersionPriority = 1000
)

// apiService is the row of APIService: a group version, and who serves it.
func apiService() *Kind {
	return &Kind{
		GroupVersionKind:     apiregistrationv1.SchemeGroupVersion.WithKind("APIService"),
		Resource:             "apiservices",
		Singular:             "apiservice",
		Categories:           []string{extensionsCategory},
		New:                  func() runtime.Object { return &apiregistrationv1.APIService{} },
		NewList:              func() runtime.Object { return &apiregistrationv1.APIServiceList{} },
		Status:               true,
		StatusAlone:          true,
		Default:              defaultAPIService,
		PrepareForCreate:     markLocal,
		ValidateName:         anyName,
		Validate:             validateAPIService,
		ValidateStatusUpdate: validateAPIServiceStatus,
		Printer: table.Printer{Columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Service", "The reference to the service that hosts this API endpoint."),
			column("Available", "Whether this service is available."),
			ageColumn(),
		}, Cells: apiServiceCells},
	}
}

func defaultAPIService(obj runtime.Object) {
	if s := obj.(*apiregistrationv1.APIService).Spec.Service; s != nil {
		orDefault(&s.Port, webhookPort)
	}
}

// markLocal makes what the server itself serves available from the beginning.
func markLocal(obj runtime.Object) {
	s := obj.(*apiregistrationv1.APIService)
	if s.Spec.Service != nil {
		return
	}
	s.Status.Conditions = []apiregistrationv1.APIServiceCondition{{
		Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionTrue, LastTransitionTime: metav1.Now().Rfc3339Copy(),
		Reason: "Local", Message: "Local APIServices are always available",
	}}
}

func validateAPIService(obj runtime.Object) field.ErrorList {
	a := obj.(*apiregistrationv1.APIService)
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if want := a.Spec.Version + "." + a.Spec.Group; a.Name != want {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), a.Name,
			fmt.Sprintf("must be `spec.version+\".\"+spec.group`: %q", want)))
	}
	switch {
	case a.Spec.Group != "":
		errs = append(errs, named(spec.Child("group"), a.Spec.Group, validation.IsDNS1123Subdomain(a.Spec.Group))...)
	case a.Spec.Version != "v1":
		errs = append(errs, field.Required(spec.Child("group"), "only v1 may have an empty group and it better be legacy kube"))
	}
	errs = append(errs, named(spec.Child("version"), a.Spec.Version, validation.IsDNS1035Label(a.Spec.Version))...)
	if p := a.Spec.GroupPriorityMinimum; p <= 0 || p > maxGroupPriority {
		errs = append(errs, field.Invalid(spec.Child("groupPriorityMinimum"), p, "must be positive and less than 20000"))
	}
	if p := a.Spec.VersionPriority; p <= 0 || p > maxVersionPriority {
		errs = append(errs, field.Invalid(spec.Child("versionPriority"), p, "must be positive and less than 1000"))
	}
	return append(errs, validateAPIServer(&a.Spec, spec)...)
}

// validateAPIServer checks where the API is served: by a Service, or here.
func validateAPIServer(s *apiregistrationv1.APIServiceSpec, at *field.Path) field.ErrorList {
	bundle, insecure := at.Child("caBundle"), at.Child("insecureSkipTLSVerify")
	var errs field.ErrorList
	if s.Service == nil {
		if len(s.CABundle) > 0 {
			errs = append(errs, field.Invalid(bundle, fmt.Sprintf("%d bytes", len(s.CABundle)), "local APIServices may not have a caBundle"))
		}
		if s.InsecureSkipTLSVerify {
			errs = append(errs, field.Invalid(insecure, true, "local APIServices may not have insecureSkipTLSVerify"))
		}
		return errs
	}
	errs = append(errs, required(at.Child("service", "namespace"), s.Service.Namespace)...)
	errs = append(errs, required(at.Child("service", "name"), s.Service.Name)...)
	if reasons := validation.IsValidPortNum(int(*s.Service.Port)); len(reasons) > 0 {
		errs = append(errs, field.Invalid(at.Child("service", "port"), *s.Service.Port, "port is not valid: "+strings.Join(reasons, ", ")))
	}
	if s.InsecureSkipTLSVerify && len(s.CABundle) > 0 {
		errs = append(errs, field.Invalid(insecure, true, "may not be true if caBundle is present"))
	}
	return errs
}

func validateAPIServiceStatus(obj, _ runtime.Object) field.ErrorList {
	var errs field.ErrorList
	for i, c := range obj.(*apiregistrationv1.APIService).Status.Conditions {
		errs = append(errs, among(field.NewPath("status", "conditions").Index(i).Child("status"), c.Status,
			apiregistrationv1.ConditionTrue, apiregistrationv1.ConditionFalse, apiregistrationv1.ConditionUnknown)...)
	}
	return errs
}

func apiServiceCells(obj runtime.Object, now time.Time) []any {
	a := obj.(*apiregistrationv1.APIService)
	service := "Local"
	if s := a.Spec.Service; s != nil {
		service = s.Namespace + "/" + s.Name
	}
	available := string(apiregistrationv1.ConditionUnknown)
	for _, c := range a.Status.Conditions {
		if c.Type != apiregistrationv1.Available {
			continue
		}
		available = string(c.Status)
		if c.Status != apiregistrationv1.ConditionTrue && c.Reason != "" {
			available = fmt.Sprintf("%s (%s)", c.Status, c.Reason)
		}
	}
	return []any{a.Name, service, available, age(a.CreationTimestamp, now)}
}
