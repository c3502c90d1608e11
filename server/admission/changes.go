package admission

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
)

// maxChanges is how many changed fields of an object are told.
const maxChanges = 64

// changes are the paths of the fields in which an object differs from what it was before, as its version names them:
// "spec.tolerations", "metadata.labels.app". A list is one field.
func changes(before, after runtime.Object, a admission.Attributes, o admission.ObjectInterfaces) []string {
	was, err := served(before, a, o)
	if err != nil {
		return nil
	}
	is, err := served(after, a, o)
	if err != nil {
		return nil
	}
	var paths []string
	compare("", was, is, &paths)
	return paths
}

// served is the object as clients see it.
func served(obj runtime.Object, a admission.Attributes, o admission.ObjectInterfaces) (map[string]any, error) {
	if u, ok := obj.(runtime.Unstructured); ok {
		return u.UnstructuredContent(), nil
	}
	versioned, err := o.GetObjectConvertor().ConvertToVersion(obj, a.GetKind().GroupVersion())
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

// compare collects the paths, below at, of what differs.
func compare(at string, was, is map[string]any, paths *[]string) {
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if len(*paths) == maxChanges || reflect.DeepEqual(was[key], is[key]) {
			continue
		}
		path := key
		if at != "" {
			path = at + "." + key
		}
		below, ok := was[key].(map[string]any)
		beside, also := is[key].(map[string]any)
		if ok && also {
			compare(path, below, beside, paths)
			continue
		}
		*paths = append(*paths, path)
	}
}
