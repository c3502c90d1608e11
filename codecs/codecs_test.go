package codecs_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

var configMap = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// The recorded answers to bodies that are no ConfigMap, or not quite.
func TestDecode_BadBody(t *testing.T) {
	cases := []struct {
		name  string
		codec *codecs.Codec
		body  string
		v     codecs.Validation
		want  string
	}{
		{"empty", codecs.JSON, ``, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`},
		{"cut", codecs.JSON, `{"apiVersion":`, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"apiVersion":)`},
		{"no JSON", codecs.JSON, `hello`, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (68656c6c6f)`},
		{"array", codecs.JSON, `[]`, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d)`},
		{"trailing", codecs.JSON, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}} x`, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'x' after top-level value ({"apiVersion":"v1","kind":"Con ...)`},
		{"byte order mark", codecs.JSON, "\ufeff" + `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`, codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'ï' looking for beginning of value (efbbbf7b2261706956657273696f6e223a227631222c226b696e64223a22 ...)`},
		{"wrong type", codecs.YAML, "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: 1\n", codecs.Warn, `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string`},
		{"malformed YAML", codecs.YAML, "a: [b\n c: }", codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: did not find expected ',' or ']' (613a205b620a20633a207d)`},
		{"scalar YAML", codecs.YAML, "just text", codecs.Warn, `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (6a7573742074657874)`},
		{"bad time", codecs.JSON, `{"metadata":{"creationTimestamp":"yesterday"}}`, codecs.Warn, `ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`},
		{"unknown kind", codecs.JSON, `{"apiVersion":"v1","kind":"Nonsense"}`, codecs.Warn, `Nonsense in version "v1" cannot be handled as a ConfigMap: no kind "Nonsense" is registered for version "v1" in scheme`},
		{"unknown version", codecs.JSON, `{"apiVersion":"v9","kind":"ConfigMap"}`, codecs.Warn, `ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v9" in scheme`},
		{"other kind", codecs.JSON, `{"apiVersion":"v1","kind":"Secret"}`, codecs.Warn, `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (v1.ConfigMap): unknown conversion`},
		{"strict", codecs.JSON, `{"metadata":{"name":"a","foo":"x"},"bar":1}`, codecs.Strict, `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", unknown field "bar"`},
		{"strict, duplicate", codecs.JSON, `{"metadata":{"name":"a","name":"a"},"data":{"k":"v","k":"w"}}`, codecs.Strict, `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.name", duplicate field "data.k"`},
		{"strict, letter case", codecs.JSON, `{"Data":{"k":"v"}}`, codecs.Strict, `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "Data"`},
		{"strict, YAML", codecs.YAML, "metadata:\n  name: a\n  foo: x\nbar: 1\n", codecs.Strict, `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bar", unknown field "metadata.foo"`},
		{"strict, duplicate in YAML", codecs.YAML, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n", codecs.Strict, "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key \"k\" already set in map"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, gvk, _, err := c.codec.Decode([]byte(c.body), configMap, &corev1.ConfigMap{}, c.v)
			if err == nil {
				t.Fatal("decoded")
			}
			err = codecs.DecodeError(err, gvk, "ConfigMap", []byte(c.body))
			if !apierrors.IsBadRequest(err) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// Under Warn everything is decoded and each fault is one warning; under Ignore there are none.
func TestDecode_Warnings(t *testing.T) {
	cases := []struct {
		name  string
		codec *codecs.Codec
		body  string
		want  []string
	}{
		{"unknown", codecs.JSON, `{"metadata":{"name":"a","foo":"x"},"data":{"k":"w"},"bar":1}`, []string{`unknown field "metadata.foo"`, `unknown field "bar"`}},
		{"duplicate", codecs.JSON, `{"metadata":{"name":"a","name":"a"},"data":{"k":"v","k":"w"}}`, []string{`duplicate field "metadata.name"`, `duplicate field "data.k"`}},
		{"duplicates in YAML", codecs.YAML, "metadata:\n  name: a\n  name: a\ndata:\n  k: v\n  k: w\n", []string{`line 3: key "name" already set in map`, `line 6: key "k" already set in map`}},
		{"clean", codecs.YAML, "metadata: {name: a}\ndata: {k: w}", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, v := range []codecs.Validation{codecs.Warn, codecs.Ignore} {
				obj, gvk, warnings, err := c.codec.Decode([]byte(c.body), configMap, &corev1.ConfigMap{}, v)
				if err != nil {
					t.Fatal(err)
				}
				if cm := obj.(*corev1.ConfigMap); cm.Name != "a" || cm.Data["k"] != "w" || gvk != configMap {
					t.Errorf("decoded %v as %v", cm, gvk)
				}
				if v == codecs.Warn && !reflect.DeepEqual(warnings, c.want) || v == codecs.Ignore && warnings != nil {
					t.Errorf("warnings under %d: %q", v, warnings)
				}
			}
		})
	}
}

// Bodies made to exhaust memory or stack are refused quickly.
func TestDecode_Bounded(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		a, b := string(rune('a'+i)), string(rune('a'+i-1))
		laughs += a + "0: &" + a + "0 [" + strings.Repeat("*"+b+"0,", 8) + "*" + b + "0]\n"
	}
	cases := map[string]struct {
		codec *codecs.Codec
		body  string
		want  string
	}{
		"JSON depth":   {codecs.JSON, `{"metadata":` + strings.Repeat(`{"a":`, 1_000_000), "exceeded max depth"},
		"JSON arrays":  {codecs.JSON, strings.Repeat("[", codecs.MaxBody), "exceeded max depth"},
		"YAML depth":   {codecs.YAML, strings.Repeat("[", 1_000_000), "exceeded max depth"},
		"YAML blocks":  {codecs.YAML, strings.Repeat("- ", 1_000_000), "exceeded max depth"},
		"YAML aliases": {codecs.YAML, laughs, "excessive aliasing"},
		"CBOR depth":   {codecs.CBOR, strings.Repeat("\x81", 1_000_000), "exceeded max nested level"},
		"CBOR length":  {codecs.CBOR, "\x9b\x00\x00\x00\xff\xff\xff\xff\xff", "exceeded max number of elements"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, _, _, err := c.codec.Decode([]byte(c.body), configMap, &corev1.ConfigMap{}, codecs.Warn)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %.200v, want %s", err, c.want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// A body with a million duplicate keys does not make an answer that is larger than itself.
func TestDecode_ManyFaults(t *testing.T) {
	body := []byte(strings.Repeat("a: 1\n", codecs.MaxMembers))
	_, _, warnings, err := codecs.YAML.Decode(body, configMap, &corev1.ConfigMap{}, codecs.Warn)
	if err != nil || len(warnings) != 100 {
		t.Errorf("%d warnings, %v", len(warnings), err)
	}
	_, _, _, err = codecs.YAML.Decode(body, configMap, &corev1.ConfigMap{}, codecs.Strict)
	if !runtime.IsStrictDecodingError(err) || len(err.Error()) > 10_000 {
		t.Errorf("an error of %d bytes, strict %v", len(err.Error()), runtime.IsStrictDecodingError(err))
	}
}

func TestRead(t *testing.T) {
	full := strings.Repeat("x", codecs.MaxBody)
	if data, err := codecs.Read(strings.NewReader(full), codecs.MaxBody); err != nil || string(data) != full {
		t.Errorf("a body of the greatest size: %d bytes, %v", len(data), err)
	}
	_, err := codecs.Read(strings.NewReader(full+"x"), -1)
	if !apierrors.IsRequestEntityTooLargeError(err) || err.Error() != "Request entity too large: limit is 3145728" {
		t.Errorf("one byte more: %v", err)
	}
	broken := errors.New("connection reset")
	if _, err := codecs.Read(&failing{broken}, 0); !errors.Is(err, broken) {
		t.Errorf("a broken connection: %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// Unstructured objects, as CustomResourceDefinitions and lessons use them, decode with the same validation.
func TestDecode_Unstructured(t *testing.T) {
	body := []byte(`{"apiVersion":"example.com/v1","kind":"Widget","spec":{"size":3,"size":4}}`)
	obj, gvk, warnings, err := codecs.JSON.Decode(body, schema.GroupVersionKind{}, &unstructured.Unstructured{}, codecs.Warn)
	if err != nil {
		t.Fatal(err)
	}
	size, _, _ := unstructured.NestedInt64(obj.(*unstructured.Unstructured).Object, "spec", "size")
	if size != 4 || gvk.Kind != "Widget" || len(warnings) != 1 {
		t.Errorf("got size %d of %v, warnings %q", size, gvk, warnings)
	}
}

// What is encoded decodes to the same object, in each encoding and form.
func TestEncode_RoundTrip(t *testing.T) {
	seconds, replicas := int64(30), int32(2)
	objects := []runtime.Object{
		&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"yes": "no", "1": "2"}}, Data: map[string]string{"k": "<&>\u2028", "n": "012"}, BinaryData: map[string][]byte{"b": {0, 255}}},
		&corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &seconds, Containers: []corev1.Container{{Name: "c", Image: "i:1"}}}},
		&corev1.ReplicationController{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ReplicationController"}, Spec: corev1.ReplicationControllerSpec{Replicas: &replicas}},
		&metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Code: 404, Reason: metav1.StatusReasonNotFound},
	}
	for _, obj := range objects {
		for _, c := range codecs.All {
			for _, pretty := range []bool{false, true} {
				var b bytes.Buffer
				if err := c.Encode(&b, obj, pretty); err != nil {
					t.Fatal(err)
				}
				back, _, _, err := c.Decode(b.Bytes(), schema.GroupVersionKind{}, nil, codecs.Strict)
				if err != nil {
					t.Fatalf("%s: %v\n%s", c.Name, err, b.Bytes())
				}
				if !reflect.DeepEqual(back, obj) {
					t.Errorf("%s, pretty %v: %v came back as %v", c.Name, pretty, obj, back)
				}
			}
		}
	}
}

// The forms that the recordings call compact with newline, and pretty.
func TestEncode_Form(t *testing.T) {
	ns := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	for _, c := range []struct {
		codec  *codecs.Codec
		pretty bool
		want   string
	}{
		{codecs.JSON, false, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"},"spec":{},"status":{}}` + "\n"},
		{codecs.JSON, true, "{\n  \"kind\": \"Namespace\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"name\": \"a\"\n  },\n  \"spec\": {},\n  \"status\": {}\n}"},
		{codecs.YAML, true, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\nspec: {}\nstatus: {}\n"},
	} {
		var b bytes.Buffer
		if err := c.codec.Encode(&b, ns, c.pretty); err != nil || b.String() != c.want {
			t.Errorf("%s, pretty %v: %v\n%s", c.codec.Name, c.pretty, err, b.String())
		}
	}
}

func TestFrame(t *testing.T) {
	var b bytes.Buffer
	for _, object := range []string{"{\"a\":1}\n", `{"a":2}`} {
		if err := codecs.JSON.Frame(&b, "ADDED", []byte(object)); err != nil {
			t.Fatal(err)
		}
	}
	want := "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n{\"type\":\"ADDED\",\"object\":{\"a\":2}}\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}

func TestYAML_Numbers(t *testing.T) {
	text, err := codecs.YAMLFromJSON([]byte(`{"big":9007199254740993,"text":"1e3","float":1.5}`))
	if err != nil || string(text) != "big: 9007199254740993\nfloat: 1.5\ntext: \"1e3\"\n" {
		t.Fatalf("%s, %v", text, err)
	}
	back, err := codecs.JSONFromYAML(text)
	if err != nil || string(back) != `{"big":9007199254740993,"float":1.5,"text":"1e3"}` {
		t.Errorf("%s, %v", back, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}`))
	f.Add([]byte("apiVersion: v1\nkind: Pod\nspec: &a\n  containers: [{name: c}]\nx: *a\n"))
	f.Add([]byte("%YAML 1.1\n--- !!binary aGk="))
	f.Add([]byte(`{"kind":"Status","metadata":null,"details":{"causes":[null]}}`))
	f.Add([]byte("\xd9\xd9\xf7\xa2DkindIConfigMapDdata\xa1Ak\x80"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range codecs.All {
			for _, v := range []codecs.Validation{codecs.Ignore, codecs.Warn, codecs.Strict} {
				obj, _, _, err := c.Decode(data, configMap, nil, v)
				if err == nil && obj == nil {
					t.Fatal("neither object nor error")
				}
				if err != nil {
					continue
				}
				if err := codecs.JSON.Encode(new(bytes.Buffer), obj, false); err != nil {
					t.Fatalf("decoded from %s and cannot be encoded: %v", c.Name, err)
				}
			}
		}
	})
}
