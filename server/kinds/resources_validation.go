package kinds

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateContainerResources checks that nothing is asked for beyond its limit, resource by resource in order of name.
func validateContainerResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	return validateRequirements(r, validateResourceName, path)
}

// A resourceNameCheck tells which resources may be asked for.
type resourceNameCheck func(name corev1.ResourceName, path *field.Path) field.ErrorList

func validateRequirements(r *corev1.ResourceRequirements, nameCheck resourceNameCheck, path *field.Path) field.ErrorList {
	limits, requests := path.Child("limits"), path.Child("requests")
	errs := validateAmounts(r.Limits, nameCheck, limits)
	errs = append(errs, validateAmounts(r.Requests, nameCheck, requests)...)
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
func validatePodLevelResources(s *corev1.PodSpec, path *field.Path) field.ErrorList {
	r := s.Resources
	switch {
	case r == nil:
		return nil
	case s.OS != nil && s.OS.Name == corev1.Windows:
		return field.ErrorList{field.Forbidden(path, "may not be set for a windows pod")}
	}
	var errs field.ErrorList
	if r.Claims != nil {
		errs = append(errs, field.Forbidden(path.Child("claims"), "claims may not be set for Resources at pod-level"))
	}
	errs = append(errs, validateRequirements(r, validatePodResourceName, path)...)
	return append(errs, validateResourceClaims(r.Claims, claimNames(s), path.Child("claims"))...)
}

func validatePodResourceName(name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := validateAnyResourceName(name, path)
	if len(errs) > 0 || name == corev1.ResourceCPU || name == corev1.ResourceMemory || isHugePage(name) {
		return errs
	}
	return field.ErrorList{field.NotSupported(path, name, []string{"cpu", "hugepages-", "memory"})}
}

func validateAmounts(list corev1.ResourceList, nameCheck resourceNameCheck, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedResources(list) {
		at := path.Key(string(name))
		errs = append(errs, nameCheck(name, at)...)
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
	errs := validateAnyResourceName(name, path)
	if isExtended(name) || isStandard(name) {
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
