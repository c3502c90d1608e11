package customresource

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"
)

// fieldNames are the fields that selectors of a version may name besides the metadata: its selectableFields.
func (v *version) fieldNames() []string {
	var names []string
	for _, f := range v.SelectableFields {
		names = append(names, strings.TrimPrefix(f.JSONPath, "."))
	}
	return names
}

// selectable gives the fields that selectors of any version ask for, by their names; nil where none states any.
func (k *kind) selectable() func(runtime.Object) fields.Set {
	paths := map[string]*jsonpath.JSONPath{}
	for _, v := range k.versions {
		for _, f := range v.SelectableFields {
			path := jsonpath.New("selectableField").AllowMissingKeys(true)
			if path.Parse("{"+f.JSONPath+"}") == nil { // the definition's own check refuses others
				paths[strings.TrimPrefix(f.JSONPath, ".")] = path
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return func(obj runtime.Object) fields.Set {
		set := make(fields.Set, len(paths))
		for name, path := range paths {
			set[name] = valueAt(path, obj.(*unstructured.Unstructured))
		}
		return set
	}
}

// valueAt is the one value at a path as text; "" if there is none.
func valueAt(path *jsonpath.JSONPath, u *unstructured.Unstructured) string {
	found, err := path.FindResults(u.Object)
	if err != nil || len(found) != 1 || len(found[0]) != 1 {
		return ""
	}
	value := found[0][0].Interface()
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
