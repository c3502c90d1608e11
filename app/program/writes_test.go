package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program/programtest"
)

const (
	jsonPatchType = "application/json-patch+json"
	strategicType = "application/strategic-merge-patch+json"
	applyType     = "application/apply-patch+yaml"
)

// A head is what a test reads of an object's metadata.
type head struct {
	Kind     string
	Metadata struct {
		Name, ResourceVersion string
		ManagedFields         []metav1.ManagedFieldsEntry
	}
}

func mustHead(t *testing.T, text string) head {
	t.Helper()
	var h head
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return h
}

// owners are the fields of each manager, by its name, operation and version.
func (h head) owners() map[string]string {
	all := map[string]string{}
	for _, e := range h.Metadata.ManagedFields {
		all[fmt.Sprintf("%s %s %s", e.Manager, e.Operation, e.APIVersion)] = e.FieldsV1.GetRawString()
	}
	return all
}

// twoVersions is a kind of ones own that is served in two versions with one schema.
var twoVersions = func() string {
	schema := `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},"colour":{"type":"string"}}},"status":{"type":"object","properties":{"seen":{"type":"integer"}}}}}}`
	door := `"subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.seen"}}`
	return `{"metadata":{"name":"gears.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"gears","singular":"gear","kind":"Gear","listKind":"GearList"},"versions":[` +
		`{"name":"v1","served":true,"storage":true,` + door + `,` + schema + `},{"name":"v2","served":true,"storage":false,` + door + `,` + schema + `}]}}`
}()

// A write that changes nothing keeps the revision and makes no event, through whichever door and in whichever way it
// comes, and a dry run that would change something does neither.
func TestWrites_noop(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, twoVersions)
	ns := "/namespaces/default"
	programtest.Eventually(t, "the kind", func() bool {
		text := programtest.MustCall(t, 200, "GET", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.example.com", "", "")
		return strings.Contains(text, `"type":"Established"`)
	})
	for _, k := range []struct {
		list, apply string
		doors       []string // subresources with their whole object
		custom      bool
	}{
		{list: "/api/v1" + ns + "/configmaps", apply: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"l":"x"}},"data":{"k":"v"}}`},
		{list: "/api/v1" + ns + "/services", apply: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`, doors: []string{"/status"}},
		{list: "/apis/apps/v1" + ns + "/deployments", apply: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
			doors: []string{"/status", "/scale"}},
		{list: "/api/v1" + ns + "/pods", apply: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
			doors: []string{"/status", "/ephemeralcontainers"}},
		{list: "/apis/autoscaling/v2" + ns + "/horizontalpodautoscalers", apply: `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`,
			doors: []string{"/status"}},
		{list: "/api/v1/namespaces", apply: `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","labels":{"l":"x"}}}`, doors: []string{"/status"}},
		{list: "/apis/example.com/v1" + ns + "/gears", apply: `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"size":3}}`,
			doors: []string{"/status", "/scale"}, custom: true},
	} {
		url := p.URL + k.list
		programtest.MustCall(t, 201, "PATCH", url+"/a?fieldManager=one", applyType, k.apply)
		whole := programtest.MustCall(t, 200, "PATCH", url+"/a?fieldManager=two", programtest.MergeType, `{"metadata":{"annotations":{"a":"b"}}}`)
		version := mustHead(t, whole).Metadata.ResourceVersion
		ctx, cancel := context.WithCancel(t.Context())
		events := programtest.WatchEvents(ctx, t, url+"?watch=true&resourceVersion="+version)
		same := func(method, path, contentType, body string) {
			t.Helper()
			time.Sleep(time.Millisecond)
			text := programtest.MustCall(t, 200, method, url+path, contentType, body)
			if h := mustHead(t, text); h.Metadata.ResourceVersion != version {
				t.Errorf("%s %s %s: revision %s, was %s", method, path, contentType, h.Metadata.ResourceVersion, version)
			}
		}
		same("PUT", "/a", programtest.JSONType, whole)
		same("PUT", "/a?fieldManager=somebody-new", programtest.JSONType, whole)
		same("PATCH", "/a?fieldManager=one", applyType, k.apply)
		for _, path := range append([]string{""}, k.doors...) {
			door := programtest.MustCall(t, 200, "GET", url+"/a"+path, "", "")
			same("PUT", "/a"+path, programtest.JSONType, door)
			same("PATCH", "/a"+path, programtest.MergeType, `{}`)
			same("PATCH", "/a"+path, jsonPatchType, `[{"op":"test","path":"/metadata/name","value":"a"}]`)
			if !k.custom {
				same("PATCH", "/a"+path, strategicType, `{"metadata":{"name":"a"}}`)
			}
		}
		if strings.HasSuffix(k.list, "/namespaces") {
			same("PUT", "/a/finalize", programtest.JSONType, whole)
		}
		programtest.MustCall(t, 200, "PATCH", url+"/a?dryRun=All", programtest.MergeType, `{"metadata":{"labels":{"n":"1"}}}`)
		programtest.MustCall(t, 200, "DELETE", url+"/a?dryRun=All", "", "")
		programtest.MustCall(t, 200, "GET", url+"/a", "", "")
		programtest.MustCall(t, 200, "PATCH", url+"/a", programtest.MergeType, `{"metadata":{"labels":{"sentinel":"1"}}}`)
		e := <-events
		if e.Type != "MODIFIED" || e.Object.Metadata.Name != "a" {
			t.Errorf("%s: %+v", k.list, e)
		}
		// The first event is the last write's: those before have made none.
		if now := mustHead(t, programtest.MustCall(t, 200, "GET", url+"/a", "", "")).Metadata.ResourceVersion; e.Object.Metadata.ResourceVersion != now {
			t.Errorf("%s: the next change after revision %s is %s, and now it is %s", k.list, version, e.Object.Metadata.ResourceVersion, now)
		}
		cancel()
	}
}

// One manager has one entry, whichever version it applies in: what it leaves out in the other version, it gives up.
func TestWrites_twoVersions(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, twoVersions)
	for _, k := range []struct {
		group, kind, resource string
		more, less            string // configurations without their head
		given, kept           string // a field that the second leaves out, as it reads afterwards, and the first one's owned fields
	}{
		{"autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
			`"spec":{"minReplicas":2,"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}`,
			`"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}`,
			`"minReplicas":1`, `{"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{"f:apiVersion":{},"f:kind":{},"f:name":{}}}}`},
		{"example.com", "Gear", "gears", `"spec":{"size":3,"colour":"red"}`, `"spec":{"size":3}`, `"spec":{"size":3}`, `{"f:spec":{"f:size":{}}}`},
	} {
		url := func(version string) string {
			return fmt.Sprintf("%s/apis/%s/%s/namespaces/default/%s/a", p.URL, k.group, version, k.resource)
		}
		programtest.Eventually(t, "the kind", func() bool {
			code, _ := programtest.Call(t, "GET", strings.TrimSuffix(url("v2"), "/a"), "", "")
			return code == 200
		})
		apply := func(want int, version, manager, rest string) head {
			t.Helper()
			body := fmt.Sprintf(`{"apiVersion":"%s/%s","kind":%q,"metadata":{"name":"a"},%s}`, k.group, version, k.kind, rest)
			return mustHead(t, programtest.MustCall(t, want, "PATCH", url(version)+"?fieldManager="+manager, applyType, body))
		}
		apply(201, "v1", "one", k.more)
		got := apply(200, "v2", "one", k.less).owners()
		if want := map[string]string{"one Apply " + k.group + "/v2": k.kept}; !maps.Equal(got, want) {
			t.Errorf("%s: owners %v, want %v", k.kind, got, want)
		}
		if text := programtest.MustCall(t, 200, "GET", url("v1"), "", ""); !strings.Contains(text, k.given) {
			t.Errorf("%s: no %s in %s", k.kind, k.given, text)
		}
		before := mustHead(t, programtest.MustCall(t, 200, "GET", url("v2"), "", "")).Metadata.ResourceVersion
		if h := apply(200, "v2", "one", k.less); h.Metadata.ResourceVersion != before {
			t.Errorf("%s: the same again went from %s to %s", k.kind, before, h.Metadata.ResourceVersion)
		}
		programtest.MustCall(t, 409, "PATCH", url("v1")+"?fieldManager=two", applyType, fmt.Sprintf(`{"apiVersion":"%s/v1","kind":%q,"metadata":{"name":"a"},%s}`,
			k.group, k.kind, strings.NewReplacer(`"maxReplicas":3`, `"maxReplicas":4`, `"size":3`, `"size":4`).Replace(k.less)))
	}
}

// A single empty entry, or an empty list, clears managedFields; what the same request changes besides belongs to nobody,
// as recorded, until somebody applies. What an update changes moves from its owner to who changed it.
func TestWrites_owners(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	plant := func(name string) {
		programtest.MustCall(t, 201, "PATCH", url+"/"+name+"?fieldManager=applier", applyType,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"},"data":{"a":"1","b":"2"}}`)
	}
	applied := `{"f:data":{"f:a":{},"f:b":{}}}`
	for i, c := range []struct {
		method, contentType, body string
		want                      map[string]string
	}{
		{"PATCH", programtest.MergeType, `{"metadata":{"managedFields":[{}]}}`, map[string]string{}},
		{"PATCH", programtest.MergeType, `{"metadata":{"managedFields":[]}}`, map[string]string{}},
		{"PATCH", programtest.MergeType, `{"metadata":{"managedFields":null}}`, map[string]string{"applier Apply v1": applied}},
		{"PATCH", programtest.MergeType, `{"metadata":{"managedFields":[{}]},"data":{"b":"3"}}`, map[string]string{}},
		{"PATCH", jsonPatchType, `[{"op":"replace","path":"/metadata/managedFields","value":[{}]},{"op":"add","path":"/data/c","value":"4"}]`, map[string]string{}},
		{"PUT", programtest.JSONType, `{"metadata":{"name":"NAME","managedFields":[{}]},"data":{"a":"1","b":"2"}}`, map[string]string{}},
		{"PUT", programtest.JSONType, `{"metadata":{"name":"NAME"},"data":{"a":"1","b":"3"}}`, map[string]string{"applier Apply v1": `{"f:data":{"f:a":{}}}`, "writer Update v1": `{"f:data":{"f:b":{}}}`}},
		{"PUT", programtest.JSONType, `{"metadata":{"name":"NAME"},"data":{"a":"1"}}`, map[string]string{"applier Apply v1": `{"f:data":{"f:a":{}}}`}},
		{"PUT", programtest.JSONType, `{"metadata":{"name":"NAME"},"data":{"a":"9"}}`, map[string]string{"writer Update v1": `{"f:data":{"f:a":{}}}`}},
	} {
		name := fmt.Sprintf("c%d", i)
		plant(name)
		programtest.MustCall(t, 200, c.method, url+"/"+name+"?fieldManager=writer", c.contentType, strings.ReplaceAll(c.body, "NAME", name))
		if got := mustHead(t, programtest.MustCall(t, 200, "GET", url+"/"+name, "", "")).owners(); !maps.Equal(got, c.want) {
			t.Errorf("%s %s: owners %v, want %v", c.method, c.body, got, c.want)
		}
	}
}

// mustWithoutOwners is an object's JSON without managedFields, in which the names of fields stand too.
func mustWithoutOwners(t *testing.T, text string) string {
	t.Helper()
	from := strings.Index(text, `,"managedFields":[`)
	if from < 0 {
		t.Fatal(text)
	}
	var owners json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text[from+len(`,"managedFields":`):])).Decode(&owners); err != nil {
		t.Fatal(err)
	}
	return text[:from] + text[from+len(`,"managedFields":`)+len(owners):]
}

// The directives of a strategic merge patch on built-in kinds.
func TestWrites_directives(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	core, apps := p.URL+"/api/v1/namespaces/default", p.URL+"/apis/apps/v1/namespaces/default"
	programtest.MustCall(t, 201, "POST", core+"/configmaps", programtest.JSONType, `{"metadata":{"name":"a","labels":{"x":"1","y":"2"},"finalizers":["example.com/1","example.com/2","example.com/3"]},"data":{"k":"v","l":"w"}}`)
	programtest.MustCall(t, 201, "POST", core+"/services", programtest.JSONType, `{"metadata":{"name":"a"},"spec":{"selector":{"s":"1"},"ports":[{"name":"p","port":80},{"name":"q","port":81}]}}`)
	programtest.MustCall(t, 201, "POST", apps+"/deployments", programtest.JSONType, `{"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"volumes":[{"name":"v","emptyDir":{}},{"name":"w","emptyDir":{}}],"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},{"name":"d","image":"j"}]}}}}`)
	for _, c := range []struct {
		url, body  string
		has, hasNo []string
	}{
		{core + "/configmaps/a", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/2"]}}`, []string{`"finalizers":["example.com/1","example.com/3"]`}, nil},
		{core + "/configmaps/a", `{"metadata":{"finalizers":["example.com/4"],"$setElementOrder/finalizers":["example.com/4","example.com/3","example.com/1"]}}`,
			[]string{`"finalizers":["example.com/4","example.com/3","example.com/1"]`}, nil},
		{core + "/configmaps/a", `{"data":{"$patch":"replace","m":"n"}}`, []string{`"data":{"m":"n"}`}, []string{`"k"`}},
		{core + "/configmaps/a", `{"data":{"$patch":"delete"}}`, nil, []string{`"data"`}},
		{core + "/configmaps/a", `{"metadata":{"labels":{"$retainKeys":["y"],"y":"3"}}}`, []string{`"labels":{"y":"3"}`}, nil},
		{core + "/services/a", `{"spec":{"ports":[{"port":80,"$patch":"delete"}]}}`, []string{`"port":81`}, []string{`"port":80,`}},
		{core + "/services/a", `{"spec":{"ports":[{"$patch":"replace"},{"name":"r","port":82}]}}`, []string{`"port":82`}, []string{`"port":81`}},
		{apps + "/deployments/a", `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`, []string{`"strategy":{"type":"Recreate"}`}, []string{"maxSurge"}},
		{apps + "/deployments/a", `{"spec":{"template":{"spec":{"volumes":[{"$retainKeys":["name","configMap"],"name":"v","configMap":{"name":"m"}}]}}}}`,
			[]string{`{"name":"v","configMap":{"name":"m",`, `{"name":"w","emptyDir":{}}`}, nil},
		{apps + "/deployments/a", `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"c","env":[{"name":"A","$patch":"delete"}]}]}}}}`,
			[]string{`"name":"d"`, `"name":"c"`, `"env":[{"name":"B","value":"2"}]`}, nil},
		{apps + "/deployments/a", `{"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}`, []string{`"name":"c"`}, []string{`"name":"d"`}},
	} {
		text := programtest.MustCall(t, 200, "PATCH", c.url, strategicType, c.body)
		text = mustWithoutOwners(t, text)
		at := 0
		for _, want := range c.has {
			i := strings.Index(text[at:], want)
			if i < 0 {
				t.Errorf("%s: no %s, in order, in %s", c.body, want, text)
				break
			}
			at += i
		}
		for _, no := range c.hasNo {
			if strings.Contains(text, no) {
				t.Errorf("%s: still %s in %s", c.body, no, text)
			}
		}
	}
}
