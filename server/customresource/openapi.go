package customresource

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi"
)

// objectMeta is the published name of the metadata that every kind has.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// typeConverter gives objects of all versions of a definition their types, for the field managers.
func typeConverter(of text) (managedfields.TypeConverter, error) {
	crd, err := of.whole()
	if err != nil {
		return nil, err
	}
	meta, err := openapi.Types(objectMeta)
	if err != nil {
		return nil, err
	}
	specs := []*spec3.OpenAPI{{
		Version:    "3.0.0",
		Info:       &spec.Info{InfoProps: spec.InfoProps{Title: crd.Name, Version: "v1"}},
		Components: &spec3.Components{Schemas: meta},
	}}
	for _, v := range crd.Spec.Versions {
		s, err := buildV3(crd, v.Name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, fmt.Errorf("merge the schemas of %s: %w", crd.Name, err)
	}
	return managedfields.NewTypeConverter(merged.Components.Schemas, crd.Spec.PreserveUnknownFields)
}

// V3 is the OpenAPI v3 document of one version, as it is published.
func (d *Definition) V3(version string) (*spec3.OpenAPI, error) {
	crd, err := d.text.whole()
	if err != nil {
		return nil, err
	}
	return buildV3(crd, version)
}

func buildV3(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec3.OpenAPI, error) {
	s, err := builder.BuildOpenAPIV3(crd, version, builder.Options{IncludeSelectableFields: true})
	if err != nil {
		return nil, fmt.Errorf("build the OpenAPI document of %s/%s: %w", crd.Name, version, err)
	}
	return s, nil
}

// V2 is the part of the swagger that one version adds. Its schema is for clients of OpenAPI v2, and has no defaults,
// like those of built-in kinds.
func (d *Definition) V2(version string) (*spec.Swagger, error) {
	crd, err := d.text.whole()
	if err != nil {
		return nil, err
	}
	s, err := builder.BuildOpenAPIV2(crd, version, builder.Options{V2: true, IncludeSelectableFields: true})
	if err != nil {
		return nil, fmt.Errorf("build the swagger of %s/%s: %w", crd.Name, version, err)
	}
	prune := schemamutation.Walker{SchemaCallback: withoutDefault, RefCallback: schemamutation.RefCallbackNoop}
	for name, definition := range s.Definitions {
		s.Definitions[name] = *prune.WalkSchema(&definition)
	}
	return s, nil
}

// withoutDefault is the schema itself if it states no default.
func withoutDefault(s *spec.Schema) *spec.Schema {
	if s.Default == nil {
		return s
	}
	pruned := *s
	pruned.Default = nil
	return &pruned
}
