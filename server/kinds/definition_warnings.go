package kinds

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// definitionWarnings tells of what a definition newly says and nothing will act on: formats that nobody knows, and sets
// whose items can not be compared.
func definitionWarnings(obj, old runtime.Object) []string {
	warnings := schemaWarnings(crd(obj))
	if old == nil || len(warnings) == 0 {
		return warnings
	}
	known := schemaWarnings(crd(old))
	return slices.DeleteFunc(warnings, func(w string) bool { return slices.Contains(known, w) })
}

func schemaWarnings(d *apiextensionsv1.CustomResourceDefinition) []string {
	var formats, sets []string
	for _, v := range d.Spec.Versions {
		if v.Schema != nil {
			eachSchema(v.Schema.OpenAPIV3Schema, func(s *apiextensionsv1.JSONSchemaProps) {
				formats = append(formats, unknownFormat(s)...)
				sets = append(sets, setOfStructures(s)...)
			})
		}
	}
	slices.Sort(sets)
	return append(formats, slices.Compact(sets)...)
}

// eachSchema visits a schema and all that are nested in it; properties in the order of their names.
func eachSchema(s *apiextensionsv1.JSONSchemaProps, visit func(*apiextensionsv1.JSONSchemaProps)) {
	if s == nil {
		return
	}
	visit(s)
	if s.Items != nil {
		eachSchema(s.Items.Schema, visit)
		eachSchemaOf(s.Items.JSONSchemas, visit)
	}
	eachSchemaOf(s.AllOf, visit)
	eachSchemaOf(s.OneOf, visit)
	eachSchemaOf(s.AnyOf, visit)
	eachSchema(s.Not, visit)
	for _, named := range []map[string]apiextensionsv1.JSONSchemaProps{s.Properties, s.PatternProperties, s.Definitions} {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			nested := named[name]
			eachSchema(&nested, visit)
		}
	}
	for _, more := range []*apiextensionsv1.JSONSchemaPropsOrBool{s.AdditionalProperties, s.AdditionalItems} {
		if more != nil {
			eachSchema(more.Schema, visit)
		}
	}
}

func eachSchemaOf(all []apiextensionsv1.JSONSchemaProps, visit func(*apiextensionsv1.JSONSchemaProps)) {
	for i := range all {
		eachSchema(&all[i], visit)
	}
}

func unknownFormat(s *apiextensionsv1.JSONSchemaProps) (warnings []string) {
	if s.Format == "" {
		return nil
	}
	one := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
	for _, format := range apiservervalidation.GetUnrecognizedFormats(one, environment.DefaultCompatibilityVersion()) {
		warnings = append(warnings, fmt.Sprintf("unrecognized format %q", format))
	}
	return warnings
}

func setOfStructures(s *apiextensionsv1.JSONSchemaProps) []string {
	if s.XListType == nil || *s.XListType != "set" || s.Items == nil || s.Items.Schema == nil {
		return nil
	}
	if t := s.Items.Schema.Type; t == "object" || t == "array" {
		return []string{fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", t)}
	}
	return nil
}
