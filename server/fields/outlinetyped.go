package fields

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// object notes a whole object of a Go type, whose members are called as in Go with a small first letter.
func (o *outline) object(v reflect.Value) {
	o.shape = append(o.shape, markMap)
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case o.left != "" && strings.EqualFold(v.Type().Field(i).Name, o.left):
		case f.Type() == metaType:
			o.number(true, uint64(i))
			o.metadata(f)
		case f.Type() != kindType && !f.IsZero():
			o.number(true, uint64(i))
			o.value(f, false)
		}
	}
	o.shape = append(o.shape, markEnd)
}

// metadata notes those fields of an object's metadata that may have owners.
func (o *outline) metadata(v reflect.Value) {
	o.shape = append(o.shape, markMap)
	for i := range v.NumField() {
		if f := v.Field(i); !ownerless[i] && !f.IsZero() {
			o.number(true, uint64(i))
			o.value(f, false)
		}
	}
	o.shape = append(o.shape, markEnd)
}

// ownerless are the fields of metadata that have no owners, by their numbers.
var ownerless = func() []bool {
	is := make([]bool, metaType.NumField())
	for i := range is {
		name := metaType.Field(i).Name
		is[i] = slices.ContainsFunc(unownedMetadata, func(unowned string) bool { return strings.EqualFold(unowned, name) })
	}
	return is
}()

// members notes those members of a structure that are not empty, by their numbers.
func (o *outline) members(v reflect.Value, within bool) {
	o.shape = append(o.shape, markMap)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			o.number(true, uint64(i))
			o.value(f, within)
		}
	}
	o.shape = append(o.shape, markEnd)
}

// value notes a value of a Go type. within says that it is in a list.
func (o *outline) value(v reflect.Value, within bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			o.shape = append(o.shape, markNull)
			return
		}
		o.shape = append(o.shape, markPointer)
		o.value(v.Elem(), within)
	case reflect.Struct:
		switch sortOf(v.Type()) {
		case moment:
			t := v.Field(0).Interface().(time.Time)
			o.number(within, uint64(t.Unix()))
			o.number(within, uint64(t.Nanosecond()))
		case opaque:
			o.opaque(v.Interface())
		default:
			o.members(v, within)
		}
	case reflect.Map:
		o.entries(v, within)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			o.scalar(within, string(v.Bytes()))
			return
		}
		o.shape = binary.AppendUvarint(append(o.shape, markList), uint64(v.Len()))
		for i := range v.Len() {
			o.value(v.Index(i), true)
		}
	case reflect.String:
		o.scalar(within, v.String())
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		o.number(within, n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		o.number(within, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		o.number(within, v.Uint())
	case reflect.Float32, reflect.Float64:
		o.number(within, math.Float64bits(v.Float()))
	default:
		o.opaque(v.Interface())
	}
}

// entries notes a map, in the order of its keys.
func (o *outline) entries(v reflect.Value, within bool) {
	if v.Type().Key().Kind() != reflect.String {
		o.opaque(v.Interface())
		return
	}
	if texts, ok := v.Interface().(map[string]string); ok {
		o.texts(texts, within)
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	o.shape = binary.AppendUvarint(append(o.shape, markMap), uint64(len(keys)))
	for _, k := range keys {
		o.shape = sized(o.shape, k.String())
		o.value(v.MapIndex(k), within)
	}
}

// texts is entries for the map that nearly all are: reflection would copy each key and value.
func (o *outline) texts(all map[string]string, within bool) {
	keys := slices.AppendSeq(make([]string, 0, len(all)), maps.Keys(all))
	slices.Sort(keys)
	o.shape = binary.AppendUvarint(append(o.shape, markMap), uint64(len(keys)))
	for _, k := range keys {
		o.shape = sized(o.shape, k)
		o.scalar(within, all[k])
	}
}

// A sort says how structures of a type are outlined.
type sort byte

const (
	plain  sort = iota
	moment      // a time
	opaque      // it encodes itself
)

var (
	kindType      = reflect.TypeFor[metav1.TypeMeta]()
	metaType      = reflect.TypeFor[metav1.ObjectMeta]()
	timeType      = reflect.TypeFor[metav1.Time]()
	microTimeType = reflect.TypeFor[metav1.MicroTime]()
	written       = [...]reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[value.UnstructuredConverter]()}
)

var sorts sync.Map // of reflect.Type

func sortOf(t reflect.Type) sort {
	if known, ok := sorts.Load(t); ok {
		return known.(sort)
	}
	s := plain
	switch {
	case t == timeType || t == microTimeType:
		s = moment
	case slices.ContainsFunc(written[:], func(as reflect.Type) bool { return t.Implements(as) || reflect.PointerTo(t).Implements(as) }):
		s = opaque
	}
	sorts.Store(t, s)
	return s
}
