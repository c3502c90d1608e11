package main

import (
	"math/rand/v2"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// likely are values that a field of the type may have, for fields that no seed has, and besides those of the seeds.
var likely = map[reflect.Type][]any{
	reflect.TypeFor[resource.Quantity]():  {"1", "100m", "1Gi", "2Ki", 3, "1500m", "0.5"},
	reflect.TypeFor[metav1.Time]():        {"2021-01-02T03:04:05Z", "2022-01-02T03:04:05+02:00", nil},
	reflect.TypeFor[metav1.MicroTime]():   {"2021-01-02T03:04:05.123456Z", "2022-01-02T03:04:05.000000Z"},
	reflect.TypeFor[metav1.Duration]():    {"5s", "1h0m0s"},
	reflect.TypeFor[intstr.IntOrString](): {1, 8080, "http", "50%", 2},
	reflect.TypeFor[runtime.RawExtension](): {
		map[string]any{"apiVersion": "example.com/v1", "kind": "Params", "a": 1}, map[string]any{"b": []any{2}}},
	reflect.TypeFor[metav1.FieldsV1]():                              {map[string]any{"f:metadata": map[string]any{}}},
	reflect.TypeFor[apiextensionsv1.JSON]():                         {1, "red", nil, map[string]any{"a": 1}, []any{}},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        {true, false, map[string]any{"type": "string"}},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       {map[string]any{"type": "string"}, []any{map[string]any{"type": "string"}}},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): {[]any{"a"}, map[string]any{"type": "string"}},
}

// edges are values at and beyond the bounds of a type.
var edges = map[reflect.Type][]any{
	reflect.TypeFor[resource.Quantity]():    {"0", "-1", "1.5", "1n", "1E", "0.0001m", "", "abc", 0, "1e3", "12345678901234567890"},
	reflect.TypeFor[metav1.Time]():          {"0001-01-01T00:00:01Z", "2020-01-02T03:04:05.999Z", "yesterday", ""},
	reflect.TypeFor[metav1.MicroTime]():     {"0001-01-01T00:00:01Z", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05.123456789Z", "yesterday"},
	reflect.TypeFor[metav1.Duration]():      {"0s", "-5s", "", "5"},
	reflect.TypeFor[intstr.IntOrString]():   {0, -1, 65535, 65536, "", "UPPER", "101%", "-5%", "a_b", "http-and-much-longer", "1"},
	reflect.TypeFor[runtime.RawExtension](): {map[string]any{}, nil, "text", 1},
	reflect.TypeFor[metav1.FieldsV1]():      {map[string]any{}, map[string]any{"x": 1}, nil},
	reflect.TypeFor[apiextensionsv1.JSON](): {map[string]any{}, "", -1},
}

// texts are values of plain strings, by parts of the field's name; the first that fits is taken.
var texts = []struct {
	part   string
	values []any
}{
	{"expression", []any{"true", "object.metadata.name == 'a'", "1 + 1", "object.", "has(object.spec)"}},
	{"clusterip", []any{"10.96.0.9", "None", "10.97.0.1", "2001:db8::1"}},
	{"cidr", []any{"10.0.0.0/8", "10.0.0.1/8", "2001:db8::/64", "10.0.0.0/33"}},
	{"namespace", []any{"default", "kube-system", "other"}},
	{"path", []any{"/a", "a/b", "/", "../a", "/a/../b", "a"}},
	{"url", []any{"https://example.com/a", "http://example.com", "https://user@example.com?x=1#y", "example.com"}},
	{"apiversion", []any{"v1", "apps/v1", "a/b/c"}},
	{"message", []any{"some text", "two\nlines"}},
	{"reason", []any{"Reason", "not a reason", "TooMany"}},
	{"address", []any{"10.1.2.3", "2001:db8::1", "127.0.0.1", "010.1.2.3", "host"}},
	{"ip", []any{"10.1.2.3", "2001:db8::1", "127.0.0.1", "0.0.0.0", "010.1.2.3", "fe80::1"}},
	{"driver", []any{"csi.example.com", "gpu.example.com"}},
	{"zone", []any{"zone-a"}},
	{"operator", []any{"In", "NotIn", "Exists", "DoesNotExist", "Gt"}},
	{"status", []any{"True", "False", "Unknown"}},
	{"key", []any{"app", "example.com/key", "a.b"}},
	{"name", []any{"web", "a.example.com", "web-1"}},
}

// plain are values of strings of which nothing is known.
var plain = []any{"web", "a", "example.com", "example.com/a", "True", "v1"}

// oddTexts are strings that most rules refuse somewhere.
var oddTexts = []any{
	"", " ", "UPPER", "with space", "-dash", "dash-", "NoSuch", "a/b", "a..b", "a_b", "é", "0", "1.2.3", "*", "a=b", "a\nb", "%41",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("b", 254), strings.Repeat("c", 1025), strings.Repeat("a.", 60) + "b",
	"example.com/a/b", "kubernetes.io/a", "k8s.io/a", "x.kubernetes.io/a", "/a", "a:b", "[::1]", "10.0.0.1",
}

// likelyValue makes a value of the type by what is known of the field's name and type alone.
func likelyValue(r *rand.Rand, f field, t reflect.Type) any {
	if values, ok := likely[t]; ok {
		return clone(choose(r, values))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return likelyValue(r, f, t.Elem())
	case reflect.Bool:
		return r.IntN(2) == 0
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return choose(r, []any{1, 2, 5, 10, 80, 1000})
	case reflect.Float64:
		return choose(r, []any{1, 2, 0.5})
	case reflect.String:
		return likelyText(r, f)
	case reflect.Map:
		return map[string]any{choose(r, []string{"app", "cpu", "example.com/a"}): likelyValue(r, f, t.Elem())}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return choose(r, []any{"AAEC", "YQ=="})
		}
		return []any{likelyValue(r, f, t.Elem())}
	}
	return map[string]any{}
}

func likelyText(r *rand.Rand, f field) any {
	for _, t := range texts {
		if strings.Contains(strings.ToLower(f.name), t.part) {
			return choose(r, t.values)
		}
	}
	return choose(r, plain)
}

// edgeValue makes a value at or beyond the bounds of the type.
func edgeValue(r *rand.Rand, f field, t reflect.Type) any {
	if values, ok := edges[t]; ok {
		return clone(choose(r, values))
	}
	if r.IntN(20) == 0 {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return edgeValue(r, f, t.Elem())
	case reflect.Bool:
		return r.IntN(2) == 0
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return choose(r, []any{0, 0, -1, 1, 2, 100, 101, 65535, 65536, 3601, 2147483647, -2147483648, 2147483648})
	case reflect.Float64:
		return choose(r, []any{0, -1, 1e300})
	case reflect.String:
		return choose(r, oddTexts)
	case reflect.Map:
		return choose(r, []any{map[string]any{}, map[string]any{choose(r, oddTexts).(string): likelyValue(r, f, t.Elem())},
			map[string]any{"a": edgeValue(r, f, t.Elem())}})
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return choose(r, []any{"", "AA", "AA==", "!!"})
		}
		return choose(r, []any{[]any{}, []any{edgeValue(r, f, t.Elem())}, []any{likelyValue(r, f, t.Elem()), edgeValue(r, f, t.Elem())}})
	}
	return map[string]any{}
}
