package customresource

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"
)

// maxVisits bounds how many values the columns of one object may visit together. Chains of ".." visit a value once for
// each way that leads to it, and client-go's JSONPath neither counts nor can be interrupted; it takes about 2 µs for
// each visit.
const maxVisits = 50_000

// maxPath bounds a column's path, in bytes; the time to read a JSONPath grows faster than its length.
const maxPath = 2000

// visits are the values that may still be visited.
type visits int

// spend takes n visits, and reports whether that many were left.
func (v *visits) spend(n int) bool {
	*v -= visits(n)
	return *v >= 0
}

// A columnPath is the path of a column, as client-go reads it; nil for one that is not evaluated.
type columnPath []jsonpath.Node

// parsePath reads the path of a column. One that is too long, or not one simple path, is not evaluated: evaluating
// "}{range" changes the path itself, which many requests use at once.
func parsePath(c apiextensionsv1.CustomResourceColumnDefinition) columnPath {
	if len(c.JSONPath) > maxPath {
		return nil
	}
	parsed, err := jsonpath.Parse(c.Name, "{"+c.JSONPath+"}")
	if err != nil || len(parsed.Root.Nodes) != 1 {
		return nil
	}
	path, ok := parsed.Root.Nodes[0].(*jsonpath.ListNode)
	if !ok || hasIdentifier(path.Nodes) {
		return nil
	}
	return path.Nodes
}

// evaluated returns the column, with another path if its own is too long to read.
func evaluated(c apiextensionsv1.CustomResourceColumnDefinition) apiextensionsv1.CustomResourceColumnDefinition {
	if len(c.JSONPath) > maxPath {
		c.JSONPath = "."
	}
	return c
}

func hasIdentifier(nodes []jsonpath.Node) bool {
	for _, n := range nodes {
		switch n := n.(type) {
		case *jsonpath.IdentifierNode:
			return true
		case *jsonpath.FilterNode:
			if hasIdentifier(n.Left.Nodes) || hasIdentifier(n.Right.Nodes) {
				return true
			}
		case *jsonpath.UnionNode:
			for _, l := range n.Nodes {
				if hasIdentifier(l.Nodes) {
					return true
				}
			}
		}
	}
	return false
}

// affordable reports whether the path can be evaluated in an object, and the value printed, with the visits that are
// left; it takes those that this costs at most. It walks as the evaluation would, except that all
// elements pass filters.
func (p columnPath) affordable(u *unstructured.Unstructured, left *visits) bool {
	if p == nil {
		return false
	}
	objects := []any{u.Object}
	if u.IsList() { // an object with a member "items" is shown as the first item
		objects = objects[:0]
		_ = u.EachListItem(func(item runtime.Object) error {
			objects = append(objects, item.(*unstructured.Unstructured).Object)
			return nil
		})
	}
	for _, o := range objects {
		found, ok := left.walk([]any{o}, p)
		if !ok {
			return false
		}
		for _, value := range found {
			if !left.print(value) {
				return false
			}
		}
	}
	return true
}

// walk follows nodes from values, and returns the values that they may lead to; false once there are no visits left.
func (v *visits) walk(values []any, nodes []jsonpath.Node) (found []any, ok bool) {
	if !v.spend(len(nodes)) {
		return nil, false
	}
	for _, n := range nodes {
		if values, ok = v.step(values, n); !ok {
			return nil, false
		}
	}
	return values, true
}

func (v *visits) step(values []any, n jsonpath.Node) (found []any, ok bool) {
	if !v.spend(len(values)) {
		return nil, false
	}
	switch n := n.(type) {
	case *jsonpath.ListNode:
		return v.walk(values, n.Nodes)
	case *jsonpath.UnionNode:
		for _, l := range n.Nodes {
			more, ok := v.walk(values, l.Nodes)
			if !ok || !v.spend(len(more)) {
				return nil, false
			}
			found = append(found, more...)
		}
		return found, true
	}
	for _, value := range values {
		switch n := n.(type) {
		case *jsonpath.FieldNode:
			if m, isMap := value.(map[string]any); isMap {
				if member, has := m[n.Value]; has {
					found = append(found, member)
				}
			}
			ok = true
		case *jsonpath.ArrayNode:
			found, ok = v.elements(found, value, n.Params)
		case *jsonpath.WildcardNode:
			found, ok = v.children(found, value)
		case *jsonpath.RecursiveNode:
			found, ok = v.descendants(found, value)
		case *jsonpath.FilterNode:
			found, ok = v.filter(found, value, n)
		default: // a constant
			found, ok = append(found, nil), true
		}
		if !ok {
			return nil, false
		}
	}
	return found, true
}

// elements adds one element of a list, or all for a slice.
func (v *visits) elements(found []any, value any, params [3]jsonpath.ParamsEntry) ([]any, bool) {
	list, isList := value.([]any)
	if !isList {
		return found, true
	}
	if from, to := params[0], params[1]; from.Known && to.Derived {
		at := from.Value
		if at < 0 {
			at += len(list)
		}
		if at >= 0 && at < len(list) {
			found = append(found, list[at])
		}
		return found, true
	}
	return append(found, list...), v.spend(len(list))
}

// children adds the members of a map or a list. A string has one for each of its bytes.
func (v *visits) children(found []any, value any) ([]any, bool) {
	switch value := value.(type) {
	case map[string]any:
		if !v.spend(len(value)) {
			return nil, false
		}
		for _, member := range value {
			found = append(found, member)
		}
	case []any:
		return append(found, value...), v.spend(len(value))
	case string:
		return found, v.spend(len(value))
	}
	return found, true
}

// descendants adds a value and all below it that have children.
func (v *visits) descendants(found []any, value any) ([]any, bool) {
	children, ok := v.children(nil, value)
	if text, isString := value.(string); isString && text != "" {
		return append(found, value), ok
	}
	if !ok || len(children) == 0 {
		return found, ok
	}
	found = append(found, value)
	for _, child := range children {
		if found, ok = v.descendants(found, child); !ok {
			return nil, false
		}
	}
	return found, true
}

// filter adds all elements of a list, and counts the cost of testing each. A value that is not a list is printed
// into an error.
func (v *visits) filter(found []any, value any, n *jsonpath.FilterNode) ([]any, bool) {
	list, isList := value.([]any)
	if !isList {
		return found, v.print(value)
	}
	for _, element := range list {
		for _, side := range []*jsonpath.ListNode{n.Left, n.Right} {
			if _, ok := v.walk([]any{element}, side.Nodes); !ok {
				return nil, false
			}
		}
	}
	return append(found, list...), v.spend(len(list))
}

// print counts a value that is written as text: that of a byte takes a hundredth of a visit.
func (v *visits) print(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if !v.spend(1+len(key)/100) || !v.print(member) {
				return false
			}
		}
	case []any:
		for _, element := range value {
			if !v.print(element) {
				return false
			}
		}
	case string:
		return v.spend(1 + len(value)/100)
	}
	return v.spend(1)
}
