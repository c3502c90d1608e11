package kinds

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateContainerResources checks that nothing is asked for beyond its limit, resource by resource in order of name.
func validateContainerResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	limits, requests := path.Child("limits"), path.Child("requests")
	errs := validateAmounts(r.Limits, limits)
	errs = append(errs, validateAmounts(r.Requests, requests)...)
	for _, name := range sortedResources(r.Requests) {
		request := r.Requests[name]
		limit, ok := r.Limits[name]
		switch {
		case !ok && !mayOvercommit(name):
			errs = append(errs, field.Required(limits, "Limit must be set for non overcommitable resources"))
		case !ok:
		case !mayOvercommit(name) && request.Cmp(limit) != 0:
			errs = append(errs, field.Invalid(requests, request.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case request.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(requests, request.String(),
				fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		}
	}
	return errs
}

// validatePodLevelResources checks the resources of the pod as a whole, which are of three sorts only.
func validatePodLevelResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := validateContainerResources(r, path)
	for _, name := range sortedResources(r.Requests) {
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory && !isHugePage(name) {
			errs = append(errs, field.NotSupported(path.Child("requests").Key(string(name)), name, []string{"cpu", "hugepages-", "memory"}))
		}
	}
	return errs
}

func validateAmounts(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedResources(list) {
		at := path.Key(string(name))
		errs = append(errs, validateResourceName(name, at)...)
		if q := list[name]; q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
		} else if isExtended(name) && q.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be an integer"))
		}
	}
	return errs
}

// validateResourceName knows the resources of every node; others carry the domain of whoever provides them.
func validateResourceName(name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := named(path, string(name), validation.IsQualifiedName(string(name)))
	if len(errs) > 0 || isExtended(name) || isStandard(name) {
		return errs
	}
	return append(errs, field.Invalid(path, name, "must be a standard resource for containers"))
}

func isStandard(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || isHugePage(name)
}

func isExtended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/")
}

// isNative tells of names without a domain, or with that of Kubernetes.
func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), "kubernetes.io/")
}

func isHugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// mayOvercommit tells whether more of a resource may be used than was asked for; not so with devices and huge pages.
func mayOvercommit(name corev1.ResourceName) bool {
	return !isHugePage(name) && (!isExtended(name) || strings.Contains(string(name), "kubernetes.io/"))
}

func sortedResources(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	return names
}
