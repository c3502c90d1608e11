package customresource_test

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kubarium/server/calls"
	"kubarium/server/customresource"
)

// Whatever the schema of an accepted definition is, and whatever an object of it, reading and checking the object end
// with an answer and without a panic. Definitions that the official checks would refuse are taken here, too: an outside
// writer can store one.
func FuzzDefinition(f *testing.F) {
	f.Add(`{"type":"object","properties":{"spec":{"type":"object","default":{},"properties":{"n":{"type":"integer","default":1}}}}}`, `{"spec":{"n":"x","m":null}}`)
	f.Add(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"metadata":{"name":7},"spec":[{}]}`)
	f.Add(`{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}}}`, `{"l":[{"k":"a"},{"k":"a"},3]}`)
	f.Add(`{"type":"object","properties":{"n":{"x-kubernetes-int-or-string":true},"o":{"type":"object","x-kubernetes-embedded-resource":true}}}`, `{"n":1.5,"o":{"metadata":[]}}`)
	f.Add(`{"type":"object","x-kubernetes-validations":[{"rule":"self.a ==="}],"properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`)
	f.Add(`{"type":"array","items":[{"type":"string"}]}`, `{"status":{"replicas":-1}}`)
	f.Fuzz(func(t *testing.T, schema, object string) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		props := &apiextensionsv1.JSONSchemaProps{}
		body := map[string]any{}
		if json.Unmarshal([]byte(schema), props) != nil || json.Unmarshal([]byte(object), &body) != nil || body == nil {
			t.Skip()
		}
		names := apiextensionsv1.CustomResourceDefinitionNames{Plural: "fs", Singular: "f", Kind: "F", ListKind: "FList"}
		crd.Name, crd.Spec.Group, crd.Spec.Names, crd.Status.AcceptedNames = "fs.example.com", "example.com", names, names
		crd.Spec.Scope = apiextensionsv1.ClusterScoped
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props},
		}}
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
		value, err := json.Marshal(crd)
		if err != nil {
			t.Skip()
		}
		d, err := customresource.Read(value, 1, nil, calls.Way{})
		if err != nil || d.Stored == nil {
			t.Fatalf("%s: %v", value, err)
		}
		row := d.Stored
		u := &unstructured.Unstructured{Object: body}
		if _, err := row.Coerce(u, true); err != nil {
			return
		}
		row.Default(u)
		_ = row.Strategy.Validate(t.Context(), u)
		_ = row.Strategy.ValidateUpdate(t.Context(), u, u.DeepCopy())
	})
}
