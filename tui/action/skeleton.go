package action

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/tui/client"
)

// Skeleton returns the beginning of a manifest: type, name, and the required fields of a resource, from the server's
// OpenAPI document of its group. Without the document it has only type and name.
func Skeleton(document []byte, of client.Resource, namespace string) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: " + of.GroupVersion() + "\nkind: " + of.Kind + "\nmetadata:\n  name: \"\"\n")
	if namespace != "" {
		b.WriteString("  namespace: " + namespace + "\n")
	}
	var d schemas
	if json.Unmarshal(document, &d) != nil {
		return b.Bytes()
	}
	s := d.kind(of)
	if s == nil {
		return b.Bytes()
	}
	for _, name := range s.fields() {
		text, err := yaml.Marshal(map[string]any{name: d.example(s.Properties[name], name, 0)})
		if err == nil {
			b.Write(text)
		}
	}
	return b.Bytes()
}

// schemas are the kinds of a group, with the parts needed for a manifest.
type schemas struct {
	Components struct{ Schemas map[string]*schema }
}

// A schema is one of them, or a part of it.
type schema struct {
	Ref        string `json:"$ref"`
	AllOf      []*schema
	Type       string
	Properties map[string]*schema
	Items      *schema
	Required   []string
	Enum       []any
	Kinds      []struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
}

// kind returns the schema of a resource's objects, nil if there is none.
func (d *schemas) kind(of client.Resource) *schema {
	for _, s := range d.Components.Schemas {
		for _, k := range s.Kinds {
			if k.Group == of.Group && k.Version == of.Version && k.Kind == of.Kind && len(s.Kinds) == 1 {
				return s
			}
		}
	}
	return nil
}

// fields are the properties that a manifest begins with: required ones, and those that most objects have.
func (s *schema) fields() []string {
	var out []string
	for _, name := range []string{"spec", "data", "subjects", "roleRef", "rules"} {
		if s.Properties[name] != nil {
			out = append(out, name)
		}
	}
	for _, name := range s.Required {
		if !slices.Contains(out, name) && !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			out = append(out, name)
		}
	}
	return out
}

// resolve follows references.
func (d *schemas) resolve(s *schema) *schema {
	for range 10 {
		switch {
		case s == nil:
			return &schema{}
		case s.Ref != "":
			s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		case len(s.AllOf) == 1 && len(s.Properties) == 0:
			s = s.AllOf[0]
		default:
			return s
		}
	}
	return &schema{}
}

// mostDeep limits recursive schemas.
const mostDeep = 8

// example returns a value with all required fields, which are empty if they have no obvious value.
func (d *schemas) example(s *schema, name string, deep int) any {
	s = d.resolve(s)
	if deep > mostDeep {
		return nil
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "array":
		if item := d.example(s.Items, name, deep+1); !empty(item) {
			return []any{item}
		}
		return []any{}
	case s.Type == "integer" || s.Type == "number":
		return 0
	case s.Type == "boolean":
		return false
	case s.Type == "string":
		return ""
	}
	out := map[string]any{}
	for _, field := range s.Required {
		out[field] = d.example(s.Properties[field], field, deep+1)
	}
	if s.Properties["metadata"] != nil && s.Properties["spec"] != nil { // a template
		out["metadata"] = map[string]any{"labels": map[string]any{}}
		out["spec"] = d.example(s.Properties["spec"], "spec", deep+1)
	}
	if s.Properties["matchLabels"] != nil {
		out["matchLabels"] = map[string]any{}
	}
	return out
}

// empty reports whether an example has no content.
func empty(v any) bool {
	m, ok := v.(map[string]any)
	return v == nil || v == "" || ok && len(m) == 0
}
