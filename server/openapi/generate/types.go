package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// writeTypes writes every definition as an entry of a zip archive, without descriptions: what the field manager reads
// of one kind, and only of that, while a request waits. Entries are sorted and undated, so the archive is reproducible.
func writeTypes(w io.Writer, config *common.OpenAPIV3Config) error {
	names := slices.Sorted(maps.Keys(config.Definitions))
	schemas, err := builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if err := writeType(z, name, schemas[name]); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeType(z *zip.Writer, name string, schema *spec.Schema) error {
	data, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	if data, err = json.Marshal(undescribed(value)); err != nil {
		return err
	}
	f, err := z.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// undescribed returns a schema without the descriptions of itself and its properties.
func undescribed(schema map[string]any) map[string]any {
	delete(schema, "description")
	properties, _ := schema["properties"].(map[string]any)
	for _, p := range properties {
		if p, ok := p.(map[string]any); ok {
			undescribed(p)
		}
	}
	return schema
}
