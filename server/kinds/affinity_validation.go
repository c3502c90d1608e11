package kinds

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateScheduling(a *corev1.Affinity, path *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	if n := a.NodeAffinity; n != nil {
		errs = append(errs, validateNodeAffinity(n, path.Child("nodeAffinity"))...)
	}
	if p := a.PodAffinity; p != nil {
		errs = append(errs, validatePodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))...)
	}
	if p := a.PodAntiAffinity; p != nil {
		errs = append(errs, validatePodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))...)
	}
	return errs
}

// The lists of an affinity: those that must hold, those that should.
const (
	mustHold   = "requiredDuringSchedulingIgnoredDuringExecution"
	shouldHold = "preferredDuringSchedulingIgnoredDuringExecution"
)

func validateNodeAffinity(n *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		terms := path.Child(mustHold, "nodeSelectorTerms")
		if len(r.NodeSelectorTerms) == 0 {
			errs = append(errs, field.Required(terms, "must have at least one node selector term"))
		}
		for i := range r.NodeSelectorTerms {
			errs = append(errs, validateNodeTerm(&r.NodeSelectorTerms[i], terms.Index(i))...)
		}
	}
	for i, p := range n.PreferredDuringSchedulingIgnoredDuringExecution {
		at := path.Child(shouldHold).Index(i)
		errs = append(errs, validateWeight(p.Weight, at)...)
		errs = append(errs, validateNodeTerm(&p.Preference, at.Child("preference"))...)
	}
	return errs
}

func validateWeight(weight int32, path *field.Path) field.ErrorList {
	if weight >= 1 && weight <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("weight"), weight, "must be in the range 1-100")}
}

func validateNodeTerm(t *corev1.NodeSelectorTerm, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, r := range t.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		errs = append(errs, validateNodeRequirement(r, at)...)
		errs = append(errs, metav1validation.ValidateLabelName(r.Key, at.Child("key"))...)
	}
	for i, r := range t.MatchFields {
		at := path.Child("matchFields").Index(i)
		if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		} else if len(r.Values) != 1 {
			errs = append(errs, field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
		}
		if r.Key != "metadata.name" {
			errs = append(errs, field.Invalid(at.Child("key"), r.Key, "not a valid field selector key"))
		}
	}
	return errs
}

// validateNodeRequirement checks that the operator has as many values as it compares with.
func validateNodeRequirement(r corev1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	values := path.Child("values")
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			return field.ErrorList{field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'")}
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			return field.ErrorList{field.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")}
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			return field.ErrorList{field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")}
		}
	default:
		return field.ErrorList{field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator")}
	}
	return nil
}

func validatePodTerms(must []corev1.PodAffinityTerm, should []corev1.WeightedPodAffinityTerm, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range must {
		errs = append(errs, validatePodTerm(&must[i], path.Child(mustHold).Index(i))...)
	}
	for i := range should {
		at := path.Child(shouldHold).Index(i)
		errs = append(errs, validateWeight(should[i].Weight, at)...)
		errs = append(errs, validatePodTerm(&should[i].PodAffinityTerm, at.Child("podAffinityTerm"))...)
	}
	return errs
}

func validatePodTerm(t *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	options := metav1validation.LabelSelectorValidationOptions{}
	errs := metav1validation.ValidateLabelSelector(t.LabelSelector, options, path.Child("labelSelector"))
	errs = append(errs, metav1validation.ValidateLabelSelector(t.NamespaceSelector, options, path.Child("namespaceSelector"))...)
	for _, ns := range t.Namespaces {
		errs = append(errs, named(path.Child("namespace"), ns, validation.IsDNS1123Label(ns))...)
	}
	return append(errs, validateTopologyKey(t.TopologyKey, path.Child("topologyKey"))...)
}

func validateTopologyKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "can not be empty")}
	}
	return metav1validation.ValidateLabelName(key, path)
}

func validateSpread(constraints []corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range constraints {
		at := path.Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
		}
		errs = append(errs, validateTopologyKey(c.TopologyKey, at.Child("topologyKey"))...)
		if c.WhenUnsatisfiable != corev1.DoNotSchedule && c.WhenUnsatisfiable != corev1.ScheduleAnyway {
			errs = append(errs, field.NotSupported(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable,
				[]corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}))
		}
		pair := fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)
		if seen[pair] {
			errs = append(errs, field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), pair))
		}
		seen[pair] = true
		errs = append(errs, validateMinDomains(&c, at.Child("minDomains"))...)
		errs = append(errs, validateInclusion(c.NodeAffinityPolicy, at.Child("nodeAffinityPolicy"))...)
		errs = append(errs, validateInclusion(c.NodeTaintsPolicy, at.Child("nodeTaintsPolicy"))...)
		errs = append(errs, metav1validation.ValidateLabelSelector(c.LabelSelector,
			metav1validation.LabelSelectorValidationOptions{}, at.Child("labelSelector"))...)
	}
	return errs
}

func validateInclusion(policy *corev1.NodeInclusionPolicy, path *field.Path) field.ErrorList {
	if policy == nil {
		return nil
	}
	return oneOfStrict(path, *policy, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
}

func validateMinDomains(c *corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	var errs field.ErrorList
	if *c.MinDomains <= 0 {
		errs = append(errs, field.Invalid(path, *c.MinDomains, "must be greater than zero"))
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		errs = append(errs, field.Invalid(path, *c.MinDomains,
			fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable)))
	}
	return errs
}

func validateTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range tolerations {
		errs = append(errs, validateToleration(&tolerations[i], path.Index(i))...)
	}
	return errs
}

func validateToleration(t *corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operator := path.Child("operator")
	if t.Key != "" {
		errs = append(errs, metav1validation.ValidateLabelName(t.Key, path.Child("key"))...)
	} else if t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(operator, t.Operator,
			"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(path.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		if reasons := validation.IsValidLabelValue(t.Value); len(reasons) > 0 {
			errs = append(errs, field.Invalid(operator, t.Value, strings.Join(reasons, ";")))
		}
	case corev1.TolerationOpExists:
		if t.Value != "" {
			errs = append(errs, field.Invalid(operator, *t, "value must be empty when `operator` is 'Exists'"))
		}
	default:
		errs = append(errs, field.NotSupported(operator, t.Operator,
			[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	if t.Effect == "" {
		return errs
	}
	return append(errs, oneOf(path.Child("effect"), t.Effect,
		corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
}
