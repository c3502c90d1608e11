package kinds

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
)

const maxWebhookTimeout = 30 // seconds

// reviewVersions are the versions of AdmissionReview that kube-apiserver speaks.
var reviewVersions = []string{"v1", "v1beta1"}

// harmless are the side effects that a new webhook may have.
var harmless = []admissionv1.SideEffectClass{admissionv1.SideEffectClassNone, admissionv1.SideEffectClassNoneOnDryRun}

// lenience says what a configuration may keep because the old one had it.
type lenience struct {
	sideEffects, versions, names, selectors, conditions bool
	known                                               expressions
}

func validateWebhooks(obj runtime.Object) field.ErrorList {
	return append(validateWebhooksBut(obj, lenience{}), validateStaticName(obj)...)
}

func validateWebhooksUpdate(obj, old runtime.Object) field.ErrorList {
	was := webhooksOf(old)
	may := lenience{conditions: sameConditions(webhooksOf(obj), was), known: expressions{}}
	names := map[string]bool{}
	for _, w := range was {
		may.sideEffects = may.sideEffects || w.sideEffects == nil || !slices.Contains(harmless, *w.sideEffects)
		may.versions = may.versions || len(w.reviewVersions) > 0 && !speaks(w.reviewVersions)
		may.names = may.names || names[w.name]
		may.selectors = may.selectors || len(validateSelectors(w, false, nil)) > 0
		names[w.name] = true
		may.known.addConditions(w.conditions)
	}
	return validateWebhooksBut(obj, may)
}

// sameConditions tells whether no webhook's conditions have changed.
func sameConditions(is, was []webhook) bool {
	return slices.EqualFunc(is, was, func(a, b webhook) bool { return equality.Semantic.DeepEqual(a.conditions, b.conditions) })
}

// speaks tells whether any of the versions is one that the server knows.
func speaks(versions []string) bool {
	return slices.ContainsFunc(versions, func(v string) bool { return slices.Contains(reviewVersions, v) })
}

func validateWebhooksBut(obj runtime.Object, may lenience) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, w := range webhooksOf(obj) {
		at := field.NewPath("webhooks").Index(i)
		errs = append(errs, validateWebhook(w, may, at)...)
		errs = append(errs, validateReviewVersions(w.reviewVersions, may, at.Child("admissionReviewVersions"))...)
		if !may.names && w.name != "" {
			errs = append(errs, once(seen, w.name, at.Child("name"))...)
		}
	}
	return errs
}

func validateWebhook(w webhook, may lenience, at *field.Path) field.ErrorList {
	errs := validation.IsFullyQualifiedName(at.Child("name"), w.name)
	for i := range w.rules {
		errs = append(errs, validateOperationsRule(&w.rules[i], at.Child("rules").Index(i))...)
	}
	if p := *w.failurePolicy; p != nil {
		errs = append(errs, among(at.Child("failurePolicy"), *p, admissionv1.Fail, admissionv1.Ignore)...)
	}
	if p := *w.matchPolicy; p != nil {
		errs = append(errs, among(at.Child("matchPolicy"), *p, admissionv1.Equivalent, admissionv1.Exact)...)
	}
	errs = append(errs, validateSideEffects(w.sideEffects, may, at.Child("sideEffects"))...)
	if s := *w.timeout; s != nil && (*s < 1 || *s > maxWebhookTimeout) {
		errs = append(errs, field.Invalid(at.Child("timeoutSeconds"), *s, "the timeout value must be between 1 and 30 seconds"))
	}
	errs = append(errs, validateSelectors(w, may.selectors, at)...)
	if w.reinvocation != nil {
		errs = append(errs, among(at.Child("reinvocationPolicy"), *w.reinvocation, admissionv1.IfNeededReinvocationPolicy, admissionv1.NeverReinvocationPolicy)...)
	}
	errs = append(errs, validateWebhookClient(w.client, at.Child("clientConfig"))...)
	if !may.conditions {
		errs = append(errs, validateMatchConditions(w.conditions, false, may.known, at.Child("matchConditions"))...)
	}
	return errs
}

func validateSideEffects(class *admissionv1.SideEffectClass, may lenience, at *field.Path) field.ErrorList {
	known := harmless
	if may.sideEffects {
		known = []admissionv1.SideEffectClass{admissionv1.SideEffectClassNone, admissionv1.SideEffectClassNoneOnDryRun,
			admissionv1.SideEffectClassSome, admissionv1.SideEffectClassUnknown}
	}
	if class != nil {
		return among(at, *class, known...)
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return field.ErrorList{field.Required(at, "must specify one of "+strings.Join(names, ", "))}
}

func validateSelectors(w webhook, lax bool, at *field.Path) field.ErrorList {
	o := metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: lax}
	var errs field.ErrorList
	if s := *w.namespaceSelector; s != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(s, o, at.Child("namespaceSelector"))...)
	}
	if s := *w.objectSelector; s != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(s, o, at.Child("objectSelector"))...)
	}
	return errs
}

func validateWebhookClient(c *admissionv1.WebhookClientConfig, at *field.Path) field.ErrorList {
	switch {
	case (c.URL == nil) == (c.Service == nil):
		return field.ErrorList{field.Required(at, "exactly one of url or service is required")}
	case c.URL != nil:
		return webhookutil.ValidateWebhookURL(at.Child("url"), *c.URL, true)
	}
	port := int32(webhookPort)
	if c.Service.Port != nil {
		port = *c.Service.Port
	}
	// Kubernetes hands over name and namespace in this order too, so that each is blamed for the other.
	return webhookutil.ValidateWebhookService(at.Child("service"), c.Service.Name, c.Service.Namespace, c.Service.Path, port)
}

func validateReviewVersions(versions []string, may lenience, at *field.Path) field.ErrorList {
	if len(versions) == 0 {
		return field.ErrorList{field.Required(at, "must specify one of "+strings.Join(reviewVersions, ", "))}
	}
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, v := range versions {
		if seen[v] {
			errs = append(errs, field.Invalid(at.Index(i), v, "duplicate version"))
			continue
		}
		seen[v] = true
		errs = append(errs, named(at.Index(i), v, validation.IsDNS1035Label(v))...)
	}
	if !may.versions && !speaks(versions) {
		errs = append(errs, field.Invalid(at, versions, "must include at least one of "+strings.Join(reviewVersions, ", ")))
	}
	return errs
}
