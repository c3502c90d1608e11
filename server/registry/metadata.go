package registry

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"kubarium/server/fields"
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

// keepSystemFields carries over what an update cannot change.
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

// dedupOwners drops owner references that occur twice, with a warning in these words.
func dedupOwners(m metav1.Object, o WriteOptions, format string) {
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
	o.warn(fmt.Sprintf(format, strings.Join(twice, ", ")))
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

// keepManagedTimes restores the old time of managedFields where only their times differ, so that a write which
// changes nothing else is a no-op.
func keepManagedTimes(m, old metav1.Object) {
	before := old.GetManagedFields()
	after := slices.Clone(m.GetManagedFields())
	if !slices.EqualFunc(after, before, fields.SameButTime) {
		return
	}
	for i := range after {
		after[i].Time = before[i].Time
	}
	m.SetManagedFields(after)
}
