package kinds

import "reflect"

// internalForm makes of a value what Kubernetes shows of it in an error: its internal types have the same fields, but no
// JSON names, and leave nothing out. The value must hold no maps.
func internalForm(value any) any {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return internalForm(v.Elem().Interface())
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = internalForm(v.Index(i).Interface())
		}
		return list
	case reflect.Struct:
		return internalStruct(v)
	}
	return value
}

func internalStruct(v reflect.Value) any {
	fields := make([]reflect.StructField, v.NumField())
	for i := range fields {
		fields[i] = reflect.StructField{Name: v.Type().Field(i).Name, Type: reflect.TypeFor[any]()}
	}
	shown := reflect.New(reflect.StructOf(fields)).Elem()
	for i := range fields {
		if member := internalForm(v.Field(i).Interface()); member != nil {
			shown.Field(i).Set(reflect.ValueOf(member))
		}
	}
	return shown.Interface()
}
