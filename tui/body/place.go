package body

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"kubarium/scenarios/expr"
)

// A Place is where a field is among the Lines of a body.
type Place struct {
	Line    int    // from 0
	Text    string // of that line, without its indentation
	Value   string // the field's, as lessons write it; "" if it is missing, or an object or a list
	Missing bool   // the body has no such field, and Line is that of the nearest object around it
}

// Find returns the place of the field at a path, as lessons write it (expr.Lookup), in a body that is shown as JSON or
// YAML; false if the body is no object.
func Find(b []byte, f Format, path string) (Place, bool) {
	text, form := textOf(b, f)
	var doc yaml.Node
	var v any
	if form != JSON && form != YAML || yaml.Unmarshal(text, &doc) != nil || doc.Decode(&v) != nil {
		return Place{}, false
	}
	steps, all := expr.Steps(v, path)
	node := doc.Content[0]
	line := node.Line
	for _, s := range steps {
		node, line = expr.Child(node, s)
	}
	p := Place{Line: line - 1, Missing: !all}
	if all && node.Kind == yaml.ScalarNode {
		p.Value = node.Value
	}
	if lines := strings.Split(string(text), "\n"); p.Line < len(lines) {
		p.Text = strings.TrimSpace(lines[p.Line])
	}
	return p, true
}
