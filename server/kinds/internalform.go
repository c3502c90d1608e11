package kinds

import (
	"reflect"
	"strings"
)

// internalForm makes of a value what Kubernetes shows of it in an error: its internal types have the same fields as those
// of the API, but no JSON names, and leave nothing out. Types that are not of an API group are shown as they are.
func internalForm(value any) any {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return internalForm(v.Elem().Interface())
	case reflect.Slice:
		return internalSlice(v)
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "" || strings.HasPrefix(v.Type().PkgPath(), "k8s.io/api/") {
			return internalStruct(v)
		}
	}
	return value
}

func internalSlice(v reflect.Value) any {
	if v.IsNil() {
		return nil
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return v.Interface()
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = internalForm(v.Index(i).Interface())
	}
	return list
}

// internalStruct shows the fields of an embedded struct among those of the struct itself, as JSON does.
func internalStruct(v reflect.Value) any {
	var fields []reflect.StructField
	var members []any
	collect(v, func(f reflect.StructField, member any) {
		fields = append(fields, reflect.StructField{Name: f.Name, Tag: f.Tag, Type: reflect.TypeFor[any]()})
		members = append(members, member)
	})
	shown := reflect.New(reflect.StructOf(fields)).Elem()
	for i, member := range members {
		if member != nil {
			shown.Field(i).Set(reflect.ValueOf(member))
		}
	}
	return shown.Interface()
}

// collect adds the fields of an API struct without their tags. Metadata keeps its tags in Kubernetes too, and what it
// leaves empty is not shown.
func collect(v reflect.Value, add func(f reflect.StructField, member any)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Anonymous && strings.HasPrefix(f.Type.PkgPath(), "k8s.io/api/"):
			collect(v.Field(i), add)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			collectSet(v.Field(i), add)
		default:
			add(reflect.StructField{Name: f.Name}, internalForm(v.Field(i).Interface()))
		}
	}
}

func collectSet(v reflect.Value, add func(f reflect.StructField, member any)) {
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			add(v.Type().Field(i), v.Field(i).Interface())
		}
	}
}
