package server_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// mustDefine stores a definition, given as YAML, as an established one.
func mustDefine(t *testing.T, url, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	establish(t, url, crd)
	return crd
}

const gears = `
metadata: {name: gears.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gears, singular: gear, kind: Gear, listKind: GearList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const (
	applyPatch = "application/apply-patch+yaml"
)
