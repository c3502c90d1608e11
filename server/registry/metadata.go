package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
)

// wipeSystemFields empties what only the server sets on a new object.
func wipeSystemFields(m metav1.Object) {
	m.SetCreationTimestamp(metav1.Time{})
	m.SetUID("")
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetSelfLink("")
}

// fillSystemFields sets what the server decides for a new object.
func (r *Registry) fillSystemFields(m metav1.Object) {
	m.SetCreationTimestamp(metav1.NewTime(r.Now().UTC()))
	m.SetUID(uuid.NewUUID())
}

// maxGeneratedName is how much of a generateName is kept, so that name and suffix fit a DNS label.
const maxGeneratedName = 63 - 5

// generateName appends five random characters (API Concepts, "Generated names").
func generateName(base string) string {
	if len(base) > maxGeneratedName {
		base = base[:maxGeneratedName]
	}
	return base + rand.String(5)
}

// matchNamespace makes the object's namespace that of the request, and refuses another one.
func matchNamespace(t Target, m metav1.Object) error {
	want := t.Namespace
	if !t.Kind.Namespaced {
		want = ""
	}
	switch m.GetNamespace() {
	case want:
	case "":
		m.SetNamespace(want)
	default:
		if want != "" {
			return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
		}
		m.SetNamespace("")
	}
	return nil
}

// matchName refuses a body whose name is not that of the path.
func matchName(t Target, m metav1.Object) error {
	switch name := m.GetName(); {
	case name == "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", t.Name))
	case name != t.Name:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, t.Name))
	}
	return nil
}

// validateName gives the reasons why a name is not allowed for a kind.
func validateName(k *kinds.Kind) validation.ValidateNameFunc {
	if k.ValidateName != nil {
		return k.ValidateName
	}
	return validation.NameIsDNSSubdomain
}

// pathSegment is the check of names that every update makes.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// validateCreate checks a new object whole: metadata first, then what its kind says.
func validateCreate(ctx context.Context, k *kinds.Kind, obj runtime.Object) field.ErrorList {
	m := access(obj)
	errs := validation.ValidateObjectMetaAccessor(m, k.Namespaced, validateName(k), field.NewPath("metadata"))
	errs = append(errs, validateFinalizers(k, m)...)
	if k.Custom != nil {
		return append(errs, k.Custom.Check(ctx, obj, nil, false)...)
	}
	if k.Validate != nil {
		errs = append(errs, k.Validate(obj)...)
	}
	if k.ValidateCreate != nil {
		errs = append(errs, k.ValidateCreate(obj)...)
	}
	return errs
}

// laxGroups are the built-in groups that other servers than kube-apiserver's own serve, and that take any finalizer.
var laxGroups = []string{"apiextensions.k8s.io", "apiregistration.k8s.io"}

// validateFinalizers checks that each finalizer is one of Kubernetes' own or has a domain, as built-in kinds demand.
func validateFinalizers(k *kinds.Kind, m metav1.Object) (errs field.ErrorList) {
	if k.Custom != nil || slices.Contains(laxGroups, k.Group) {
		return nil // there it is at most a warning
	}
	for i, name := range m.GetFinalizers() {
		errs = append(errs, kinds.ValidateFinalizerDomain(name, field.NewPath("metadata", "finalizers").Index(i))...)
	}
	return errs
}

// validateUpdate checks what an object became, and what it may not have changed.
func validateUpdate(ctx context.Context, t Target, obj, old runtime.Object) field.ErrorList {
	k := t.Kind
	path := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(access(obj), k.Namespaced, pathSegment, path)
	// The generic update and the kind's own check both look at metadata in kube-apiserver, so each cause stands twice
	// among the causes, and once in the message.
	changed := validation.ValidateObjectMetaAccessorUpdate(access(obj), access(old), path)
	errs = append(append(errs, changed...), changed...)
	errs = append(errs, validateFinalizers(k, access(obj))...)
	switch {
	case k.Custom != nil:
		return append(errs, k.Custom.Check(ctx, obj, old, t.Subresource == "status")...)
	case t.Subresource == "status":
		if k.ValidateStatusUpdate != nil {
			errs = append(errs, k.ValidateStatusUpdate(obj, old)...)
		}
		return errs
	case t.Subresource == "finalize":
		return append(errs, validateFinalize(obj)...)
	case k.Doors[t.Subresource] != nil:
		return append(errs, k.Doors[t.Subresource].Validate(obj, old)...)
	}
	var state, change field.ErrorList
	if k.Validate != nil {
		state = k.Validate(obj)
	}
	if k.ValidateUpdate != nil {
		change = k.ValidateUpdate(obj, old)
	}
	if k.ChangesFirst {
		state, change = change, state
	}
	return append(append(errs, state...), change...)
}

// keepSystemFields carries over what an update can not change.
func keepSystemFields(m, old metav1.Object) {
	if m.GetUID() == "" {
		m.SetUID(old.GetUID())
	}
	if t := old.GetCreationTimestamp(); !t.IsZero() {
		m.SetCreationTimestamp(t)
	}
	if t := old.GetDeletionTimestamp(); !t.IsZero() {
		m.SetDeletionTimestamp(t)
	}
	if s := old.GetDeletionGracePeriodSeconds(); s != nil && m.GetDeletionGracePeriodSeconds() == nil {
		m.SetDeletionGracePeriodSeconds(s)
	}
}

// dedupOwners drops owner references that stand twice, with a warning.
func dedupOwners(m metav1.Object, o WriteOptions) {
	refs := m.GetOwnerReferences()
	if len(refs) < 2 {
		return
	}
	kept := make([]metav1.OwnerReference, 0, len(refs))
	seen := make(map[owner]bool, len(refs))
	var twice []string
	for _, ref := range refs {
		o := ownerOf(ref)
		if seen[o] {
			twice = append(twice, string(ref.UID))
			continue
		}
		seen[o] = true
		kept = append(kept, ref)
	}
	if len(twice) == 0 {
		return
	}
	m.SetOwnerReferences(kept)
	o.warn(fmt.Sprintf(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v", strings.Join(twice, ", ")))
}

// An owner is an owner reference that can be compared.
type owner struct {
	ref                       metav1.OwnerReference // without its pointers
	controller, block         bool
	hasController, hasBlocked bool
}

func ownerOf(ref metav1.OwnerReference) owner {
	o := owner{hasController: ref.Controller != nil, hasBlocked: ref.BlockOwnerDeletion != nil}
	o.controller, o.block = o.hasController && *ref.Controller, o.hasBlocked && *ref.BlockOwnerDeletion
	ref.Controller, ref.BlockOwnerDeletion = nil, nil
	o.ref = ref
	return o
}
