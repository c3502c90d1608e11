package kinds

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// How much may be told to the driver of a class.
const (
	maxParameters     = 512
	maxParameterBytes = 256 << 10 // keys and values together
)

// storageClass is the row of StorageClass.
func storageClass() *Kind {
	return &Kind{
		GroupVersionKind:    storagev1.SchemeGroupVersion.WithKind("StorageClass"),
		Resource:            "storageclasses",
		Singular:            "storageclass",
		ShortNames:          []string{"sc"},
		New:                 func() runtime.Object { return &storagev1.StorageClass{} },
		NewList:             func() runtime.Object { return &storagev1.StorageClassList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		Default: func(obj runtime.Object) {
			c := obj.(*storagev1.StorageClass)
			orDefault(&c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
			orDefault(&c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
		},
		Validate:       validateStorageClass,
		Warn:           warnStorageClass,
		ValidateUpdate: validateStorageClassUpdate,
		Printer:        table.Printer{Columns: storageClassColumns(), Cells: storageClassCells},
	}
}

func validateStorageClass(obj runtime.Object) field.ErrorList {
	c := obj.(*storagev1.StorageClass)
	errs := validateDriver(c.Provisioner, field.NewPath("provisioner"))
	errs = append(errs, validateParameters(c.Parameters, field.NewPath("parameters"))...)
	if p := *c.ReclaimPolicy; p != "" {
		errs = append(errs, among(field.NewPath("reclaimPolicy"), p,
			corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain)...)
	}
	errs = append(errs, among(field.NewPath("volumeBindingMode"), *c.VolumeBindingMode,
		storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer)...)
	return append(errs, validateTopologies(c.AllowedTopologies, field.NewPath("allowedTopologies"))...)
}

// validateDriver checks the name of what makes volumes, in which capitals do not matter.
func validateDriver(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	lower := strings.ToLower(name)
	return named(at, lower, validation.IsQualifiedName(lower))
}

func validateParameters(parameters map[string]string, at *field.Path) field.ErrorList {
	if len(parameters) > maxParameters {
		return field.ErrorList{field.TooLong(at, "", maxParameters)}
	}
	var errs field.ErrorList
	size := 0
	for key, value := range parameters {
		if key == "" {
			errs = append(errs, field.Invalid(at, key, "field can not be empty."))
		}
		size += len(key) + len(value)
	}
	if size > maxParameterBytes {
		errs = append(errs, field.TooLong(at, "", maxParameterBytes))
	}
	return errs
}

// validateTopologies checks where volumes may be; two terms must not say the same.
func validateTopologies(terms []corev1.TopologySelectorTerm, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	// As in Kubernetes, a term without expressions is taken for a double of as many empty terms as there are terms.
	earlier := make([]map[string]sets.Set[string], len(terms))
	for i, term := range terms {
		path := at.Index(i).Child("matchLabelExpressions")
		wanted, bad := validateTopologyTerm(term, path)
		errs = append(errs, bad...)
		for _, other := range earlier {
			if equality.Semantic.DeepEqual(wanted, other) {
				errs = append(errs, field.Duplicate(path, ""))
			}
		}
		earlier = append(earlier, wanted)
	}
	return errs
}

// validateTopologyTerm also returns the values wanted for each label.
func validateTopologyTerm(term corev1.TopologySelectorTerm, at *field.Path) (map[string]sets.Set[string], field.ErrorList) {
	var errs field.ErrorList
	wanted := map[string]sets.Set[string]{}
	for i, e := range term.MatchLabelExpressions {
		key, values := at.Index(i).Child("key"), at.Index(i).Child("values")
		if len(e.Values) == 0 {
			errs = append(errs, field.Required(values, ""))
		}
		seen := sets.New[string]()
		for j, value := range e.Values {
			if seen.Has(value) {
				errs = append(errs, field.Duplicate(values.Index(j), value))
			}
			seen.Insert(value)
		}
		errs = append(errs, metav1validation.ValidateLabelName(e.Key, key)...)
		if _, twice := wanted[e.Key]; twice {
			errs = append(errs, field.Duplicate(key, e.Key))
		}
		wanted[e.Key] = seen
	}
	return wanted, errs
}

func validateStorageClassUpdate(obj, old runtime.Object) field.ErrorList {
	c, was := obj.(*storagev1.StorageClass), old.(*storagev1.StorageClass)
	errs := frozen(field.NewPath("provisioner"), c.Provisioner, was.Provisioner)
	errs = append(errs, frozen(field.NewPath("parameters"), c.Parameters, was.Parameters)...)
	errs = append(errs, frozen(field.NewPath("reclaimPolicy"), c.ReclaimPolicy, was.ReclaimPolicy)...)
	return append(errs, frozen(field.NewPath("volumeBindingMode"), c.VolumeBindingMode, was.VolumeBindingMode)...)
}

func storageClassColumns() []metav1.TableColumnDefinition {
	doc := storagev1.StorageClass{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Provisioner", doc["provisioner"]),
		column("ReclaimPolicy", doc["reclaimPolicy"]),
		column("VolumeBindingMode", doc["volumeBindingMode"]),
		column("AllowVolumeExpansion", doc["allowVolumeExpansion"]),
		ageColumn(),
	}
}

func storageClassCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*storagev1.StorageClass)
	reclaim, binding := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate
	if c.ReclaimPolicy != nil {
		reclaim = *c.ReclaimPolicy
	}
	if c.VolumeBindingMode != nil {
		binding = *c.VolumeBindingMode
	}
	name := c.Name
	for _, mark := range []string{"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"} {
		if c.Annotations[mark] == "true" {
			name = c.Name + " (default)"
		}
	}
	return []any{name, c.Provisioner, string(reclaim), string(binding), isTrue(c.AllowVolumeExpansion), age(c.CreationTimestamp, now)}
}
