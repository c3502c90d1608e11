package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	definitionKind    = "CustomResourceDefinition"
	definitionVersion = "apiextensions.k8s.io/v1"
)

// definitions are the texts of all CustomResourceDefinitions.
func (o *Options) definitions() ([]string, error) {
	all := []string{}
	for _, obj := range o.CRDs {
		text, err := definitionText(obj)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	for _, path := range o.CRDPaths {
		found, err := readPath(path)
		if err != nil {
			return nil, fmt.Errorf("CRDPaths: %w", err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("CRDPaths: there is no %s in %s", definitionKind, path)
		}
		all = append(all, found...)
	}
	return all, nil
}

// definitionText returns the JSON of an object with its apiVersion and kind, which typed objects may lack.
func definitionText(obj runtime.Object) (string, error) {
	members, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return "", fmt.Errorf("CRDs: %w", err)
	}
	if members["kind"] == nil {
		members["apiVersion"], members["kind"] = definitionVersion, definitionKind
	}
	text, err := json.Marshal(members)
	return string(text), err
}

// readPath reads a file, or the files of a folder, and returns their definitions.
func readPath(path string) (found []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readFile(path)
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return err
		}
		of, err := readFile(file)
		found = append(found, of...)
		return err
	})
	return found, err
}

// readFile reads the definitions among a file's documents.
func readFile(file string) (found []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		var head struct{ Kind string }
		if err == nil {
			err = yaml.Unmarshal(document, &head)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if head.Kind == definitionKind {
			found = append(found, string(document))
		}
	}
}
