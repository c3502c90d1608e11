package kinds

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
)

// validateServiceName wants a DNS label, since the name becomes one.
func validateServiceName(name string, prefix bool) []string {
	return apivalidation.NameIsDNSLabel(name, prefix)
}
