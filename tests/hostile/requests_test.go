package hostile_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

// A growing is a request whose input can grow: its cost must not grow faster.
type growing struct {
	name string
	most int                // the longest input, in the unit of make
	make func(n int) asking // the request with an input of n
}

// lasting are requests whose work may go on longer after their client has left, since it is one call of a library that
// cannot be stopped. Its input is limited so that it lasts no longer than this.
var lasting = map[string]time.Duration{
	// the parser of YAML
	"YAML members": 300 * time.Millisecond, "YAML members twice": 300 * time.Millisecond,
	"YAML items":   300 * time.Millisecond,
	"YAML aliases": 400 * time.Millisecond, "YAML long scalar": 200 * time.Millisecond,
	"YAML folded lines": 200 * time.Millisecond,
	// structured-merge-diff
	"apply members": 600 * time.Millisecond, "apply members in YAML": 600 * time.Millisecond,
	"apply containers":     800 * time.Millisecond,
	"apply custom members": 600 * time.Millisecond, "Pod env": 300 * time.Millisecond,
	"Pod containers":     400 * time.Millisecond,
	"Pod initContainers": 400 * time.Millisecond,
	// kube-openapi's validation, and CEL's estimation of costs
	"items of a set": 600 * time.Millisecond, "items of a map": 600 * time.Millisecond,
	"a pattern's text":   300 * time.Millisecond,
	"items under a rule": 300 * time.Millisecond, "definition rules": 600 * time.Millisecond,
	"definition long rule":  300 * time.Millisecond,
	"definition properties": 300 * time.Millisecond, "policy expressions": 300 * time.Millisecond,
}

// An asking is one request.
type asking struct {
	method, path string
	contentType  string // of body
	body         string
	header       http.Header
}

const (
	jsonType      = "application/json"
	yamlType      = "application/yaml"
	cborType      = "application/cbor"
	protobufType  = "application/vnd.kubernetes.protobuf"
	jsonPatch     = "application/json-patch+json"
	mergePatch    = "application/merge-patch+json"
	strategic     = "application/strategic-merge-patch+json"
	applyPatch    = "application/apply-patch+yaml"
	applyCBOR     = "application/apply-patch+cbor"
	configMaps    = "/api/v1/namespaces/default/configmaps"
	pods          = "/api/v1/namespaces/default/pods"
	deployments   = "/apis/apps/v1/namespaces/default/deployments"
	definitions   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	free          = "/apis/hostile.example.com/v1/namespaces/default/frees"  // keeps all fields
	ruled         = "/apis/hostile.example.com/v1/namespaces/default/ruleds" // has a schema, rules and columns
	dryRun        = "?dryRun=All"
	forced        = "?dryRun=All&force=true&fieldManager=hostile"
	strictly      = "?dryRun=All&fieldValidation=Strict"
	kept          = "hostile" // the object to patch
	megabyte      = 1 << 20
	mostBody      = 3*megabyte - 4096
	kindConfigMap = `"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}`
)

// times repeats a text.
func times(n int, text string) string { return strings.Repeat(text, n) }

// numbered repeats a text with a number in it, with commas between.
func numbered(n int, form string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// listed repeats a text n times, at least once, with commas between.
func listed(n int, text string) string { return times(n-1, text+",") + text }

func create(path, contentType, body string) asking {
	return asking{method: http.MethodPost, path: path, contentType: contentType, body: body}
}

func change(path, contentType, body string) asking {
	return asking{method: http.MethodPatch, path: path, contentType: contentType, body: body}
}

func get(path string) asking { return asking{method: http.MethodGet, path: path} }

func headed(path, name string, values ...string) asking {
	return asking{method: http.MethodGet, path: path, header: http.Header{name: values}}
}

func protobuf(obj runtime.Object, gvk schema.GroupVersionKind) string {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	var b strings.Builder
	if err := codecs.Protobuf.Encode(&b, obj, false); err != nil {
		panic(err)
	}
	return b.String()
}

// bodies grow in every encoding: in depth, in length, in members, in their errors.
var bodies = []growing{
	{"JSON depth", 1_500_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{`+kindConfigMap+`,"data":`+times(n, "[")+times(n, "]")+`}`)
	}},
	{"JSON depth of a custom resource", 9_900, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":`+times(n, `{"a":`)+"1"+times(n, "}")+`}`)
	}},
	{"JSON members", 250_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{`+kindConfigMap+`,"data":{`+numbered(n, `"k%d":""`)+`}}`)
	}},
	{"JSON members of a custom resource", 250_000, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":{`+numbered(n, `"k%d":""`)+`}}`)
	}},
	{"JSON members twice", 250_000, func(n int) asking {
		return create(configMaps+strictly, jsonType, `{`+kindConfigMap+`,"data":{`+listed(n, `"k":""`)+`}}`)
	}},
	{"JSON unknown members", 250_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{`+kindConfigMap+`,`+numbered(n, `"k%d":1`)+`}`)
	}},
	{"JSON empty objects", mostBody / 3, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":{"a":[`+listed(n, `{}`)+`]}}`)
	}},
	{"JSON objects", mostBody / 7, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":{"a":[`+listed(n, `{"a":1}`)+`]}}`)
	}},
	{"JSON numbers", mostBody / 2, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":{"a":[`+listed(n, `1`)+`]}}`)
	}},
	{"JSON one long number", mostBody, func(n int) asking {
		return create(free+dryRun, jsonType, customHead("Free")+`"spec":{"a":`+times(n, "9")+`}}`)
	}},
	{"JSON one long string", 1_400_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{`+kindConfigMap+`,"data":{"a":"`+times(n, "x")+`"}}`)
	}},
	{"JSON escapes", mostBody / 6, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{`+kindConfigMap+`,"data":{"a":"`+times(n, `\u0001`)+`"}}`)
	}},
	{"JSON one long name", mostBody, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"`+times(n,
			"x")+`"}}`)
	}},
	{"JSON one long generateName", mostBody, func(n int) asking {
		return create(configMaps+dryRun, jsonType,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"`+times(n, "x")+`"}}`)
	}},
	{"JSON one long label", mostBody / 2, func(n int) asking {
		return create(configMaps+dryRun, jsonType,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","labels":{"`+times(n, "x")+`":"`+times(n,
				"y")+`"}}}`)
	}},
	{"JSON one long kind", mostBody, func(n int) asking {
		return create(configMaps+dryRun, jsonType, `{"kind":"`+times(n, "x")+`","apiVersion":"v1"}`)
	}},
	{"JSON empty containers", mostBody / 3, func(n int) asking {
		return create(pods+dryRun, jsonType, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":{"containers":[`+listed(n, `{}`)+`]}}`)
	}},
	{"white space", mostBody, func(n int) asking {
		return create(configMaps+dryRun, jsonType, times(n, " ")+`{`+kindConfigMap+`}`)
	}},
	{"YAML members", 250_000, func(n int) asking {
		return create(configMaps+dryRun, yamlType,
			"kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata:\n"+strings.ReplaceAll(numbered(n, ` k%d: ""`),
				",", "\n"))
	}},
	{"YAML members twice", 400_000, func(n int) asking {
		return create(configMaps+strictly, yamlType,
			"kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata:\n"+times(n, " k: a\n"))
	}},
	{"YAML flow depth", mostBody / 2, func(n int) asking {
		return create(free+dryRun, yamlType, "a: "+times(n, "[")+times(n, "]"))
	}},
	{"YAML block depth", mostBody / 2, func(n int) asking { return create(free+dryRun, yamlType, times(n, "- ")) }},
	{"YAML items", mostBody / 4, func(n int) asking {
		return create(free+dryRun, yamlType, "kind: Free\napiVersion: hostile.example.com/v1\nmetadata: {name: "+
			"x}\nspec:\n  a:\n"+times(n, "- 1\n"))
	}},
	{"YAML aliases of aliases", 40, func(n int) asking {
		var b strings.Builder
		b.WriteString("a0: &a0 [x, x]\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
		}
		return create(free+dryRun, yamlType, b.String())
	}},
	{"YAML aliases", 200_000, func(n int) asking {
		return create(free+dryRun, yamlType, "a: &a {b: c}\nl:\n"+times(n, "- *a\n"))
	}},
	{"YAML merged aliases", 20_000, func(n int) asking {
		return create(free+dryRun, yamlType, "a: &a {"+numbered(100, "k%d: 1")+"}\nm: {<<: ["+listed(n, "*a")+"]}\n")
	}},
	{"YAML comments", mostBody / 4, func(n int) asking {
		return create(free+dryRun, yamlType,
			times(n, "# x\n")+"a: 1\n")
	}},
	{"YAML documents", mostBody / 4, func(n int) asking {
		return create(free+dryRun, yamlType,
			times(n, "---\n")+"a: 1\n")
	}},
	{"YAML long scalar", mostBody, func(n int) asking { return create(free+dryRun, yamlType, "a: "+times(n, "x")) }},
	{"YAML folded lines", mostBody / 3, func(n int) asking {
		return create(free+dryRun, yamlType,
			"a: >\n"+times(n, " x\n"))
	}},
	{"YAML indented", 2400, func(n int) asking {
		var b strings.Builder
		for i := range n {
			b.WriteString(times(i, " ") + "a:\n")
		}
		return create(free+dryRun, yamlType, b.String())
	}},
	{"CBOR depth", mostBody, func(n int) asking { return create(free+dryRun, cborType, times(n, "\x81")+"\x00") }},
	{"CBOR tags", mostBody, func(n int) asking { return create(free+dryRun, cborType, times(n, "\xc1")+"\x00") }},
	{"CBOR lists", mostBody, func(n int) asking {
		return create(free+dryRun, cborType, "\xa3\x44kind\x44Free\x4aapiVersion\x56hostile.example.com/v1\x41a\x9f"+times(n, "\x80")+"\xff")
	}},
	{"CBOR numbers", mostBody, func(n int) asking {
		return create(free+dryRun, cborType, "\xa3\x44kind\x44Free\x4aapiVersion\x56hostile.example.com/v1\x41a\x9f"+times(n, "\x01")+"\xff")
	}},
	{"CBOR promises", 8, func(n int) asking {
		return create(free+dryRun, cborType, times(n, "\x9b\x7f\xff\xff\xff\xff\xff\xff\xff"))
	}},
	{"Protobuf containers", 400_000, func(n int) asking {
		return create(pods+dryRun, protobufType,
			protobuf(&corev1.Pod{Spec: corev1.PodSpec{Containers: make([]corev1.Container, n/8)}},
				corev1.SchemeGroupVersion.WithKind("Pod")))
	}},
	{"Protobuf depth", 100_000, func(n int) asking {
		var s *apiextensionsv1.JSONSchemaProps
		for range n / 8 {
			s = &apiextensionsv1.JSONSchemaProps{Not: s}
		}
		return create(definitions+dryRun, protobufType,
			protobuf(&apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s}}},
			}}, apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")))
	}},
	{"Protobuf strings", mostBody / 2, func(n int) asking {
		return create(configMaps+dryRun, protobufType,
			"k8s\x00\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12"+varint(2*n+1+len(varint(2*n)))+"\x0a"+varint(2*n)+times(n,
				"\x72\x00"))
	}},
}

func varint(n int) string {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

func customHead(kind string) string {
	return `{"kind":"` + kind + `","apiVersion":"hostile.example.com/v1","metadata":{"name":"x"},`
}

func meta(members string) string {
	return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x",` + members + `}}`
}

// metadata grows in the fields of every kind.
var metadata = []growing{
	{"owners", 30_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType,
			meta(`"ownerReferences":[`+numbered(n, `{"apiVersion":"v1","kind":"X","name":"a","uid":"u%d"}`)+`]`))
	}},
	{"owners twice", 30_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType,
			meta(`"ownerReferences":[`+listed(n, `{"apiVersion":"v1","kind":"X","name":"a","uid":"u"}`)+`]`))
	}},
	{"bad owners", 60_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"ownerReferences":[`+numbered(n, `{"uid":"u%d"}`)+`]`))
	}},
	{"finalizers", 100_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"finalizers":[`+numbered(n, `"a.b/c%d"`)+`]`))
	}},
	{"bad finalizers", 200_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"finalizers":[`+numbered(n, `"c%d"`)+`]`))
	}},
	{"labels", 100_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"labels":{`+numbered(n, `"c%d":""`)+`}`))
	}},
	{"bad labels", 100_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"labels":{`+numbered(n, `"c %d":""`)+`}`))
	}},
	{"annotations", 100_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType, meta(`"annotations":{`+numbered(n, `"c%d":""`)+`}`))
	}},
	{"managers", 20_000, func(n int) asking {
		return create(configMaps+dryRun, jsonType,
			meta(`"managedFields":[`+numbered(n,
				`{"manager":"m%d","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}`)+`]`))
	}},
	{"managers of updates, replaced", 20_000, func(n int) asking {
		a := create(configMaps+"/"+kept+dryRun, jsonType, strings.Replace(meta(`"managedFields":[`+
			numbered(n, `{"manager":"m%d","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}`)+`]`), `"x"`, `"`+kept+`"`, 1))
		a.method = http.MethodPut
		return a
	}},
	{"fields of one manager", 30_000, func(n int) asking {
		a := create(configMaps+"/"+kept+dryRun, jsonType,
			strings.Replace(meta(`"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{`+
				numbered(n, `"f:k%d":{}`)+`}}}]`), `"x"`, `"`+kept+`"`, 1))
		a.method = http.MethodPut
		return a
	}},
	{"depth of a manager's fields", 9_000, func(n int) asking {
		a := create(configMaps+"/"+kept+dryRun, jsonType,
			strings.Replace(meta(`"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":`+
				times(n, `{"f:a":`)+`{}`+times(n, `}`)+`}]`), `"x"`, `"`+kept+`"`, 1))
		a.method = http.MethodPut
		return a
	}},
}

// patches grow in their operations, their depth and their lists. Their objects exist.
var patches = []growing{
	{"JSON Patch copies that double", 40, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, jsonPatch,
			`[`+numbered(n, `{"op":"copy","from":"/data","path":"/data/k%d"}`)+`]`)
	}},
	{"JSON Patch additions", 10_000, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, jsonPatch,
			`[`+numbered(n, `{"op":"add","path":"/data/k%d","value":"v"}`)+`]`)
	}},
	{"JSON Patch insertions", 10_000, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, jsonPatch,
			`[{"op":"add","path":"/metadata/finalizers","value":[`+listed(100_000, `"x"`)+`]},`+listed(n,
				`{"op":"add","path":"/metadata/finalizers/0","value":"y"}`)+`]`)
	}},
	{"JSON Patch deep value", 9_000, func(n int) asking {
		return change(free+"/"+kept+dryRun, jsonPatch,
			`[{"op":"add","path":"/spec","value":`+times(n, `{"a":`)+`1`+times(n, `}`)+`}]`)
	}},
	{"JSON Patch deep path", 9_000, func(n int) asking {
		return change(free+"/"+kept+dryRun, jsonPatch,
			`[{"op":"add","path":"/spec","value":`+times(n, `{"a":`)+`{}`+times(n,
				`}`)+`},{"op":"add","path":"/spec`+times(n, `/a`)+`","value":1}]`)
	}},
	{"JSON Patch long pointer", mostBody / 2, func(n int) asking {
		return change(free+"/"+kept+dryRun, jsonPatch, `[{"op":"remove","path":"`+times(n, `/a`)+`"}]`)
	}},
	{"JSON Patch tests", 10_000, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, jsonPatch,
			`[`+listed(n, `{"op":"test","path":"/data","value":{"a":"b"}}`)+`]`)
	}},
	{"JSON Patch moves", 10_000, func(n int) asking {
		return change(free+"/"+kept+dryRun, jsonPatch, `[{"op":"add","path":"/spec","value":{"a":{}}},`+listed(n/2,
			`{"op":"move","from":"/spec/a","path":"/spec/b"},{"op":"move","from":"/spec/b","path":"/spec/a"}`)+`]`)
	}},
	{"merge patch depth", 9_900, func(n int) asking {
		return change(free+"/"+kept+dryRun, mergePatch, `{"spec":`+times(n, `{"a":`)+`1`+times(n, `}`)+`}`)
	}},
	{"merge patch members", 250_000, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, mergePatch, `{"data":{`+numbered(n, `"k%d":"v"`)+`}}`)
	}},
	{"merge patch removals", 250_000, func(n int) asking {
		return change(configMaps+"/"+kept+dryRun, mergePatch, `{"data":{`+numbered(n, `"k%d":null`)+`}}`)
	}},
	{"strategic containers", 20_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic, `{"spec":{"template":{"spec":{"containers":[`+numbered(n,
			`{"name":"c%d","image":"i"}`)+`]}}}}`)
	}},
	{"strategic order", 60_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic,
			`{"spec":{"template":{"spec":{"$setElementOrder/containers":[`+numbered(n, `{"name":"c%d"}`)+`]}}}}`)
	}},
	{"strategic finalizers", 100_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic,
			`{"metadata":{"finalizers":[`+numbered(n, `"a/c%d"`)+`]}}`)
	}},
	{"strategic deletions of primitives", 100_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":[`+numbered(n, `"a/c%d"`)+`]}}`)
	}},
	{"strategic retained keys", 100_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic, `{"spec":{"strategy":{"$retainKeys":[`+numbered(n,
			`"c%d"`)+`]}}}`)
	}},
	{"strategic environments", 2_000, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic,
			`{"spec":{"template":{"spec":{"containers":[{"name":"c0","env":[`+numbered(n*10,
				`{"name":"c%d","value":"i"}`)+`]}]}}}}`)
	}},
	{"strategic depth", 9_900, func(n int) asking {
		return change(deployments+"/"+kept+dryRun, strategic, `{"spec":`+times(n, `{"a":`)+`1`+times(n, `}`)+`}`)
	}},
	{"apply members", 60_000, func(n int) asking {
		return change(configMaps+"/"+kept+forced, applyPatch,
			`{"kind":"ConfigMap","apiVersion":"v1","data":{`+numbered(n, `"k%d":"v"`)+`}}`)
	}},
	{"apply members in YAML", 100_000, func(n int) asking {
		return change(configMaps+"/"+kept+forced, applyPatch,
			"kind: ConfigMap\napiVersion: v1\ndata:\n"+strings.ReplaceAll(numbered(n, " k%d: v"), ",", "\n"))
	}},
	{"apply containers", 30_000, func(n int) asking {
		return change(deployments+"/"+kept+forced, applyPatch,
			`{"kind":"Deployment","apiVersion":"apps/v1","spec":{"template":{"spec":{"containers":[`+numbered(n,
				`{"name":"c%d","image":"i"}`)+`]}}}}`)
	}},
	{"apply depth", 9_900, func(n int) asking {
		return change(free+"/"+kept+forced, applyPatch,
			`{"kind":"Free","apiVersion":"hostile.example.com/v1","spec":`+times(n, `{"a":`)+`1`+times(n, `}`)+`}`)
	}},
	{"apply in CBOR", mostBody, func(n int) asking {
		return change(free+"/"+kept+forced, applyCBOR,
			"\x9f"+times(n, "\x80")+"\xff")
	}},
	{"apply custom members", 60_000, func(n int) asking {
		return change(free+"/"+kept+forced, applyPatch,
			`{"kind":"Free","apiVersion":"hostile.example.com/v1","spec":{`+numbered(n, `"k%d":"v"`)+`}}`)
	}},
	{"not JSON", mostBody, func(n int) asking { return change(configMaps+"/"+kept+dryRun, jsonPatch, times(n, "[{")) }},
}

// queries grow in paths, parameters and headers, over a thousand objects.
var queries = []growing{
	{"label requirements", 4_000, func(n int) asking {
		return get(configMaps + "?labelSelector=" +
			listed(n, "a!%3Db"))
	}},
	{"label values", 4_000, func(n int) asking {
		return get(configMaps + "?labelSelector=a+in+(" + listed(n, "bcd") +
			")")
	}},
	{"label nonsense", 16_000, func(n int) asking { return get(configMaps + "?labelSelector=" + times(n, "(")) }},
	{"field requirements", 700, func(n int) asking {
		return get(configMaps + "?fieldSelector=" +
			listed(n, "metadata.name!%3Db"))
	}},
	{"parameters", 4_000, func(n int) asking { return get(configMaps + "?" + times(n, "a=b&")) }},
	{"dry runs", 1_500, func(n int) asking {
		return create(configMaps+"?"+times(n, "dryRun=a&"), jsonType, `{`+kindConfigMap+`}`)
	}},
	{"segments", 8_000, func(n int) asking { return get("/api/v1" + times(n, "/a")) }},
	{"continue tokens", 12_000, func(n int) asking {
		return get(configMaps + "?limit=1&continue=" +
			base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":1,"start":"`+times(n/2, "a")+`"}`)))
	}},
	{"accepted types", 60_000, func(n int) asking { return headed(configMaps, "Accept", listed(n, "a/b;q=0.5")) }},
	{"accepted Tables", 8_000, func(n int) asking {
		return headed(configMaps+"?limit=1", "Accept", listed(n, "application/json;as=Table;g=meta.k8s.io;v=v3"))
	}},
	{"accepted encodings", 60_000, func(n int) asking {
		return headed(configMaps+"?limit=1", "Accept-Encoding",
			listed(n, "a;q=0.5"))
	}},
	{"one long header", 900_000, func(n int) asking {
		return headed(configMaps+"?limit=1", "User-Agent",
			times(n, "x"))
	}},
	{"many headers", 20_000, func(n int) asking {
		h := http.Header{}
		for i := range n {
			h.Set(fmt.Sprint("Impersonate-Extra-A", i), "b")
		}
		return asking{method: http.MethodGet, path: configMaps, header: h}
	}},
	{"ranges of a document", 60_000, func(n int) asking {
		return headed("/openapi/v3", "Range",
			"bytes="+listed(n, "0-1"))
	}},
	{"ETags", 60_000, func(n int) asking { return headed("/openapi/v2", "If-None-Match", listed(n, `"abc"`)) }},
	{"WebSocket protocols", 60_000, func(n int) asking {
		return asking{method: http.MethodGet, path: configMaps + "?watch=1&timeoutSeconds=1", header: http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}, "Sec-Websocket-Protocol": {listed(n, "a")}}}
	}},
}

// asked are reviews and subresources, which are not stored.
var asked = []growing{
	{"groups of a review", 100_000, func(n int) asking {
		return create("/apis/authorization.k8s.io/v1/subjectaccessreviews", jsonType,
			`{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"user":"u","groups":[`+numbered(n, `"g%d"`)+`],"nonResourceAttributes":{"path":"/","verb":"get"}}}`)
	}},
	{"requirements of a review", 30_000, func(n int) asking {
		return create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", jsonType,
			`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[`+numbered(n, `{"key":"k%d","operator":"In","values":["a"]}`)+`]}}}}`)
	}},
	{"long token", mostBody, func(n int) asking {
		return create("/apis/authentication.k8s.io/v1/tokenreviews", jsonType,
			`{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"`+times(n, "a")+`"}}`)
	}},
	{"audiences", 100_000, func(n int) asking {
		return create("/api/v1/namespaces/default/serviceaccounts/default/token", jsonType,
			`{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"audiences":[`+numbered(n,
				`"a%d"`)+`]}}`)
	}},
	{"options of a deletion", mostBody / 2, func(n int) asking {
		return asking{method: http.MethodDelete, path: configMaps + "/missing", contentType: jsonType,
			body: `{"kind":"DeleteOptions","apiVersion":"v1","a":` + times(n, "[") + times(n, "]") + `}`}
	}},
	{"options of many deletions", 60_000, func(n int) asking {
		return asking{method: http.MethodDelete, path: configMaps + "?labelSelector=none%3Dthere",
			contentType: jsonType, body: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":[` +
				listed(n, `"All"`) + `]}`}
	}},
}

// debugged are the paths under /debug.
var debugged = []growing{
	{"plan of alternatives", 100, func(n int) asking {
		return plan("SELECT key FROM objects WHERE key = ?" +
			times(n, " OR key = ?"))
	}},
	{"plan of a list", 900, func(n int) asking {
		return plan("SELECT key FROM objects WHERE key IN (" + listed(n, "?") +
			")")
	}},
	{"plan of sums", 900, func(n int) asking { return plan("SELECT 1" + times(n, "+1") + " FROM objects") }},
	{"plan of tables", 60, func(n int) asking { return plan("SELECT 1 FROM " + numbered(n, "objects AS o%d")) }},
	{"plan of queries in queries", 60, func(n int) asking {
		return plan(times(n, "SELECT a+a AS a FROM (") + "SELECT 1 AS a" + times(n, ")"))
	}},
	{"plan of doubling tables", 30, func(n int) asking {
		var b strings.Builder
		b.WriteString("WITH t0 AS (SELECT 1)")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, ", t%d AS (SELECT * FROM t%d, t%d)", i, i-1, i-1)
		}
		return plan(fmt.Sprintf("%s SELECT * FROM t%d", b.String(), n))
	}},
	{"a row's long name", 16_000, func(n int) asking {
		return get("/debug/rows?resource=configmaps&name=" +
			times(n, "a"))
	}},
	{"a row's value", mostBody, func(n int) asking {
		return asking{method: http.MethodPut, path: "/debug/rows?resource=configmaps&namespace=default&name=none",
			body: times(n, "a")}
	}},
	{"changes", 10_000, func(n int) asking { return get(fmt.Sprint("/debug/changes?limit=", n)) }},
	{"parameters of changes", 4_000, func(n int) asking { return get("/debug/changes?" + times(n, "a=b&")) }},
}

func plan(statement string) asking { return get("/debug/plan?sql=" + url.QueryEscape(statement)) }

// schemas are definitions that grow, and objects against a schema.
var schemas = []growing{
	{"definition properties", 16_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object","properties":{`+numbered(n, `"k%d":{"type":"string"}`)+`}}`, ``))
	}},
	{"definition depth", 2_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", times(n, `{"type":"object","properties":{"a":`)+`{"type":"string"}`+times(n, `}}`), ``))
	}},
	{"definition enum", 60_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object","properties":{"a":{"type":"string","enum":[`+numbered(n,
				`"v%d"`)+`]}}}`, ``))
	}},
	{"definition rules", 400, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-validations":[`+numbered(n, `{"rule":"self.a != 'v%d'"}`)+`]}`, ``))
	}},
	{"definition long rule", 2_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-validations":[{"rule":"true`+times(n, ` && self.a != 'v'`)+`"}]}`, ``))
	}},
	{"definition deep rule", 20_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-validations":[{"rule":"`+times(n, `(`)+`true`+times(n, `)`)+`"}]}`, ``))
	}},
	{"definition columns", 10_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			definition("grown", `{"type":"object"}`,
				`,"additionalPrinterColumns":[`+numbered(n, `{"name":"c%d","type":"string","jsonPath":".spec.a"}`)+`]`))
	}},
	{"definition versions", 4_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"growns.hostile.example.com"},"spec":{"group":"hostile.example.com","scope":"Namespaced","names":{"plural":"growns","kind":"Grown"},"versions":[`+
				numbered(n, `{"name":"v%d","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}`)+`]}}`)
	}},
	{"definition short names", 100_000, func(n int) asking {
		return create(definitions+dryRun, jsonType,
			`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"growns.hostile.example.com"},"spec":{"group":"hostile.example.com","scope":"Namespaced","names":{"plural":"growns","kind":"Grown","shortNames":[`+numbered(n, `"s%d"`)+`]},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	}},
	{"policy expressions", 300, func(n int) asking {
		return create("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"+dryRun, jsonType,
			`{"kind":"ValidatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"x"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]},"validations":[`+numbered(n, `{"expression":"object.metadata.name != 'v%d'"}`)+`]}}`)
	}},
	{"values of an enum", 100_000, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"choices":[`+listed(n, `"none"`)+`]}}`)
	}},
	{"items of a set", 60_000, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"set":[`+numbered(n, `"s%d"`)+`]}}`)
	}},
	{"items of a map", 30_000, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"map":[`+numbered(n, `{"name":"s%d"}`)+`]}}`)
	}},
	{"alternatives", 60_000, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"any":[`+listed(n, `7`)+`]}}`)
	}},
	{"a pattern's text", megabyte, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"text":"`+times(n, "a")+`"}}`)
	}},
	{"items under a rule", 60_000, func(n int) asking {
		return create(ruled+dryRun, jsonType, customHead("Ruled")+`"spec":{"counted":[`+listed(n, `7`)+`]}}`)
	}},
	{"columns over depth", 80, func(n int) asking {
		a := create(free+dryRun, jsonType, customHead("Free")+`"spec":`+times(n, `{"a":`)+`1`+times(n, `}`)+`}`)
		a.header = http.Header{"Accept": {"application/json;as=Table;g=meta.k8s.io;v=v1"}}
		return a
	}},
}

// definition is a CustomResourceDefinition with one version.
func definition(name, schema, more string) string {
	kind := strings.ToUpper(name[:1]) + name[1:]
	return `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"` + name +
		`s.hostile.example.com"},"spec":{"group":"hostile.example.com","scope":"Namespaced","names":{"plural":"` +
		name + `s","kind":"` + kind + `"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}` + more + `}]}}`
}

// itemsOf are the lists in Kubernetes' custom resources, each with many items.
var itemsOf = []struct{ path, kind, group, version, form, item string }{
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i","env":[%s]}]}`,
		`{"name":"c%d","value":"$(c0)"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i","ports":[%s]}]}`,
		`{"name":"p%d","containerPort":80}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i","volumeMounts":[%s]}]}`,
		`{"name":"v","mountPath":"/m%d"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"volumes":[%s]}`,
		`{"name":"v%d","emptyDir":{}}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[%s]}`, `{"name":"c%d","image":"i"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"initContainers":[%s]}`,
		`{"name":"c%d","image":"i"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"tolerations":[%s]}`,
		`{"key":"c%d","operator":"Exists"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"hostAliases":[%s]}`,
		`{"ip":"10.0.0.1","hostnames":["h%d"]}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"topologySpreadConstraints":[%s]}`,
		`{"topologyKey":"k%d","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"schedulingGates":[%s]}`,
		`{"name":"g%d"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"readinessGates":[%s]}`,
		`{"conditionType":"g%d"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"imagePullSecrets":[%s]}`,
		`{"name":"g%d"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"securityContext":{"sysctls":[%s]}}`,
		`{"name":"k%d","value":"1"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"volumes":[{"name":"v","projected":{"sources":[%s]}}]}`, `{"secret":{"name":"s%d"}}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"volumes":[{"name":"v","configMap":{"name":"c","items":[%s]}}]}`, `{"key":"a","path":"p%d"}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[%s]}}}`, `{"weight":1,"preference":{"matchExpressions":[{"key":"k%d","operator":"Exists"}]}}`},
	{pods, "Pod", "", "v1", `"spec":{"containers":[{"name":"a","image":"i"}],"resourceClaims":[%s]}`,
		`{"name":"c%d","resourceClaimName":"a"}`},
	{"/api/v1/namespaces/default/services", "Service", "", "v1", `"spec":{"ports":[%s]}`, `{"name":"p%d","port":80}`},
	{"/api/v1/namespaces/default/services", "Service", "", "v1", `"spec":{"ports":[{"port":80}],"externalIPs":[%s]}`,
		`"10.0.0.%d"`},
	{"/api/v1/namespaces/default/endpoints", "Endpoints", "", "v1",
		`"subsets":[{"addresses":[%s],"ports":[{"port":80}]}]`, `{"ip":"10.0.0.1","nodeName":"n%d"}`},
	{"/api/v1/namespaces/default/endpoints", "Endpoints", "", "v1", `"subsets":[%s]`,
		`{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"name":"p%d","port":80}]}`},
	{"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "EndpointSlice", "discovery.k8s.io", "v1",
		`"addressType":"IPv4","endpoints":[%s]`, `{"addresses":["10.0.0.1"],"nodeName":"n%d"}`},
	{"/api/v1/nodes", "Node", "", "v1", `"spec":{"taints":[%s]}`, `{"key":"k%d","effect":"NoSchedule"}`},
	{"/api/v1/namespaces/default/serviceaccounts", "ServiceAccount", "", "v1", `"secrets":[%s]`, `{"name":"s%d"}`},
	{"/api/v1/namespaces/default/limitranges", "LimitRange", "", "v1", `"spec":{"limits":[%s]}`,
		`{"type":"Container","max":{"cpu":"%d"}}`},
	{"/api/v1/namespaces/default/resourcequotas", "ResourceQuota", "", "v1", `"spec":{"hard":{%s}}`,
		`"count/k%d.g":"1"`},
	{"/api/v1/namespaces/default/resourcequotas", "ResourceQuota", "", "v1",
		`"spec":{"scopeSelector":{"matchExpressions":[%s]}}`,
		`{"scopeName":"PriorityClass","operator":"In","values":["p%d"]}`},
	{"/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole", "rbac.authorization.k8s.io", "v1",
		`"rules":[%s]`, `{"verbs":["get"],"apiGroups":[""],"resources":["r%d"]}`},
	{"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "ClusterRoleBinding", "rbac.authorization.k8s.io", "v1",
		`"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},"subjects":[%s]`,
		`{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"u%d"}`},
	{"/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", "NetworkPolicy", "networking.k8s.io", "v1",
		`"spec":{"podSelector":{},"ingress":[{"from":[%s]}]}`, `{"podSelector":{"matchLabels":{"k%d":"v"}}}`},
	{"/apis/networking.k8s.io/v1/namespaces/default/ingresses", "Ingress", "networking.k8s.io", "v1",
		`"spec":{"rules":[{"http":{"paths":[%s]}}]}`,
		`{"path":"/p%d","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}`},
	{"/apis/networking.k8s.io/v1/namespaces/default/ingresses", "Ingress", "networking.k8s.io", "v1",
		`"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"hosts":[%s]}]}`, `"h%d"`},
	{"/apis/policy/v1/namespaces/default/poddisruptionbudgets", "PodDisruptionBudget", "policy", "v1",
		`"spec":{"selector":{"matchExpressions":[%s]}}`, `{"key":"k%d","operator":"Exists"}`},
	{"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
		"admissionregistration.k8s.io", "v1", `"webhooks":[%s]`,
		`{"name":"a%d.b.c","clientConfig":{"url":"https://x"},"sideEffects":"None","admissionReviewVersions":["v1"]}`},
	{"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "FlowSchema", "flowcontrol.apiserver.k8s.io", "v1",
		`"spec":{"priorityLevelConfiguration":{"name":"p"},"rules":[%s]}`,
		`{"subjects":[{"kind":"User","user":{"name":"u%d"}}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}`},
	{"/apis/resource.k8s.io/v1/resourceslices", "ResourceSlice", "resource.k8s.io", "v1",
		`"spec":{"driver":"d.x","pool":{"name":"p","generation":1,"resourceSliceCount":1},"allNodes":true,"devices":[%s]}`, `{"name":"d%d"}`},
	{"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", "ResourceClaim", "resource.k8s.io", "v1",
		`"spec":{"devices":{"requests":[%s]}}`, `{"name":"r%d","exactly":{"deviceClassName":"c"}}`},
	{"/apis/storage.k8s.io/v1/csinodes", "CSINode", "storage.k8s.io", "v1", `"spec":{"drivers":[%s]}`,
		`{"name":"d%d","nodeID":"n"}`},
	{"/apis/storage.k8s.io/v1/storageclasses", "StorageClass", "storage.k8s.io", "v1",
		`"provisioner":"p","mountOptions":[%s]`, `"m%d"`},
	{"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "HorizontalPodAutoscaler", "autoscaling", "v2",
		`"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":2,"metrics":[%s]}`,
		`{"type":"Pods","pods":{"metric":{"name":"m%d"},"target":{"type":"AverageValue","averageValue":"1"}}}`},
	{"/apis/batch/v1/namespaces/default/jobs", "Job", "batch", "v1",
		`"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"i"}]}},"podFailurePolicy":{"rules":[%s]}}`, `{"action":"Ignore","onExitCodes":{"operator":"In","values":[%d]}}`},
	{"/apis/certificates.k8s.io/v1/certificatesigningrequests", "CertificateSigningRequest", "certificates.k8s.io",
		"v1", `"spec":{"request":"","signerName":"a.b/c","usages":[%s]}`, `"u%d"`},
}

// kinds grow in the lists of Kubernetes' custom resources.
func kinds() []growing {
	var all []growing
	for _, k := range itemsOf {
		apiVersion := strings.TrimPrefix(k.group+"/"+k.version, "/")
		before, _, _ := strings.Cut(k.form, "%s") // the last name in it is that of the list
		names := strings.Split(before, `"`)
		name := k.kind + " " + names[len(names)-2]
		all = append(all, growing{name, 20_000, func(n int) asking {
			return create(k.path+dryRun, jsonType,
				`{"kind":"`+k.kind+`","apiVersion":"`+apiVersion+`","metadata":{"name":"x"},`+fmt.Sprintf(k.form,
					numbered(n, k.item))+`}`)
		}})
	}
	return all
}
