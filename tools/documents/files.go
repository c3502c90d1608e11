package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// kindOf is how an operation names its kind, in the order of the official files.
var kindOf = regexp.MustCompile(`"x-kubernetes-group-version-kind":{("group":"[^"]*"),("kind":"[^"]*"),("version":"[^"]*")}`)

// writeJSON writes a document compressed, with the members of an operation's kind in the order in which a server writes them.
func writeJSON(path string, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	text = kindOf.ReplaceAll(text, []byte(`"x-kubernetes-group-version-kind":{$1,$3,$2}`))
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// writeTypes writes every definition as an entry of a zip archive, without descriptions: what the field manager reads of
// one kind, and only of that, while a request waits. Entries are sorted and undated, so the archive is reproducible.
func writeTypes(path string, types map[string]*spec.Schema) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(types)) {
		text, err := undescribed(types[name])
		if err != nil {
			return err
		}
		f, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// undescribed is the text of a schema without the descriptions of itself and its properties.
func undescribed(schema *spec.Schema) ([]byte, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	drop(value)
	return json.Marshal(value)
}

func drop(schema map[string]any) {
	delete(schema, "description")
	properties, _ := schema["properties"].(map[string]any)
	for _, p := range properties {
		if p, ok := p.(map[string]any); ok {
			drop(p)
		}
	}
}
