package kinds

import (
	"strings"
	"time"

	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// storageVersionMigration is the row of StorageVersionMigration, which asks that all objects of a resource be written anew.
func storageVersionMigration() *Kind {
	return &Kind{
		GroupVersionKind: storagemigrationv1.SchemeGroupVersion.WithKind("StorageVersionMigration"),
		Resource:         "storageversionmigrations",
		Singular:         "storageversionmigration",
		New:              func() runtime.Object { return &storagemigrationv1.StorageVersionMigration{} },
		NewList:          func() runtime.Object { return &storagemigrationv1.StorageVersionMigrationList{} },
		Status:           true,
		StatusAlone:      true,
		ValidateCreate:   validateMigration,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			m, was := obj.(*storagemigrationv1.StorageVersionMigration), old.(*storagemigrationv1.StorageVersionMigration)
			// The type without JSON names shows the value as Kubernetes does, from its internal type.
			type shown struct{ Resource metav1.GroupResource }
			return append(validateMigration(obj), apivalidation.ValidateImmutableField(shown(m.Spec), shown(was.Spec), field.NewPath("spec"))...)
		},
		ValidateStatusUpdate: validateMigrationStatus,
		Printer: table.Printer{Columns: []metav1.TableColumnDefinition{
			column("Name", metaDoc["name"]), column("Resource", "GroupResource to migrate"), column("Status", "Status of the migration"),
		}, Cells: migrationCells},
	}
}

// migrationCells tells the last of the conditions that hold and say how far the migration is.
func migrationCells(obj runtime.Object, _ time.Time) []any {
	m, state := obj.(*storagemigrationv1.StorageVersionMigration), "Unknown"
	for _, c := range m.Status.Conditions {
		switch storagemigrationv1.MigrationConditionType(c.Type) {
		case storagemigrationv1.MigrationRunning, storagemigrationv1.MigrationFailed, storagemigrationv1.MigrationSucceeded:
			if c.Status == metav1.ConditionTrue {
				state = c.Type
			}
		}
	}
	return []any{m.Name, m.Spec.Resource.String(), state}
}

// validateMigration wants a resource that could be one.
func validateMigration(obj runtime.Object) field.ErrorList {
	r, at := obj.(*storagemigrationv1.StorageVersionMigration).Spec.Resource, field.NewPath("spec", "resource")
	var errs field.ErrorList
	if r.Resource == "" {
		errs = append(errs, field.Required(at.Child("resource"), "resource is required to be set"))
	} else if reasons := validation.IsDNS1035Label(r.Resource); len(reasons) > 0 {
		errs = append(errs, field.Invalid(at.Child("resource"), r.Resource, strings.Join(reasons, ",")))
	}
	if r.Group == "" {
		return errs
	}
	if reasons := validation.IsDNS1123Subdomain(r.Group); len(reasons) > 0 {
		errs = append(errs, field.Invalid(at.Child("group"), r.Group, strings.Join(reasons, ",")))
	}
	return errs
}

// validateMigrationStatus lets a migration end once, in one way, and its resourceVersion be set once.
func validateMigrationStatus(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*storagemigrationv1.StorageVersionMigration).Status, &old.(*storagemigrationv1.StorageVersionMigration).Status
	revision, conditions := field.NewPath("status", "resourceVersion"), field.NewPath("status", "conditions")
	var errs field.ErrorList
	if s.ResourceVersion != "" {
		if _, err := resourceversion.CompareResourceVersion(s.ResourceVersion, s.ResourceVersion); err != nil {
			errs = append(errs, field.Invalid(revision, s.ResourceVersion, err.Error()))
		}
	}
	errs = append(errs, metav1validation.ValidateConditions(s.Conditions, conditions)...)
	if was.ResourceVersion != "" && was.ResourceVersion != s.ResourceVersion {
		errs = append(errs, field.Invalid(revision, s.ResourceVersion, "field is immutable"))
	}
	succeeded, failed := string(storagemigrationv1.MigrationSucceeded), string(storagemigrationv1.MigrationFailed)
	if apimeta.IsStatusConditionTrue(s.Conditions, succeeded) && apimeta.IsStatusConditionTrue(s.Conditions, failed) {
		errs = append(errs, field.Invalid(conditions, s.Conditions, "Both success and failed conditions cannot be true at the same time"))
	}
	for _, end := range []struct{ condition, called string }{{succeeded, "Success"}, {failed, "Failed"}} {
		if apimeta.IsStatusConditionTrue(was.Conditions, end.condition) && !apimeta.IsStatusConditionTrue(s.Conditions, end.condition) {
			errs = append(errs, field.Invalid(conditions, s.Conditions, end.called+" condition cannot be set to false once it is true"))
		}
	}
	return errs
}
