package customresource

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// rules are the schema of a version compiled for checks.
type rules struct {
	structural *structuralschema.Structural
	whole      validation.SchemaValidator
	status     validation.SchemaValidator // nil where the schema says nothing of a status
	measured
}

// compile makes the rules of a version.
func (v *version) compile() (*rules, error) {
	s, err := v.schema()
	if err != nil {
		return nil, err
	}
	r := &rules{measured: measure(s)}
	if r.structural, err = v.structural(); err != nil {
		return nil, err
	}
	if r.whole, _, err = validation.NewSchemaValidator(s); err != nil {
		return nil, err
	}
	if s != nil {
		if status, ok := s.Properties["status"]; ok {
			if r.status, _, err = validation.NewSchemaValidator(&status); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}
