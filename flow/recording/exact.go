package recording

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"kubarium/flow"
)

// inexact returns the texts of a flow that are not UTF-8, by their JSON pointers. Texts of its watch and Bytes have
// their own form in JSON.
func inexact(f *flow.Flow) map[string][]byte {
	found := map[string][]byte{}
	visit(reflect.ValueOf(f).Elem(), "", func(at string, text reflect.Value) {
		if s := text.String(); !utf8.ValidString(s) {
			found[at] = []byte(s)
		}
	})
	return found
}

// restore puts the original bytes back.
func restore(f *flow.Flow, exact map[string][]byte) error {
	if len(exact) == 0 {
		return nil
	}
	left := len(exact)
	visit(reflect.ValueOf(f).Elem(), "", func(at string, text reflect.Value) {
		if b, ok := exact[at]; ok && text.CanSet() {
			text.SetString(string(b))
			left--
		}
	})
	if left > 0 {
		return fmt.Errorf("not a line of a recording: %d of the exact texts have no place in it", left)
	}
	return nil
}

// visit calls fn with each string that is a string in JSON. Those in maps cannot be set.
func visit(v reflect.Value, at string, fn func(at string, text reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		fn(at, v)
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), at, fn)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			visit(v.Index(i), at+"/"+strconv.Itoa(i), fn)
		}
	case reflect.Map:
		visitMap(v, at, fn)
	case reflect.Struct:
		for i := range v.NumField() {
			if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != "" {
				visit(v.Field(i), at+"/"+name, fn)
			} else if v.Type().Field(i).Anonymous {
				visit(v.Field(i), at, fn)
			}
		}
	}
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// visitMap visits the values of a map with string keys: copies, which replace them if fn changes them.
func visitMap(m reflect.Value, at string, fn func(at string, text reflect.Value)) {
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		was := value.Interface()
		visit(value, at+"/"+pointer.Replace(key.String()), fn)
		if value.Kind() == reflect.String && value.Interface() != was {
			m.SetMapIndex(key, value)
		}
	}
}
