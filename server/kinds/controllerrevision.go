package kinds

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// controllerRevision is the row of ControllerRevision: a past template of a StatefulSet or DaemonSet.
func controllerRevision() *Kind {
	return &Kind{
		GroupVersionKind:    appsv1.SchemeGroupVersion.WithKind("ControllerRevision"),
		Resource:            "controllerrevisions",
		Singular:            "controllerrevision",
		Namespaced:          true,
		New:                 func() runtime.Object { return &appsv1.ControllerRevision{} },
		NewList:             func() runtime.Object { return &appsv1.ControllerRevisionList{} },
		UnconditionalUpdate: true,
		Validate:            validateControllerRevision,
		ValidateUpdate:      validateControllerRevisionUpdate,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Controller", "Controller of the object"),
				column("Revision", appsv1.ControllerRevision{}.SwaggerDoc()["revision"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				r := obj.(*appsv1.ControllerRevision)
				return []any{r.Name, controllerCell(r), r.Revision, age(r.CreationTimestamp, now)}
			},
		},
	}
}

// controllerCell names an object's controller as kubectl would: "statefulset.apps/web".
func controllerCell(m metav1.Object) string {
	owner := metav1.GetControllerOf(m)
	if owner == nil {
		return none
	}
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
	return strings.ToLower(kind.String()) + "/" + owner.Name
}

func validateControllerRevision(obj runtime.Object) field.ErrorList {
	r := obj.(*appsv1.ControllerRevision)
	var errs field.ErrorList
	if r.Data.Raw == nil && r.Data.Object == nil {
		errs = append(errs, field.Required(field.NewPath("data"), "data is mandatory"))
	}
	return append(errs, notNegative(field.NewPath("revision"), r.Revision)...)
}

func validateControllerRevisionUpdate(obj, old runtime.Object) field.ErrorList {
	r, was := obj.(*appsv1.ControllerRevision), old.(*appsv1.ControllerRevision)
	if sameText(r.Data.Raw, was.Data.Raw) {
		return nil
	}
	return apivalidation.ValidateImmutableField(r.Data, was.Data, field.NewPath("data"))
}

// sameText tells whether two JSON texts differ in their spaces alone, of which none are kept.
func sameText(is, was []byte) bool {
	var a, b bytes.Buffer
	if json.Compact(&a, is) != nil || json.Compact(&b, was) != nil {
		return false
	}
	return bytes.Equal(a.Bytes(), b.Bytes())
}
