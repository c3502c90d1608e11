package kinds

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// whenImmutable is what an update of an immutable ConfigMap or Secret is told.
const whenImmutable = "field is immutable when `immutable` is set"

// configMap is the row of ConfigMap.
func configMap() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		Resource:            "configmaps",
		Singular:            "configmap",
		ShortNames:          []string{"cm"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.ConfigMap{} },
		NewList:             func() runtime.Object { return &corev1.ConfigMapList{} },
		UnconditionalUpdate: true,
		Validate:            validateConfigMap,
		ValidateUpdate:      validateConfigMapUpdate,
		ChangesFirst:        true,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Data", corev1.ConfigMap{}.SwaggerDoc()["data"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				cm := obj.(*corev1.ConfigMap)
				return []any{cm.Name, int64(len(cm.Data) + len(cm.BinaryData)), age(cm.CreationTimestamp, now)}
			},
		},
	}
}

// validateConfigMap checks the keys of both bags and their size together.
func validateConfigMap(obj runtime.Object) field.ErrorList {
	cm := obj.(*corev1.ConfigMap)
	var errs field.ErrorList
	size := 0
	for key, value := range cm.Data {
		path := field.NewPath("data").Key(key)
		errs = append(errs, validateDataKey(key, path)...)
		if _, twice := cm.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(path, key, "duplicate of key present in binaryData"))
		}
		size += len(value)
	}
	for key, value := range cm.BinaryData {
		path := field.NewPath("binaryData").Key(key)
		errs = append(errs, validateDataKey(key, path)...)
		if _, twice := cm.Data[key]; twice {
			errs = append(errs, field.Invalid(path, key, "duplicate of key present in data"))
		}
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		// The empty path stands for the object as a whole.
		errs = append(errs, field.TooLong(field.NewPath(""), cm, corev1.MaxSecretSize))
	}
	return errs
}

// validateDataKey checks a key of a ConfigMap or Secret, which may become a file's name.
func validateDataKey(key string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, msg := range validation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path, key, msg))
	}
	return errs
}

func validateConfigMapUpdate(obj, old runtime.Object) field.ErrorList {
	cm, was := obj.(*corev1.ConfigMap), old.(*corev1.ConfigMap)
	if !isTrue(was.Immutable) {
		return nil
	}
	var errs field.ErrorList
	if !isTrue(cm.Immutable) {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), whenImmutable))
	}
	if !equality.Semantic.DeepEqual(cm.Data, was.Data) {
		errs = append(errs, field.Forbidden(field.NewPath("data"), whenImmutable))
	}
	// Unlike data, nothing and an empty bag are not the same here.
	if !reflect.DeepEqual(cm.BinaryData, was.BinaryData) {
		errs = append(errs, field.Forbidden(field.NewPath("binaryData"), whenImmutable))
	}
	return errs
}

// isTrue reads an optional flag that is off unless said.
func isTrue(flag *bool) bool {
	return flag != nil && *flag
}
