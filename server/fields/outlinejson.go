package fields

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// document notes a whole object that has no Go type.
func (o *outline) document(object map[string]any) {
	o.shape = append(o.shape, markMap)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		metadata, ok := object[key].(map[string]any)
		switch {
		case key == "apiVersion" || key == "kind" || key == o.left:
		case key == "metadata" && ok:
			rest := maps.Clone(metadata)
			for _, name := range unownedMetadata {
				delete(rest, name)
			}
			o.shape = sized(o.shape, key)
			o.any(rest, false)
		default:
			o.shape = sized(o.shape, key)
			o.any(object[key], false)
		}
	}
	o.shape = append(o.shape, markEnd)
}

// any notes a value as JSON has it.
func (o *outline) any(v any, within bool) {
	switch v := v.(type) {
	case nil:
		o.shape = append(o.shape, markNull)
	case map[string]any:
		o.shape = binary.AppendUvarint(append(o.shape, markMap), uint64(len(v)))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o.shape = sized(o.shape, key)
			o.any(v[key], within)
		}
	case []any:
		o.shape = binary.AppendUvarint(append(o.shape, markList), uint64(len(v)))
		for _, item := range v {
			o.any(item, true)
		}
	case string:
		o.scalar(within, v)
	case int64:
		o.number(within, uint64(v))
	case float64:
		o.number(within, math.Float64bits(v))
	default:
		o.opaque(v)
	}
}
