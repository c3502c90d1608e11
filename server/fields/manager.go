package fields

import (
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A Manager keeps the field owners of one kind at one of its doors: the kind itself or a subresource.
//
//   - Update(live, obj, manager) records in obj's managedFields that manager wrote what differs from live; at a create,
//     live is an empty object. It returns obj.
//   - UpdateNoErrors is the same, but keeps live's owners where Update would fail: a write must not fail for them.
//   - Apply(live, patch, manager, force) merges the unstructured patch into live. A field that another manager owns
//     is an apierrors Conflict with a cause for each, unless force takes it over.
//
// Objects handed in belong to the Manager for the call: it may set their kind and clear managedFields.
// It is safe for concurrent use.
type Manager = managedfields.FieldManager

// Options say which kind and which door a Manager serves.
type Options struct {
	Scheme    *runtime.Scheme
	Converter *Converter // shared by all Managers of a server; made from the same Scheme
	Kind      schema.GroupVersionKind
	// Subresource is "" for the kind's main door.
	Subresource string
	// Default is applied to the result of an Apply; nil means that there is nothing to fill.
	Default func(obj runtime.Object)
	// Custom makes the Manager of a kind of one's own, whose objects are unstructured; nil for a built-in kind.
	Custom *Custom
	// Versions are the ways between the versions of a built-in kind that is served in several; nil for all others.
	Versions *Versions
	// Reset lists the fields that this door always leaves alone, so nobody comes to own them through it. See MainReset
	// and StatusReset; empty means none.
	Reset []fieldpath.Path
}

// NewManager returns the Manager for a door. It is cheap: schemas are read on the first write.
func NewManager(o Options) (*Manager, error) {
	gv := o.Kind.GroupVersion()
	if o.Custom != nil {
		return managedfields.NewDefaultCRDFieldManager(o.Custom.Types, o.Custom, defaulter(o.Default), o.Custom,
			o.Kind, gv, o.Subresource, filters(gv, o.Reset))
	}
	if only := Only(o.Kind.GroupKind(), o.Subresource); only != nil {
		return managedfields.NewDefaultFieldManager(o.Converter, runtime.UnsafeObjectConvertor(o.Scheme), defaulter(o.Default), o.Scheme,
			o.Kind, gv, o.Subresource, onlyFilter(gv, only))
	}
	// Objects live in their published version, so that version is also the hub through which others are converted.
	if v := o.Versions; v != nil {
		return managedfields.NewDefaultFieldManager(o.Converter, v, defaulter(o.Default), o.Scheme, o.Kind, gv, o.Subresource, v.filters(o.Reset))
	}
	return managedfields.NewDefaultFieldManager(o.Converter, runtime.UnsafeObjectConvertor(o.Scheme), defaulter(o.Default), o.Scheme,
		o.Kind, gv, o.Subresource, filters(gv, o.Reset))
}

// defaulter makes a plain function what apimachinery asks for.
type defaulter func(obj runtime.Object)

func (d defaulter) Default(obj runtime.Object) {
	if d != nil {
		d(obj)
	}
}

func filters(gv schema.GroupVersion, reset []fieldpath.Path) map[fieldpath.APIVersion]fieldpath.Filter {
	if len(reset) == 0 {
		return nil
	}
	set := fieldpath.NewExcludeSetFilter(fieldpath.NewSet(reset...))
	return map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(gv.String()): set}
}

// Paths makes Reset of the names of members on the way to each field.
func Paths(all [][]string) []fieldpath.Path {
	paths := make([]fieldpath.Path, len(all))
	for i, names := range all {
		for _, name := range names {
			paths[i] = append(paths[i], fieldpath.PathElement{FieldName: &name})
		}
	}
	return paths
}

// MainReset is what the main door of a kind with a subresource status leaves alone.
func MainReset() []fieldpath.Path {
	return []fieldpath.Path{fieldpath.MakePathOrDie("status")}
}

// StatusReset is what the subresource status of a kind leaves alone: the spec, and for some kinds parts of the metadata.
func StatusReset(kind schema.GroupKind) []fieldpath.Path {
	reset := []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
	switch kind {
	case schema.GroupKind{Kind: "Pod"}:
		return append(reset, fieldpath.MakePathOrDie("metadata", "deletionTimestamp"),
			fieldpath.MakePathOrDie("metadata", "ownerReferences"))
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:
		return append(reset, fieldpath.MakePathOrDie("status", "conditions"))
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}:
		return append(reset, fieldpath.MakePathOrDie("metadata", "labels"))
	}
	return reset
}

// AloneStatusReset is what the subresource status of kinds leaves alone that take metadata through the main door only, as
// kinds of one's own do.
func AloneStatusReset() []fieldpath.Path {
	return []fieldpath.Path{fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec")}
}

// maxManagerBytes is the longest manager that a fieldManager parameter may name; a User-Agent is cut to it.
const maxManagerBytes = 128

// ManagerName returns who a write belongs to: the parameter fieldManager where the request has one, or else what its
// User-Agent says before the first "/", as far as that is printable.
func ManagerName(fieldManager, userAgent string) string {
	if fieldManager != "" {
		return fieldManager
	}
	name, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+len(string(r)) > maxManagerBytes {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
