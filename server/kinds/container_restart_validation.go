package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// mostRestartRules is how many rules for its restart a container may have; each lists as many exit codes as one of a
// Job's policy.
const mostRestartRules = 20

// validateRestart checks when a container of a pod is started again by rules of its own.
func validateRestart(c *corev1.Container, path *field.Path) field.ErrorList {
	if c.RestartPolicy == nil && len(c.RestartPolicyRules) == 0 {
		return nil
	}
	var errs field.ErrorList
	if c.RestartPolicy == nil {
		errs = append(errs, field.Required(path.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
	} else {
		errs = append(errs, oneOfStrict(path.Child("restartPolicy"), *c.RestartPolicy, corev1.ContainerRestartPolicyAlways,
			corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure)...)
	}
	rules := path.Child("restartPolicyRules")
	if len(c.RestartPolicyRules) > mostRestartRules {
		errs = append(errs, field.TooMany(rules, len(c.RestartPolicyRules), mostRestartRules))
	}
	for i := range c.RestartPolicyRules {
		errs = append(errs, validateRestartRule(&c.RestartPolicyRules[i], rules.Index(i))...)
	}
	return errs
}

// validateInitRestart does it for an init container, whose rules are not looked at without a policy.
func validateInitRestart(c *corev1.Container, path *field.Path) field.ErrorList {
	if c.RestartPolicy == nil && len(c.RestartPolicyRules) > 0 {
		return field.ErrorList{field.Required(path.Child("restartPolicy"), "must specify restartPolicy when restart rules are used")}
	}
	return validateRestart(c, path)
}

func validateRestartRule(r *corev1.ContainerRestartRule, path *field.Path) field.ErrorList {
	errs := oneOfStrict(path.Child("action"), r.Action,
		corev1.ContainerRestartRuleActionRestart, corev1.ContainerRestartRuleActionRestartAllContainers)
	codes := path.Child("exitCodes")
	if r.ExitCodes == nil {
		return append(errs, field.Required(codes, "must be specified"))
	}
	errs = append(errs, oneOfStrict(codes.Child("operator"), r.ExitCodes.Operator,
		corev1.ContainerRestartRuleOnExitCodesOpIn, corev1.ContainerRestartRuleOnExitCodesOpNotIn)...)
	if len(r.ExitCodes.Values) > mostExitCodes {
		errs = append(errs, field.TooMany(codes.Child("values"), len(r.ExitCodes.Values), mostExitCodes))
	}
	return errs
}

// validateResizePolicy checks how a container takes other resources while it runs. A wrong entry is told of the list.
func validateResizePolicy(policies []corev1.ContainerResizePolicy, restart corev1.RestartPolicy, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.ResourceName]bool{}
	for i, p := range policies {
		if seen[p.ResourceName] {
			errs = append(errs, field.Duplicate(path.Index(i), p.ResourceName))
		}
		seen[p.ResourceName] = true
		errs = append(errs, oneOf(path, p.ResourceName, corev1.ResourceCPU, corev1.ResourceMemory)...)
		errs = append(errs, oneOf(path, p.RestartPolicy, corev1.NotRequired, corev1.RestartContainer)...)
		if restart == corev1.RestartPolicyNever && p.RestartPolicy != corev1.NotRequired {
			errs = append(errs, field.Invalid(path, p.RestartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
		}
	}
	return errs
}
