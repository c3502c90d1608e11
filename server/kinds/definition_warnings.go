package kinds

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// definitionWarnings tells of what a definition newly says and nothing will act on: formats that nobody knows, and sets
// whose items can not be compared.
func definitionWarnings(obj, old runtime.Object) []string {
	d, _ := internalDefinition(obj)
	if d == nil {
		return nil
	}
	warnings := append(unknownFormats(&d.Spec), setsOfStructures(&d.Spec)...)
	if old == nil {
		return warnings
	}
	was, _ := internalDefinition(old)
	if was == nil {
		return warnings
	}
	known := append(unknownFormats(&was.Spec), setsOfStructures(&was.Spec)...)
	return slices.DeleteFunc(warnings, func(w string) bool { return slices.Contains(known, w) })
}

// eachSchema visits every schema of a definition, nested ones too.
func eachSchema(s *apiextensions.CustomResourceDefinitionSpec, visit func(*apiextensions.JSONSchemaProps)) {
	walk := func(v *apiextensions.CustomResourceValidation) {
		if v == nil || v.OpenAPIV3Schema == nil {
			return
		}
		validation.SchemaHas(v.OpenAPIV3Schema, func(s *apiextensions.JSONSchemaProps) bool {
			visit(s)
			return false
		})
	}
	walk(s.Validation)
	for _, v := range s.Versions {
		walk(v.Schema)
	}
}

func unknownFormats(s *apiextensions.CustomResourceDefinitionSpec) (warnings []string) {
	now := environment.DefaultCompatibilityVersion()
	eachSchema(s, func(s *apiextensions.JSONSchemaProps) {
		if s.Format == "" {
			return
		}
		one := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
		for _, format := range apiservervalidation.GetUnrecognizedFormats(one, now) {
			warnings = append(warnings, fmt.Sprintf("unrecognized format %q", format))
		}
	})
	return warnings
}

func setsOfStructures(s *apiextensions.CustomResourceDefinitionSpec) (warnings []string) {
	eachSchema(s, func(s *apiextensions.JSONSchemaProps) {
		if s.XListType == nil || *s.XListType != "set" || s.Items == nil || s.Items.Schema == nil {
			return
		}
		if t := s.Items.Schema.Type; t == "object" || t == "array" {
			warnings = append(warnings, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", t))
		}
	})
	slices.Sort(warnings)
	return slices.Compact(warnings)
}
