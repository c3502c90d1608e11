package kinds

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// frozen reports a field that may not change and did, in the words of declarative validation, which names no value.
func frozen(path *field.Path, is, was any) field.ErrorList {
	if equality.Semantic.DeepEqual(is, was) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, nil, "field is immutable")}
}

// validateSame reports a field that may not change and did, and shows what it would be now.
func validateSame(is, was any, path *field.Path) field.ErrorList {
	if equality.Semantic.DeepEqual(is, was) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, internalForm(is), "field is immutable")}
}
