package kinds

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// How much one ResourceSlice may hold.
const (
	maxDevices       = 128
	maxSpecialDevice = 64 // devices of a slice where any has taints or consumes counters
	maxDeviceFacts   = 32 // attributes and capacities of a device
	maxDeviceTaints  = 16
)

// A reach says which nodes can use devices.
type reach struct {
	nodeName *string
	selector *corev1.NodeSelector
	allNodes *bool
}

// validate lists the ways that are taken, as messages name them, and what is wrong with each.
func (r reach) validate(at *field.Path, emptyName string) (ways []string, errs field.ErrorList) {
	switch {
	case r.nodeName == nil:
	case *r.nodeName == "":
		errs = append(errs, field.Invalid(at.Child("nodeName"), "", emptyName))
	default:
		ways = append(ways, "`nodeName`")
		errs = append(errs, named(at.Child("nodeName"), *r.nodeName, apivalidation.NameIsDNSSubdomain(*r.nodeName, false))...)
	}
	if r.selector != nil {
		ways = append(ways, "`nodeSelector`")
		errs = append(errs, validateNodeTerms(r.selector.NodeSelectorTerms, at.Child("nodeSelector", "nodeSelectorTerms"))...)
	}
	return flag(ways, errs, "allNodes", r.allNodes, at)
}

func validateNodeTerms(terms []corev1.NodeSelectorTerm, at *field.Path) field.ErrorList {
	if len(terms) == 0 {
		return field.ErrorList{field.Required(at, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i := range terms {
		errs = append(errs, validateNodeTerm(&terms[i], at.Index(i))...)
	}
	return errs
}

// flag adds a way that is either unset or true.
func flag(ways []string, errs field.ErrorList, name string, set *bool, at *field.Path) ([]string, field.ErrorList) {
	switch {
	case set == nil:
	case *set:
		ways = append(ways, "`"+name+"`")
	default:
		errs = append(errs, field.Invalid(at.Child(name), false, "must be either unset or set to true"))
	}
	return ways, errs
}

// validateReach wants one way to say which nodes have the devices of a slice.
func validateReach(s *resourcev1.ResourceSliceSpec, at *field.Path) field.ErrorList {
	const want = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	ways, errs := reach{s.NodeName, s.NodeSelector, s.AllNodes}.validate(at, "must be either unset or set to a non-empty string")
	ways, errs = flag(ways, errs, "perDeviceNodeSelection", s.PerDeviceNodeSelection, at)
	if s.NodeSelector != nil && len(s.NodeSelector.NodeSelectorTerms) != 1 {
		errs = append(errs, field.Invalid(at.Child("nodeSelector", "nodeSelectorTerms"), s.NodeSelector.NodeSelectorTerms,
			"must have exactly one node selector term"))
	}
	switch {
	case len(ways) == 0:
		errs = append(errs, field.Required(at, want))
	case len(ways) > 1:
		errs = append(errs, field.Invalid(at, "{"+strings.Join(ways, ", ")+"}", want+", but multiple fields are set"))
	}
	return errs
}

func validateDevices(s *resourcev1.ResourceSliceSpec, at *field.Path) field.ErrorList {
	most := maxDevices
	if slices.ContainsFunc(s.Devices, func(d resourcev1.Device) bool { return len(d.Taints) > 0 || len(d.ConsumesCounters) > 0 }) {
		most = maxSpecialDevice
	}
	if len(s.Devices) > most {
		return field.ErrorList{field.TooMany(at, len(s.Devices), most)}
	}
	var errs field.ErrorList
	seen := map[string]bool{}
	perDevice := s.PerDeviceNodeSelection != nil && *s.PerDeviceNodeSelection
	for i := range s.Devices {
		errs = append(errs, validateDevice(&s.Devices[i], perDevice, at.Index(i))...)
		errs = append(errs, once(seen, s.Devices[i].Name, at.Index(i))...)
	}
	return errs
}

func validateDevice(d *resourcev1.Device, perDevice bool, at *field.Path) field.ErrorList {
	errs := named(at.Child("name"), d.Name, requestName(d.Name))
	if n := len(d.Attributes) + len(d.Capacity); n > maxDeviceFacts {
		errs = append(errs, field.Invalid(at, n, fmt.Sprintf("the total number of attributes and capacities must not exceed %d", maxDeviceFacts)))
	}
	if len(d.Taints) > maxDeviceTaints {
		errs = append(errs, field.TooMany(at.Child("taints"), len(d.Taints), maxDeviceTaints))
	} else {
		for i, t := range d.Taints {
			taint := at.Child("taints").Index(i)
			errs = append(errs, metav1validation.ValidateLabelName(t.Key, taint.Child("key"))...)
			errs = append(errs, named(taint.Child("value"), t.Value, validation.IsValidLabelValue(t.Value))...)
		}
	}
	errs = append(errs, validateDeviceReach(d, perDevice, at)...)
	return append(errs, validateBindingConditions(d, at)...)
}

// validateDeviceReach wants one way to say which nodes have a device, where the slice leaves that to its devices.
func validateDeviceReach(d *resourcev1.Device, perDevice bool, at *field.Path) field.ErrorList {
	const want = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
	if !perDevice {
		if d.NodeName == nil && d.NodeSelector == nil && d.AllNodes == nil {
			return nil
		}
		return field.ErrorList{field.Invalid(at, nil,
			"`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")}
	}
	ways, errs := reach{d.NodeName, d.NodeSelector, d.AllNodes}.validate(at, "must not be empty")
	switch {
	case len(ways) == 0:
		errs = append(errs, field.Required(at, want))
	case len(ways) > 1:
		errs = append(errs, field.Invalid(at, "{"+strings.Join(ways, ", ")+"}", want))
	}
	return errs
}

// validateBindingConditions wants both kinds of conditions or none, each named once.
func validateBindingConditions(d *resourcev1.Device, at *field.Path) field.ErrorList {
	good, bad := at.Child("bindingConditions"), at.Child("bindingFailureConditions")
	errs := append(validateConditionNames(d.BindingConditions, good), validateConditionNames(d.BindingFailureConditions, bad)...)
	for i, c := range d.BindingFailureConditions {
		if slices.Contains(d.BindingConditions, c) {
			errs = append(errs, field.Invalid(bad.Index(i), c, "bindingFailureConditions must not overlap with bindingConditions"))
		}
	}
	switch {
	case len(d.BindingConditions) == 0 && len(d.BindingFailureConditions) > 0:
		errs = append(errs, field.Invalid(good, d.BindingConditions, "bindingConditions are required to use bindingFailureConditions"))
	case len(d.BindingFailureConditions) == 0 && len(d.BindingConditions) > 0:
		errs = append(errs, field.Invalid(bad, d.BindingFailureConditions, "bindingFailureConditions are required to use bindingConditions"))
	}
	return errs
}

func validateConditionNames(names []string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, name := range names {
		errs = append(errs, metav1validation.ValidateLabelName(name, at.Index(i))...)
		errs = append(errs, once(seen, name, at.Index(i))...)
	}
	return errs
}
