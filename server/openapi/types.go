package openapi

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

//go:embed published/types.zip
var typesArchive []byte

// types is the archive's directory: one entry a definition, so that a kind costs only what it refers to.
var types = sync.OnceValues(func() (map[string]*zip.File, error) {
	archive, err := zip.NewReader(bytes.NewReader(typesArchive), int64(len(typesArchive)))
	if err != nil {
		return nil, fmt.Errorf("open the published types: %w", err)
	}
	files := make(map[string]*zip.File, len(archive.File))
	for _, f := range archive.File {
		files[f.Name] = f
	}
	return files, nil
})

// Types returns the definition of that official name ("io.k8s.api.core.v1.ConfigMap") and every definition that it
// refers to, in the form of OpenAPI v3 and without descriptions. It fails for a name that is not published. The result
// is the caller's.
func Types(name string) (map[string]*spec.Schema, error) {
	files, err := types()
	if err != nil {
		return nil, err
	}
	found := map[string]*spec.Schema{}
	for open := []string{name}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		if found[next] != nil {
			continue
		}
		data, err := readType(files, next)
		if err != nil {
			return nil, err
		}
		schema := new(spec.Schema)
		if err := json.Unmarshal(data, schema); err != nil {
			return nil, fmt.Errorf("decode the published type %s: %w", next, err)
		}
		found[next] = schema
		open = append(open, referencesBelow(string(data), "#/components/schemas/")...)
	}
	return found, nil
}

func readType(files map[string]*zip.File, name string) ([]byte, error) {
	file := files[name]
	if file == nil {
		return nil, fmt.Errorf("no published type %s", name)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("open the published type %s: %w", name, err)
	}
	defer r.Close()
	return io.ReadAll(r)
}

// referencesBelow lists the names that our own text refers to below a place such as "#/components/schemas/". In a
// description the quote before that place would be escaped, so it cannot be taken for a reference.
func referencesBelow(text, place string) []string {
	var names []string
	for {
		_, after, ok := strings.Cut(text, `"$ref":"`+place)
		if !ok {
			return names
		}
		name, rest, _ := strings.Cut(after, `"`)
		names = append(names, name)
		text = rest
	}
}
