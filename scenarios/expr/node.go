package expr

import "go.yaml.in/yaml/v3"

// Child is the node to which one of Steps leads from a node of YAML, and the number of the line on which its key or its
// item begins, from 1.
func Child(n *yaml.Node, step any) (*yaml.Node, int) {
	if i, ok := step.(int); ok {
		return n.Content[i], n.Content[i].Line
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == step {
			return n.Content[i+1], n.Content[i].Line
		}
	}
	return n, n.Line
}
