package kinds

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What a quota can count, in three groups: objects, which are whole; what pods compute with; the rest.
var (
	countedResources = []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers,
		corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims,
		corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}
	computeResources = []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
		corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
	}
	storedResources = []corev1.ResourceName{
		corev1.ResourceEphemeralStorage, corev1.ResourceRequestsStorage, corev1.ResourceRequestsEphemeralStorage,
		corev1.ResourceLimitsEphemeralStorage,
	}
)

// isQuotaResource tells of names without a domain whether a quota can be of them.
func isQuotaResource(name corev1.ResourceName) bool {
	return slices.Contains(countedResources, name) || slices.Contains(computeResources, name) ||
		slices.Contains(storedResources, name) || isHugePage(name) || strings.HasPrefix(string(name), corev1.ResourceRequestsHugePagesPrefix)
}

// validateAnyResourceName knows the resources of a cluster; others carry the domain of whoever provides them.
func validateAnyResourceName(name corev1.ResourceName, path *field.Path) field.ErrorList {
	errs := named(path, string(name), validation.IsQualifiedName(string(name)))
	if len(errs) == 0 && !strings.Contains(string(name), "/") && !isQuotaResource(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.Invalid(path, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}

func validateResourceQuota(obj runtime.Object) field.ErrorList {
	s := &obj.(*corev1.ResourceQuota).Spec
	path := field.NewPath("spec")
	errs := validateQuotaAmounts(s.Hard, path.Child("hard"))
	errs = append(errs, validateQuotaScopes(s, path.Child("scopes"))...)
	if s.ScopeSelector != nil {
		errs = append(errs, validateScopeSelector(s, path.Child("scopeSelector", "matchExpressions"))...)
	}
	return errs
}

func validateQuotaAmounts(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedResources(list) {
		at := path.Key(string(name))
		errs = append(errs, validateAnyResourceName(name, at)...)
		if !strings.Contains(string(name), "/") && !isQuotaResource(name) {
			errs = append(errs, field.Invalid(at, name, "must be a standard resource for quota"))
		}
		q := list[name]
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
		}
		if isWhole(name) && q.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, q, "must be an integer"))
		}
	}
	return errs
}

// isWhole tells of resources that come in pieces: objects, and devices under their own names.
func isWhole(name corev1.ResourceName) bool {
	return slices.Contains(countedResources, name) ||
		!isNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
}

// quotaScopes are the parts of a namespace to which a quota can be narrowed, and the resources that it can then be of.
var quotaScopes = map[corev1.ResourceQuotaScope][]corev1.ResourceName{
	corev1.ResourceQuotaScopeBestEffort:                {corev1.ResourcePods},
	corev1.ResourceQuotaScopeTerminating:               append([]corev1.ResourceName{corev1.ResourcePods}, computeResources...),
	corev1.ResourceQuotaScopeNotTerminating:            append([]corev1.ResourceName{corev1.ResourcePods}, computeResources...),
	corev1.ResourceQuotaScopeNotBestEffort:             append([]corev1.ResourceName{corev1.ResourcePods}, computeResources...),
	corev1.ResourceQuotaScopePriorityClass:             append([]corev1.ResourceName{corev1.ResourcePods}, computeResources...),
	corev1.ResourceQuotaScopeCrossNamespacePodAffinity: append([]corev1.ResourceName{corev1.ResourcePods}, computeResources...),
	corev1.ResourceQuotaScopeVolumeAttributesClass:     {corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage},
}

func validateQuotaScopes(s *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, scope := range s.Scopes {
		if _, known := quotaScopes[scope]; !known {
			errs = append(errs, field.Invalid(path, s.Scopes, "unsupported scope"))
		}
		for range outOfScope(scope, s.Hard) {
			errs = append(errs, field.Invalid(path, s.Scopes, "unsupported scope applied to resource"))
		}
	}
	return append(errs, validateScopePairs(s, s.Scopes, path)...)
}

// outOfScope lists the resources of a quota that a scope has not.
func outOfScope(scope corev1.ResourceQuotaScope, hard corev1.ResourceList) []corev1.ResourceName {
	valid, known := quotaScopes[scope]
	if !known {
		return nil
	}
	return slices.DeleteFunc(sortedResources(hard), func(name corev1.ResourceName) bool {
		return !isQuotaResource(name) || slices.Contains(valid, name)
	})
}

// validateScopePairs refuses scopes that nothing is in at once.
func validateScopePairs(s *corev1.ResourceQuotaSpec, scopes []corev1.ResourceQuotaScope, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, pair := range [][2]corev1.ResourceQuotaScope{
		{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort},
		{corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating},
	} {
		if slices.Contains(scopes, pair[0]) && slices.Contains(scopes, pair[1]) {
			errs = append(errs, field.Invalid(path, s.Scopes, "conflicting scopes"))
		}
	}
	return errs
}

// validateScopeSelector checks the longer form of scopes. Its paths name no index in Kubernetes either.
func validateScopeSelector(s *corev1.ResourceQuotaSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var scopes []corev1.ResourceQuotaScope
	for _, r := range s.ScopeSelector.MatchExpressions {
		scopes = append(scopes, r.ScopeName)
		if _, known := quotaScopes[r.ScopeName]; !known {
			errs = append(errs, field.Invalid(path.Child("scopeName"), r.ScopeName, "unsupported scope"))
		}
		for range outOfScope(r.ScopeName, s.Hard) {
			errs = append(errs, field.Invalid(path, s.ScopeSelector, "unsupported scope applied to resource"))
		}
		errs = append(errs, validateScopeOperator(r, path)...)
	}
	return append(errs, validateScopePairs(s, scopes, path)...)
}

func validateScopeOperator(r corev1.ScopedResourceSelectorRequirement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	takesValues := r.ScopeName == corev1.ResourceQuotaScopePriorityClass || r.ScopeName == corev1.ResourceQuotaScopeVolumeAttributesClass
	if _, known := quotaScopes[r.ScopeName]; known && !takesValues && r.Operator != corev1.ScopeSelectorOpExists {
		errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "must be 'Exist' when scope is any of "+
			"ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "+
			"ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
	}
	switch r.Operator {
	case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
		if len(r.Values) == 0 {
			errs = append(errs, field.Required(path.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
		}
	case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			errs = append(errs, field.Invalid(path.Child("values"), r.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	default:
		errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	return errs
}

// validateResourceQuotaUpdate keeps the scopes, whatever their order.
func validateResourceQuotaUpdate(obj, old runtime.Object) field.ErrorList {
	is, was := obj.(*corev1.ResourceQuota).Spec.Scopes, old.(*corev1.ResourceQuota).Spec.Scopes
	if sets.New(is...).Equal(sets.New(was...)) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "scopes"), is, "field is immutable")}
}

func validateResourceQuotaStatus(obj, _ runtime.Object) field.ErrorList {
	s := &obj.(*corev1.ResourceQuota).Status
	path := field.NewPath("status")
	return append(validateQuotaAmounts(s.Hard, path.Child("hard")), validateQuotaAmounts(s.Used, path.Child("used"))...)
}
