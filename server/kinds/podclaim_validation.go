package kinds

import (
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// claimNames gives the names by which containers know the pod's claims for devices.
func claimNames(s *corev1.PodSpec) map[string]bool {
	names := map[string]bool{}
	for _, c := range s.ResourceClaims {
		names[c.Name] = true
	}
	return names
}

// validatePodClaims checks which claims for devices a pod has.
func validatePodClaims(claims []corev1.PodResourceClaim, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range claims {
		at := path.Index(i)
		if c.Name != "" && seen[c.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		} else {
			errs = append(errs, requiredName(at.Child("name"), c.Name, validation.IsDNS1123Label)...)
		}
		seen[c.Name] = true
		if c.ResourceClaimName != nil && c.ResourceClaimTemplateName != nil {
			errs = append(errs, field.Invalid(at, internalForm(c), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		}
		if c.ResourceClaimName == nil && c.ResourceClaimTemplateName == nil {
			errs = append(errs, field.Invalid(at, internalForm(c), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		if name := c.ResourceClaimName; name != nil {
			errs = append(errs, named(at.Child("resourceClaimName"), *name, validation.IsDNS1123Subdomain(*name))...)
		}
		if name := c.ResourceClaimTemplateName; name != nil {
			errs = append(errs, named(at.Child("resourceClaimTemplateName"), *name, validation.IsDNS1123Subdomain(*name))...)
		}
	}
	return errs
}

// validateResourceClaims checks which of the pod's claims a container uses: each whole or by its requests, and once.
func validateResourceClaims(claims []corev1.ResourceClaim, known map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range claims {
		at := path.Index(i)
		if c.Name == "" {
			errs = append(errs, field.Required(at, ""))
			continue
		}
		errs = append(errs, validateClaimUse(c, seen, at)...)
		if !known[c.Name] {
			errs = append(errs, unknownClaim(c.Name, known, at))
		}
	}
	return errs
}

// validateClaimUse adds the use to those seen.
func validateClaimUse(c corev1.ResourceClaim, seen map[string]bool, path *field.Path) field.ErrorList {
	if seen[c.Name] {
		return field.ErrorList{field.Duplicate(path, c.Name)}
	}
	var errs field.ErrorList
	use := c.Name
	if c.Request != "" {
		errs = named(path.Child("request"), c.Request, validation.IsDNS1123Label(c.Request))
		use += "/" + c.Request
	}
	if seen[use] {
		errs = append(errs, field.Duplicate(path, use))
	} else if c.Request == "" {
		for other := range seen {
			if strings.HasPrefix(other, c.Name+"/") {
				errs = append(errs, field.Duplicate(path, c.Name))
			}
		}
	}
	seen[use] = true
	return errs
}

func unknownClaim(name string, known map[string]bool, path *field.Path) *field.Error {
	err := field.NotFound(path, name)
	err.Detail = "must be one of the names in pod.spec.resourceClaims"
	if len(known) == 0 {
		err.Detail += " which is empty"
		return err
	}
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	sort.Strings(names)
	err.Detail += ": " + strings.Join(names, ", ")
	return err
}
