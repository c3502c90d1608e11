package kinds

import (
	"strings"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// Bounds of what a CSIDriver may ask for, in seconds.
const (
	minTokenLife       = 10 * 60
	maxTokenLife       = 1 << 32
	minAllocatableWait = 10
)

// csiDriver is the row of CSIDriver. Its generation counts the changes of the spec alone: a new one has none.
func csiDriver() *Kind {
	return &Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("CSIDriver"),
		Resource:         "csidrivers",
		Singular:         "csidriver",
		New:              func() runtime.Object { return &storagev1.CSIDriver{} },
		NewList:          func() runtime.Object { return &storagev1.CSIDriverList{} },
		ReturnDeleted:    true,
		Default:          defaultCSIDriver,
		PrepareForUpdate: countCSIDriverChange,
		Warn:             warnCSIDriver,
		Validate:         validateCSIDriver,
		ValidateUpdate:   validateCSIDriverUpdate,
		Printer:          table.Printer{Columns: csiDriverColumns(), Cells: csiDriverCells},
	}
}

func countCSIDriverChange(obj, old runtime.Object) {
	d, was := obj.(*storagev1.CSIDriver), old.(*storagev1.CSIDriver)
	if !equality.Semantic.DeepEqual(d.Spec, was.Spec) {
		d.Generation = was.Generation + 1
	}
}

// warnCSIDriver advises a driver that asks for tokens to take them as secrets.
func warnCSIDriver(obj, old runtime.Object) []string {
	s := &obj.(*storagev1.CSIDriver).Spec
	known := old != nil && equality.Semantic.DeepEqual(s.TokenRequests, old.(*storagev1.CSIDriver).Spec.TokenRequests)
	if known || len(s.TokenRequests) == 0 || s.ServiceAccountTokenInSecrets != nil {
		return nil
	}
	return []string{"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent " +
		"possible logging of tokens in volume attributes"}
}

func defaultCSIDriver(obj runtime.Object) {
	s := &obj.(*storagev1.CSIDriver).Spec
	orDefault(&s.AttachRequired, true)
	orDefault(&s.PodInfoOnMount, false)
	orDefault(&s.StorageCapacity, false)
	orDefault(&s.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	orDefault(&s.RequiresRepublish, false)
	orDefault(&s.SELinuxMount, false)
	orDefault(&s.PreventPodSchedulingIfMissing, false)
	if len(s.VolumeLifecycleModes) == 0 {
		s.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
	}
}

func validateCSIDriver(obj runtime.Object) field.ErrorList {
	s := &obj.(*storagev1.CSIDriver).Spec
	at := field.NewPath("spec")
	errs := among(at.Child("fsGroupPolicy"), *s.FSGroupPolicy,
		storagev1.FileFSGroupPolicy, storagev1.NoneFSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	errs = append(errs, validateTokenRequests(s.TokenRequests, at.Child("tokenRequests"))...)
	for _, mode := range s.VolumeLifecycleModes {
		errs = append(errs, among(at.Child("volumeLifecycleModes"), mode,
			storagev1.VolumeLifecyclePersistent, storagev1.VolumeLifecycleEphemeral)...)
	}
	if p := s.NodeAllocatableUpdatePeriodSeconds; p != nil && *p < minAllocatableWait {
		errs = append(errs, field.Invalid(at.Child("nodeAllocatableUpdatePeriodSeconds"), *p,
			"must be greater than or equal to 10 seconds"))
	}
	if t := s.ServiceAccountTokenInSecrets; t != nil && len(s.TokenRequests) == 0 {
		errs = append(errs, field.Invalid(at.Child("serviceAccountTokenInSecrets"), *t,
			"serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	}
	return errs
}

// validateTokenRequests wants one token at most for each audience.
func validateTokenRequests(requests []storagev1.TokenRequest, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, r := range requests {
		life := at.Index(i).Child("expirationSeconds")
		switch {
		case seen[r.Audience]:
			errs = append(errs, field.Duplicate(at.Index(i).Child("audience"), r.Audience))
		case r.ExpirationSeconds == nil:
		case *r.ExpirationSeconds < minTokenLife:
			errs = append(errs, field.Invalid(life, *r.ExpirationSeconds, "may not specify a duration less than 10 minutes"))
		case *r.ExpirationSeconds > maxTokenLife:
			errs = append(errs, field.Invalid(life, *r.ExpirationSeconds, "may not specify a duration larger than 2^32 seconds"))
		}
		seen[r.Audience] = true
	}
	return errs
}

func validateCSIDriverUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*storagev1.CSIDriver).Spec, &old.(*storagev1.CSIDriver).Spec
	at := field.NewPath("spec")
	// The first path is not the field's name in Kubernetes either.
	errs := apivalidation.ValidateImmutableField(s.AttachRequired, was.AttachRequired, at.Child("attachedRequired"))
	return append(errs, apivalidation.ValidateImmutableField(s.VolumeLifecycleModes, was.VolumeLifecycleModes,
		at.Child("volumeLifecycleModes"))...)
}

func csiDriverColumns() []metav1.TableColumnDefinition {
	doc := storagev1.CSIDriverSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		typedColumn("AttachRequired", "boolean", doc["attachRequired"]),
		typedColumn("PodInfoOnMount", "boolean", doc["podInfoOnMount"]),
		typedColumn("StorageCapacity", "boolean", doc["storageCapacity"]),
		column("TokenRequests", doc["tokenRequests"]),
		typedColumn("RequiresRepublish", "boolean", doc["requiresRepublish"]),
		column("Modes", doc["volumeLifecycleModes"]),
		ageColumn(),
	}
}

func csiDriverCells(obj runtime.Object, now time.Time) []any {
	d := obj.(*storagev1.CSIDriver)
	s := &d.Spec
	tokens := "<unset>"
	if s.TokenRequests != nil {
		var audiences []string
		for _, r := range s.TokenRequests {
			audiences = append(audiences, r.Audience)
		}
		tokens = strings.Join(audiences, ",")
	}
	var modes []string
	for _, mode := range s.VolumeLifecycleModes {
		modes = append(modes, string(mode))
	}
	attach := s.AttachRequired == nil || *s.AttachRequired
	return []any{
		d.Name, attach, isTrue(s.PodInfoOnMount), isTrue(s.StorageCapacity), tokens, isTrue(s.RequiresRepublish),
		orElse(strings.Join(modes, ","), none), age(d.CreationTimestamp, now),
	}
}

// typedColumn is a column that is always shown, of another type than text: "boolean" or "integer".
func typedColumn(name, of, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: of, Description: description}
}
