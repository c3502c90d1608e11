package kinds

import (
	"time"

	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
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
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			return required(field.NewPath("spec", "resource", "resource"), obj.(*storagemigrationv1.StorageVersionMigration).Spec.Resource.Resource)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return frozen(field.NewPath("spec"), obj.(*storagemigrationv1.StorageVersionMigration).Spec, old.(*storagemigrationv1.StorageVersionMigration).Spec)
		},
		ValidateStatusUpdate: func(obj, _ runtime.Object) field.ErrorList {
			return metav1validation.ValidateConditions(obj.(*storagemigrationv1.StorageVersionMigration).Status.Conditions, field.NewPath("status", "conditions"))
		},
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
