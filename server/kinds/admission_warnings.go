package kinds

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// staticSuffix ends the names of what an administrator configures in files (feature ManifestBasedAdmissionControlConfig).
const staticSuffix = ".static.k8s.io"

var staticReason = fmt.Sprintf("names ending with %q are reserved for static manifest-based configurations and cannot be managed via the API",
	staticSuffix)

// validateStaticName refuses a new object with such a name.
func validateStaticName(obj runtime.Object) field.ErrorList {
	if name := obj.(metav1.Object).GetName(); strings.HasSuffix(name, staticSuffix) {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), name, staticReason)}
	}
	return nil
}

// warnStaticName warns at an update of one that has it already.
func warnStaticName(obj, old runtime.Object) []string {
	if old != nil && strings.HasSuffix(obj.(metav1.Object).GetName(), staticSuffix) {
		return []string{"metadata.name: " + staticReason}
	}
	return nil
}

// neverAdmitted are the resources about which no webhook is asked (feature ExcludeAdmissionWebhookVirtualResources).
var neverAdmitted = []schema.GroupResource{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
}

// warnWebhooks warns of a reserved name and of rules that name what no webhook is asked about.
func warnWebhooks(obj, old runtime.Object) []string {
	warnings := warnStaticName(obj, old)
	for i, w := range webhooksOf(obj) {
		rules := field.NewPath("webhooks").Index(i).Child("rules")
		for j, rule := range w.rules {
			for _, gr := range inVain(rule) {
				warnings = append(warnings, fmt.Sprintf("%s: %s is excluded from admission webhooks; this rule will have no effect", rules.Index(j), gr))
			}
		}
	}
	return warnings
}

// inVain lists the resources that a rule names in vain, each once. A rule with a wildcard may mean others.
func inVain(rule admissionv1.RuleWithOperations) []schema.GroupResource {
	if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.Resources, "*") {
		return nil
	}
	var found []schema.GroupResource
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			gr := schema.GroupResource{Group: group, Resource: resource}
			if slices.Contains(neverAdmitted, gr) && !slices.Contains(found, gr) {
				found = append(found, gr)
			}
		}
	}
	return found
}
