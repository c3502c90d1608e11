package kinds

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// customResourceDefinition is the row of CustomResourceDefinition. Package customresource makes kinds of definitions;
// the controllers of definitions set their conditions.
func customResourceDefinition() *Kind {
	k := row{
		gvk: gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), resource: "customresourcedefinitions", singular: "customresourcedefinition",
		shortNames: []string{"crd", "crds"}, categories: extensions, key: "apiextensions.k8s.io/customresourcedefinitions",
		strategy: customresourcedefinition.NewStrategy(Scheme),
		status:   customresourcedefinition.NewStatusStrategy(Scheme), tableless: []string{"status"}, keptAsJSON: true,
	}.kind()
	k.BeginDelete, k.Precondition = holdDefinition, "precondition failed"
	k.Printer, k.Bound = convertorPrinter(k, tableconvertor.New), boundRules
	return k
}

// holdDefinition begins the deletion of a definition, which waits until the objects of its kind are gone.
func holdDefinition(obj runtime.Object, _ metav1.DeleteOptions, now time.Time) bool {
	d := obj.(*apiextensions.CustomResourceDefinition)
	if d.DeletionTimestamp != nil {
		return false
	}
	at := metav1.NewTime(now.UTC())
	d.DeletionTimestamp = &at
	if !slices.Contains(d.Finalizers, apiextensions.CustomResourceCleanupFinalizer) {
		d.Finalizers = append(d.Finalizers, apiextensions.CustomResourceCleanupFinalizer)
	}
	apiextensions.SetCRDCondition(d, apiextensions.CustomResourceDefinitionCondition{
		Type: apiextensions.Terminating, Status: apiextensions.ConditionTrue, Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
	})
	return true
}

// maxRules bounds the validation rules of a definition. Each takes 1 to 3 ms to compile, twice, which cannot be
// interrupted; kube-apiserver only bounds the cost of running them.
const maxRules = 1000

// maxRule is the most bytes of a validation rule: the time to estimate its cost grows with the square of its length.
const maxRule = 10 << 10

// boundRules refuses a definition with too many or too long rules, before any is compiled. In the internal form, a
// schema that all versions share is in the spec itself.
func boundRules(obj runtime.Object) field.ErrorList {
	d := obj.(*apiextensions.CustomResourceDefinition)
	left := maxRules
	if v := d.Spec.Validation; v != nil {
		left -= countRules(v.OpenAPIV3Schema)
	}
	path := field.NewPath("spec", "versions")
	for i, v := range d.Spec.Versions {
		if v.Schema != nil {
			left -= countRules(v.Schema.OpenAPIV3Schema)
		}
		if left < 0 {
			return field.ErrorList{field.Forbidden(path.Index(i).Child("schema", "openAPIV3Schema"),
				fmt.Sprintf("a definition must not have more than %d validation rules, of %d bytes each", maxRules, maxRule))}
		}
	}
	return nil
}

// countRules counts the rules of a schema and of those in it; one that is too long counts for all.
func countRules(s *apiextensions.JSONSchemaProps) int {
	if s == nil {
		return 0
	}
	n := len(s.XValidations) + countRules(s.Not)
	for _, rule := range s.XValidations {
		if len(rule.Rule)+len(rule.MessageExpression) > maxRule {
			return maxRules + 1
		}
	}
	for _, branches := range [][]apiextensions.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
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
