package kinds

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxSignerPath leaves room for a namespace and a name with a dot between: "example.com/NAMESPACE.NAME".
const maxSignerPath = validation.DNS1123SubdomainMaxLength + validation.DNS1123LabelMaxLength + 1

// validateSignerName wants a domain and a path of one segment: "example.com/signer".
func validateSignerName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	domain, path, found := strings.Cut(name, "/")
	if !found || strings.Contains(path, "/") {
		return field.ErrorList{field.Invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs field.ErrorList
	if len(domain) > validation.DNS1123SubdomainMaxLength {
		errs = append(errs, field.TooLong(at, domain, validation.DNS1123SubdomainMaxLength))
	}
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		errs = append(errs, field.Invalid(at, domain, "should be a domain with at least two segments separated by dots"))
	}
	errs = append(errs, validateLabels(domain, labels, validation.IsDNS1123Label, at)...)
	if len(path) > maxSignerPath {
		errs = append(errs, field.TooLong(at, path, maxSignerPath))
	}
	return append(errs, validateLabels(path, strings.Split(path, "."), validation.IsDNS1123Subdomain, at)...)
}

func validateLabels(whole string, labels []string, check func(string) []string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, label := range labels {
		for _, reason := range check(label) {
			errs = append(errs, field.Invalid(at, whole, fmt.Sprintf("validating label %q: %s", label, reason)))
		}
	}
	return errs
}
