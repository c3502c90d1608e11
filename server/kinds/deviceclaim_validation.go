package kinds

import (
	"encoding/json"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Sizes of what a claim may hold, in bytes.
const (
	maxSelectorExpression = 10 << 10
	maxOpaqueParameters   = 10 << 10
)

// validateDeviceClaim checks what the published checks leave out: the form of each request, and that constraints and
// configurations name requests that there are.
func validateDeviceClaim(c *resourcev1.DeviceClaim, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range c.Requests {
		errs = append(errs, validateDeviceRequest(&c.Requests[i], at.Child("requests").Index(i))...)
	}
	known := requestNames(c)
	for i := range c.Constraints {
		in := at.Child("constraints").Index(i)
		errs = append(errs, validateRequestRefs(c.Constraints[i].Requests, known, in.Child("requests"))...)
		if c.Constraints[i].MatchAttribute == nil && c.Constraints[i].DistinctAttribute == nil {
			// The message is that of the opposite in Kubernetes too.
			errs = append(errs, field.Required(in, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`))
		}
	}
	for i := range c.Config {
		in := at.Child("config").Index(i)
		errs = append(errs, validateRequestRefs(c.Config[i].Requests, known, in.Child("requests"))...)
		errs = append(errs, validateDeviceConfiguration(&c.Config[i].DeviceConfiguration, in)...)
	}
	return errs
}

func validateDeviceRequest(r *resourcev1.DeviceRequest, at *field.Path) field.ErrorList {
	errs := named(at.Child("name"), r.Name, requestName(r.Name))
	switch {
	case r.Exactly == nil && len(r.FirstAvailable) == 0:
		return append(errs, field.Required(at, "exactly one of `exactly` or `firstAvailable` is required"))
	case r.Exactly != nil && len(r.FirstAvailable) > 0:
		return append(errs, field.Invalid(at, nil, "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"))
	case r.Exactly != nil:
		in := at.Child("exactly")
		errs = append(errs, validateDeviceClassName(r.Exactly.DeviceClassName, in.Child("deviceClassName"))...)
		errs = append(errs, validateDeviceSelectors(r.Exactly.Selectors, in.Child("selectors"))...)
		errs = append(errs, validateCount(r.Exactly.AllocationMode, r.Exactly.Count, in.Child("count"))...)
		return append(errs, validateDeviceTolerations(r.Exactly.Tolerations, in.Child("tolerations"))...)
	}
	for i := range r.FirstAvailable {
		sub, in := &r.FirstAvailable[i], at.Child("firstAvailable").Index(i)
		errs = append(errs, named(in.Child("name"), sub.Name, requestName(sub.Name))...)
		errs = append(errs, validateDeviceClassName(sub.DeviceClassName, in.Child("deviceClassName"))...)
		errs = append(errs, validateDeviceSelectors(sub.Selectors, in.Child("selectors"))...)
		errs = append(errs, validateCount(sub.AllocationMode, sub.Count, in.Child("count"))...)
		errs = append(errs, validateDeviceTolerations(sub.Tolerations, in.Child("tolerations"))...)
	}
	return errs
}

// requestName gives the reasons why a request can not be called so.
func requestName(name string) []string {
	return apivalidation.NameIsDNSLabel(name, false)
}

// requestNames lists by what names the requests of a claim can be referred to: "a", and "a/b" for one of several.
func requestNames(c *resourcev1.DeviceClaim) map[string]bool {
	names := map[string]bool{}
	for _, r := range c.Requests {
		names[r.Name] = true
		for _, sub := range r.FirstAvailable {
			names[r.Name+"/"+sub.Name] = true
		}
	}
	return names
}

func validateRequestRefs(refs []string, known map[string]bool, at *field.Path) field.ErrorList {
	const want = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
	var errs field.ErrorList
	for i, ref := range refs {
		if strings.Count(ref, "/") <= 1 {
			for part := range strings.SplitSeq(ref, "/") {
				errs = append(errs, named(at.Index(i), part, requestName(part))...)
			}
		}
		if !known[ref] {
			errs = append(errs, field.Invalid(at.Index(i), ref, want))
		}
	}
	return errs
}

func validateDeviceClassName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return named(at, name, apivalidation.NameIsDNSSubdomain(name, false))
}

// validateDeviceSelectors wants expressions of a size. What they say is not checked here.
func validateDeviceSelectors(selectors []resourcev1.DeviceSelector, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range selectors {
		in := at.Index(i).Child("cel")
		switch {
		case s.CEL == nil:
			errs = append(errs, field.Required(in, ""))
		case len(s.CEL.Expression) > maxSelectorExpression:
			errs = append(errs, field.TooLong(in.Child("expression"), "", maxSelectorExpression))
		}
	}
	return errs
}

func validateCount(mode resourcev1.DeviceAllocationMode, count int64, at *field.Path) field.ErrorList {
	switch {
	case mode == resourcev1.DeviceAllocationModeAll && count != 0:
		return field.ErrorList{field.Invalid(at, count, "must not be specified when allocationMode is 'All'")}
	case mode == resourcev1.DeviceAllocationModeExactCount && count <= 0:
		return field.ErrorList{field.Invalid(at, count, "must be greater than zero")}
	}
	return nil
}

func validateDeviceTolerations(tolerations []resourcev1.DeviceToleration, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		value := at.Index(i).Child("value")
		switch {
		case t.Operator == resourcev1.DeviceTolerationOpExists && t.Value != "":
			errs = append(errs, field.Invalid(value, t.Value, "must be empty for operator `Exists`"))
		case t.Operator == resourcev1.DeviceTolerationOpEqual:
			errs = append(errs, named(value, t.Value, validation.IsValidLabelValue(t.Value))...)
		}
	}
	return errs
}

func validateDeviceConfiguration(c *resourcev1.DeviceConfiguration, at *field.Path) field.ErrorList {
	if c.Opaque == nil {
		return field.ErrorList{field.Required(at.Child("opaque"), "")}
	}
	return validateOpaqueParameters(c.Opaque.Parameters, at.Child("opaque", "parameters"))
}

// validateOpaqueParameters wants a JSON object, whatever is in it.
func validateOpaqueParameters(raw runtime.RawExtension, at *field.Path) field.ErrorList {
	var value any
	switch {
	case len(raw.Raw) == 0:
		return field.ErrorList{field.Required(at, "")}
	case len(raw.Raw) > maxOpaqueParameters:
		return field.ErrorList{field.TooLong(at, "", maxOpaqueParameters)}
	}
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return field.ErrorList{field.Invalid(at, "<value omitted>", "error parsing data as JSON: "+err.Error())}
	}
	switch value.(type) {
	case nil:
		return field.ErrorList{field.Required(at, "")}
	case map[string]any:
		return nil
	}
	return field.ErrorList{field.Invalid(at, "<value omitted>", "must be a valid JSON object")}
}

// validateReservations lets nobody reserve a claim that is not allocated, or that is being deleted.
func validateReservations(s, was *resourcev1.ResourceClaimStatus, deleted bool, at *field.Path) field.ErrorList {
	if len(s.ReservedFor) > 0 && s.Allocation == nil {
		return append(validateConsumers(s, at), field.Forbidden(at, "may not be specified when `allocated` is not set"))
	}
	errs := validateConsumers(s, at)
	isNew := func(ref resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.Contains(was.ReservedFor, ref)
	}
	if deleted && slices.ContainsFunc(s.ReservedFor, isNew) {
		errs = append(errs, field.Forbidden(at, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
	}
	return errs
}

func validateConsumers(s *resourcev1.ResourceClaimStatus, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, ref := range s.ReservedFor {
		in := at.Index(i)
		errs = append(errs, required(in.Child("resource"), ref.Resource)...)
		errs = append(errs, required(in.Child("name"), ref.Name)...)
		errs = append(errs, required(in.Child("uid"), string(ref.UID))...)
	}
	return errs
}
