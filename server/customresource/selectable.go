package customresource

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"
)

// selectable gives what field selectors may ask for: the version's selectableFields. Both are nil where it states none.
func (v *version) selectable() (func(runtime.Object) fields.Set, []string) {
	var names []string
	var paths []*jsonpath.JSONPath
	for _, f := range v.SelectableFields {
		path := jsonpath.New("selectableField").AllowMissingKeys(true)
		if path.Parse("{"+f.JSONPath+"}") != nil {
			continue // the definition's own check has refused such a path
		}
		names, paths = append(names, strings.TrimPrefix(f.JSONPath, ".")), append(paths, path)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return func(obj runtime.Object) fields.Set {
		set := make(fields.Set, len(names))
		for i, path := range paths {
			set[names[i]] = valueAt(path, obj.(*unstructured.Unstructured))
		}
		return set
	}, names
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
