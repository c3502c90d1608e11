package kinds

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unversioned "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

func validateNode(obj runtime.Object) field.ErrorList {
	n := obj.(*corev1.Node)
	// Kubernetes names the taints as if they stood in the metadata.
	errs := validateTaints(n.Spec.Taints, field.NewPath("metadata", "taints"))
	errs = append(errs, validateNodeResources(n)...)
	return append(errs, validatePodCIDRs(n.Spec.PodCIDRs, field.NewPath("spec", "podCIDRs"))...)
}

// Kubernetes shows a taint or an address in a message with the names of Go's fields.
type (
	shownTaint struct {
		Key, Value string
		Effect     corev1.TaintEffect
		TimeAdded  *metav1.Time
	}
	shownAddress struct {
		Type    corev1.NodeAddressType
		Address string
	}
)

// validateTaints also wants no two taints with the same key and effect.
func validateTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	type identity struct {
		key    string
		effect corev1.TaintEffect
	}
	seen := map[identity]bool{}
	var errs field.ErrorList
	for i, t := range taints {
		at := path.Index(i)
		errs = append(errs, unversioned.ValidateLabelName(t.Key, at.Child("key"))...)
		if msgs := utilvalidation.IsValidLabelValue(t.Value); len(msgs) > 0 {
			errs = append(errs, field.Invalid(at.Child("value"), t.Value, strings.Join(msgs, ";")))
		}
		errs = append(errs, validateTaintEffect(t.Effect, at.Child("effect"))...)
		id := identity{t.Key, t.Effect}
		if seen[id] {
			twice := field.Duplicate(at, shownTaint{Key: t.Key, Value: t.Value, Effect: t.Effect, TimeAdded: t.TimeAdded})
			twice.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, twice)
		}
		seen[id] = true
	}
	return errs
}

func validateTaintEffect(effect corev1.TaintEffect, path *field.Path) field.ErrorList {
	known := []corev1.TaintEffect{
		corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute,
	}
	if effect == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if !slices.Contains(known, effect) {
		return field.ErrorList{field.NotSupported(path, effect, known)}
	}
	return nil
}

func validateNodeResources(n *corev1.Node) field.ErrorList {
	errs := validateQuantities(n.Status.Capacity, field.NewPath("status", "capacity"))
	return append(errs, validateQuantities(n.Status.Allocatable, field.NewPath("status", "allocatable"))...)
}

func validateQuantities(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, q := range list {
		at := path.Child(string(name))
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), validation.IsNegativeErrorMsg))
		}
		if isCountedResource(name) && isFraction(q) {
			errs = append(errs, field.Invalid(at, q, "must be an integer"))
		}
	}
	return errs
}

// isCountedResource tells the resources that come in whole pieces: Pods, and the extended ones with a domain.
func isCountedResource(name corev1.ResourceName) bool {
	if !strings.Contains(string(name), "/") {
		return name == corev1.ResourcePods
	}
	return !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func isFraction(q resource.Quantity) bool {
	return q.MilliValue()%1000 != 0
}

// validatePodCIDRs accepts one network a family.
func validatePodCIDRs(cidrs []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, cidr := range cidrs {
		errs = append(errs, utilvalidation.IsValidCIDRForLegacyField(path.Index(i), cidr, true, nil)...)
	}
	if len(cidrs) < 2 || len(errs) > 0 {
		return errs
	}
	if dual, err := netutils.IsDualStackCIDRStrings(cidrs); err != nil || !dual || len(cidrs) > 2 {
		errs = append(errs, field.Invalid(path, cidrs, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

// validateNodeUpdate lets podCIDRs and providerID be set once.
func validateNodeUpdate(obj, old runtime.Object) field.ErrorList {
	n, was := obj.(*corev1.Node), old.(*corev1.Node)
	errs := validateNodeAddresses(n)
	spec := field.NewPath("spec")
	if len(was.Spec.PodCIDRs) > 0 && !slices.Equal(n.Spec.PodCIDRs, was.Spec.PodCIDRs) {
		errs = append(errs, field.Forbidden(spec.Child("podCIDRs"), `node updates may not change podCIDR except from "" to valid`))
	}
	errs = append(errs, validateSetOnce(n.Spec.ProviderID, was.Spec.ProviderID, spec.Child("providerID"))...)
	if n.Spec.DoNotUseExternalID != was.Spec.DoNotUseExternalID {
		errs = append(errs, field.Forbidden(spec.Child("externalID"), "may not be updated"))
	}
	return errs
}

// validateSetOnce lets a text be given where there was none.
func validateSetOnce(now, was string, path *field.Path) field.ErrorList {
	switch {
	case was == "" || now == was:
		return nil
	case now == "":
		return field.ErrorList{field.Invalid(path, nil, "field cannot be cleared once set")}
	}
	return field.ErrorList{field.Invalid(path, now, "field cannot be modified once set")}
}

func validateNodeStatusUpdate(obj, old runtime.Object) field.ErrorList {
	return append(validateNodeResources(obj.(*corev1.Node)), validateNodeUpdate(obj, old)...)
}

func validateNodeAddresses(n *corev1.Node) field.ErrorList {
	var errs field.ErrorList
	for i, a := range n.Status.Addresses {
		if slices.Contains(n.Status.Addresses[:i], a) {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), shownAddress{Type: a.Type, Address: a.Address}))
		}
	}
	return errs
}
