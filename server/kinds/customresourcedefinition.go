package kinds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// customResourceDefinition is the row of CustomResourceDefinition. What a definition means for the kinds that are served
// is in package customresource; its conditions are set by its controllers.
func customResourceDefinition() *Kind {
	return &Kind{
		GroupVersionKind:     apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"),
		Resource:             "customresourcedefinitions",
		Singular:             "customresourcedefinition",
		ShortNames:           []string{"crd", "crds"},
		Categories:           []string{"api-extensions"},
		New:                  func() runtime.Object { return &apiextensionsv1.CustomResourceDefinition{} },
		NewList:              func() runtime.Object { return &apiextensionsv1.CustomResourceDefinitionList{} },
		Status:               true,
		Generation:           true,
		Default:              func(obj runtime.Object) { apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd(obj)) },
		PrepareForCreate:     func(obj runtime.Object) { noteStoredVersion(crd(obj)) },
		PrepareForUpdate:     func(obj, _ runtime.Object) { noteStoredVersion(crd(obj)) },
		ValidateName:         definitionName,
		ValidateCreate:       validateDefinition,
		ValidateUpdate:       validateDefinitionUpdate,
		ValidateStatusUpdate: validateDefinitionStatus,
		Warn:                 definitionWarnings,
		BeginDelete:          holdDefinition,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Scope", "Cluster/Namespaced"), column("Versions", "Served versions"),
				{Name: "Created At", Type: "date", Description: metaDoc["creationTimestamp"]},
				wideColumn("Group", "API group"), wideColumn("Kind", "CustomResource kind"), wideColumn("ShortNames", "Short names"),
				{Name: "Established", Type: "boolean", Priority: 1, Description: "Established status"},
			},
			Cells: definitionCells,
		},
	}
}

func definitionCells(obj runtime.Object, _ time.Time) []any {
	d := crd(obj)
	var versions []string
	for _, v := range d.Spec.Versions {
		switch {
		case v.Storage && v.Served:
			versions = append(versions, v.Name+"(storage)")
		case v.Served:
			versions = append(versions, v.Name)
		}
	}
	names := d.Spec.Names
	return []any{
		d.Name, string(d.Spec.Scope), strings.Join(versions, ","), d.CreationTimestamp.UTC().Format(time.RFC3339),
		d.Spec.Group, names.Kind, strings.Join(names.ShortNames, ","), apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established),
	}
}

func crd(obj runtime.Object) *apiextensionsv1.CustomResourceDefinition {
	return obj.(*apiextensionsv1.CustomResourceDefinition)
}

// definitionName leaves the name to the check of the definition, which binds it to plural and group.
func definitionName(name string, _ bool) []string { return content.IsPathSegmentName(name) }

// noteStoredVersion adds the storage version to those in which objects may be stored: status.storedVersions.
func noteStoredVersion(d *apiextensionsv1.CustomResourceDefinition) {
	for _, v := range d.Spec.Versions {
		if v.Storage && !slices.Contains(d.Status.StoredVersions, v.Name) {
			d.Status.StoredVersions = append(d.Status.StoredVersions, v.Name)
		}
		if v.Storage {
			return
		}
	}
}

// internalDefinition is the form in which the official checks take a definition. It shares parts with obj: it is for
// reading only.
func internalDefinition(obj runtime.Object) (*apiextensions.CustomResourceDefinition, field.ErrorList) {
	var internal apiextensions.CustomResourceDefinition
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd(obj), &internal, nil)
	if err != nil {
		return nil, field.ErrorList{field.InternalError(field.NewPath("spec"), fmt.Errorf("read the definition: %w", err))}
	}
	return &internal, nil
}

// validateDefinition checks a new definition: names, versions, structural schemas, defaults, rules and their cost.
func validateDefinition(obj runtime.Object) field.ErrorList {
	if errs := boundRules(crd(obj)); len(errs) > 0 {
		return errs
	}
	d, errs := internalDefinition(obj)
	if d == nil {
		return errs
	}
	return validation.ValidateCustomResourceDefinition(context.Background(), d)
}

func validateDefinitionUpdate(obj, old runtime.Object) field.ErrorList {
	if errs := boundRules(crd(obj)); len(errs) > 0 {
		return errs
	}
	return checkDefinitions(obj, old, validation.ValidateCustomResourceDefinitionUpdate)
}

// maxRules bounds the validation rules of a definition. Each takes 1 to 3 ms to compile, twice, which cannot be interrupted; what
// bounds them in kube-apiserver is the cost of running them alone.
const maxRules = 1000

// maxRule is the most bytes of a validation rule: to check the cost of one takes the square of its length.
const maxRule = 10 << 10

// boundRules refuses a definition with too many or too long rules, before any is compiled.
func boundRules(d *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	left := maxRules
	for i, v := range d.Spec.Versions {
		if v.Schema != nil {
			left -= countRules(v.Schema.OpenAPIV3Schema)
		}
		if left < 0 {
			path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf("a definition must not have more than %d validation rules, of %d bytes each", maxRules, maxRule))}
		}
	}
	return nil
}

// countRules counts the rules of a schema and of those in it; one that is too long counts for all.
func countRules(s *apiextensionsv1.JSONSchemaProps) int {
	if s == nil {
		return 0
	}
	n := len(s.XValidations) + countRules(s.Not)
	for _, rule := range s.XValidations {
		if len(rule.Rule)+len(rule.MessageExpression) > maxRule {
			return maxRules + 1
		}
	}
	for _, branches := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range branches {
			n += countRules(&branches[i])
		}
	}
	for _, p := range s.Properties {
		n += countRules(&p)
	}
	if s.Items != nil {
		n += countRules(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		n += countRules(s.AdditionalProperties.Schema)
	}
	return n
}

// validateDefinitionStatus looks at nothing but metadata and status, so that the schemas need not be made ready for it.
func validateDefinitionStatus(obj, old runtime.Object) field.ErrorList {
	var parts typedParts
	return checkDefinitions(parts.WithoutSpec(obj), parts.WithoutSpec(old), validation.ValidateUpdateCustomResourceDefinitionStatus)
}

func checkDefinitions(obj, old runtime.Object, check func(ctx context.Context, obj, old *apiextensions.CustomResourceDefinition) field.ErrorList) field.ErrorList {
	d, errs := internalDefinition(obj)
	if d == nil {
		return errs
	}
	was, errs := internalDefinition(old)
	if was == nil {
		return errs
	}
	return check(context.Background(), d, was)
}

// holdDefinition begins the deletion of a definition, which waits until the objects of its kind are gone.
func holdDefinition(obj runtime.Object, now time.Time) bool {
	d := crd(obj)
	if d.DeletionTimestamp != nil {
		return false
	}
	at := metav1.NewTime(now.UTC())
	d.DeletionTimestamp = &at
	if !slices.Contains(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) {
		d.Finalizers = append(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer)
	}
	apihelpers.SetCRDCondition(d, apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.Terminating, Status: apiextensionsv1.ConditionTrue, Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
	})
	return true
}
