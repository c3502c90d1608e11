package admission

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	"kubarium/flow"
)

// changes are the fields in which an object differs from what it was before, as its version names them:
// "spec.tolerations", "metadata.labels.app", with their values. A list that only became longer is shown by the items
// added to it, "spec.containers[1]".
func changes(before, after runtime.Object, a admission.Attributes, o admission.ObjectInterfaces) []flow.FieldChange {
	was, err := served(before, a, o)
	if err != nil {
		return nil
	}
	is, err := served(after, a, o)
	if err != nil {
		return nil
	}
	var d diff
	d.objects("", was, is)
	return d
}

// paths are the fields of changes, each once: a list that became longer is one field.
func paths(all []flow.FieldChange) []string {
	var told []string
	for _, c := range all {
		path := c.Path
		if i := strings.LastIndexByte(path, '['); c.Before == nil && strings.HasSuffix(path, "]") && i >= 0 {
			path = path[:i]
		}
		if !slices.Contains(told, path) {
			told = append(told, path)
		}
	}
	return told
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

// A diff collects differences, at most flow.MaxChanges fields.
type diff []flow.FieldChange

// objects compares two objects at the same path.
func (d *diff) objects(at string, was, is map[string]any) {
	keys := maps.Clone(was)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		path := key
		if at != "" {
			path = at + "." + key
		}
		before, had := was[key]
		after, has := is[key]
		if had && has && reflect.DeepEqual(before, after) {
			continue
		}
		d.values(path, before, after, had, has)
	}
}

func (d *diff) values(path string, before, after any, had, has bool) {
	below, ok := before.(map[string]any)
	beside, also := after.(map[string]any)
	if ok && also {
		d.objects(path, below, beside)
		return
	}
	shorter, ok := before.([]any)
	longer, also := after.([]any)
	if ok && also && len(shorter) < len(longer) && reflect.DeepEqual(shorter, longer[:len(shorter)]) {
		for i := len(shorter); i < len(longer); i++ {
			d.add(path+"["+strconv.Itoa(i)+"]", nil, longer[i], false, true)
		}
		return
	}
	d.add(path, before, after, had, has)
}

func (d *diff) add(path string, before, after any, had, has bool) {
	if len(*d) == flow.MaxChanges {
		return
	}
	c := flow.FieldChange{Path: path}
	if had {
		c.Before = value(before, &c.Cut)
	}
	if has {
		c.After = value(after, &c.Cut)
	}
	*d = append(*d, c)
}

// value is a value as JSON text, its first bytes where it is long.
func value(v any, cut *bool) flow.Bytes {
	text, err := json.Marshal(v)
	if err != nil {
		return flow.Bytes("null")
	}
	if len(text) > flow.MaxChangeValue {
		*cut = true
		text = slices.Clone(text[:flow.MaxChangeValue])
	}
	return text
}
