package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/flow/object"
	"kubarium/tui/client"
)

// A Manifest is an edited document as JSON.
type Manifest struct {
	JSON                              []byte
	APIVersion, Kind, Namespace, Name string
	text                              string // the original text
}

// Manifests parses the documents of a text; empty ones are left out.
func Manifests(text []byte) ([]Manifest, error) {
	var out []Manifest
	for i, part := range documents(text) {
		if Blank(part) {
			continue
		}
		m, err := readManifest(part)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// documents splits a text at lines of three dashes.
func documents(text []byte) [][]byte {
	var out [][]byte
	var now []byte
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok && len(bytes.TrimSpace(rest)) == 0 {
			out, now = append(out, now), nil
			continue
		}
		now = append(now, line...)
	}
	return append(out, now)
}

func readManifest(part []byte) (m Manifest, err error) {
	m.text = string(part)
	if m.JSON, err = yaml.YAMLToJSONStrict(part); err != nil {
		return m, errors.New(strings.TrimPrefix(object.OneLine(err.Error()), "error converting YAML to JSON: "))
	}
	var o struct {
		APIVersion, Kind string
		Metadata         struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(m.JSON, &o); err != nil {
		return m, errors.New("it is not an object with apiVersion, kind and metadata")
	}
	m.APIVersion, m.Kind, m.Namespace, m.Name = o.APIVersion, o.Kind, o.Metadata.Namespace, o.Metadata.Name
	if m.APIVersion == "" || m.Kind == "" {
		return m, errors.New("it needs apiVersion and kind")
	}
	return m, nil
}

// Resource finds the resource of a manifest among those of the server.
func (m *Manifest) Resource(all []client.Resource) (client.Resource, error) {
	group, version, ok := strings.Cut(m.APIVersion, "/")
	if !ok {
		group, version = "", m.APIVersion
	}
	for _, r := range all {
		if r.Group == group && r.Kind == m.Kind && r.Serves(version) {
			r.Version = version
			return r, nil
		}
	}
	return client.Resource{}, fmt.Errorf("the server serves no kind %s in %s", m.Kind, m.APIVersion)
}

// In returns the key of the manifest's object; namespace is the default for a namespaced resource.
func (m *Manifest) In(of client.Resource, namespace string) client.Key {
	k := client.Key{Name: m.Name}
	if of.Namespaced {
		k.Namespace = namespace
		if m.Namespace != "" {
			k.Namespace = m.Namespace
		}
	}
	return k
}

// Join joins the texts of manifests.
func Join(ms []Manifest) []byte {
	var texts []string
	for _, m := range ms {
		texts = append(texts, m.text)
	}
	return []byte(strings.Join(texts, "---\n"))
}

// Text returns an object for the editor: YAML without its managedFields.
func Text(obj []byte) ([]byte, error) {
	return yaml.JSONToYAML(object.WithMetadata(obj,
		func(meta map[string]json.RawMessage) { delete(meta, "managedFields") }))
}

// Commented puts lines before a text as comments, and removes all other comment lines.
func Commented(lines []string, text []byte) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		for part := range strings.SplitSeq(strings.TrimRight(l, "\n"), "\n") {
			b.WriteString(strings.TrimRight("# "+part, " ") + "\n")
		}
	}
	b.Write(uncommented(text))
	return b.Bytes()
}

// uncommented removes the lines that begin with #. Values contain no such lines, since they are indented.
func uncommented(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if line[0] != '#' {
			out = append(out, line...)
		}
	}
	return out
}

// Blank reports whether a text has only comments.
func Blank(text []byte) bool { return len(bytes.TrimSpace(uncommented(text))) == 0 }

// Unchanged reports whether two texts are equal apart from comments.
func Unchanged(a, b []byte) bool {
	return bytes.Equal(bytes.TrimSpace(uncommented(a)), bytes.TrimSpace(uncommented(b)))
}
