package customresource

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// A text is a definition as it is stored. Its schemas may have 10,000 lines and would take much more memory as Go
// values, so they stay text until they are used.
type text []byte

// An outline is a definition without its schemas.
type outline struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              outlineSpec                                    `json:"spec"`
	Status            apiextensionsv1.CustomResourceDefinitionStatus `json:"status"`
}

type outlineSpec struct {
	apiextensionsv1.CustomResourceDefinitionSpec
	Versions []outlineVersion `json:"versions"`
}

type outlineVersion struct {
	apiextensionsv1.CustomResourceDefinitionVersion
	Schema unread `json:"schema"`
}

// unread is a member that is skipped.
type unread struct{}

func (*unread) UnmarshalJSON([]byte) error { return nil }

// outline reads the definition without its schemas.
func (t text) outline() (*apiextensionsv1.CustomResourceDefinition, error) {
	var o outline
	if err := kjson.UnmarshalCaseSensitivePreserveInts(t, &o); err != nil {
		return nil, fmt.Errorf("read a definition: %w", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: o.ObjectMeta, Spec: o.Spec.CustomResourceDefinitionSpec, Status: o.Status}
	crd.Spec.Versions = make([]apiextensionsv1.CustomResourceDefinitionVersion, len(o.Spec.Versions))
	for i, v := range o.Spec.Versions {
		crd.Spec.Versions[i] = v.CustomResourceDefinitionVersion
	}
	return crd, nil
}

// whole reads the definition with its schemas. Keep what is made from the result, not the result.
func (t text) whole() (*apiextensionsv1.CustomResourceDefinition, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := kjson.UnmarshalCaseSensitivePreserveInts(t, &crd); err != nil {
		return nil, fmt.Errorf("read a definition: %w", err)
	}
	return &crd, nil
}
