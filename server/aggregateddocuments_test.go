package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server"
	"kubarium/server/aggregate/documents"
)

const (
	groupList    = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	objectMeta   = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	fishDocument = "/openapi/v3/apis/fish.example.com/v1"
)

// A fishServer says of itself that it has one resource. The test changes what it says.
type fishServer struct {
	mu       sync.Mutex // guards the rest
	resource string
	away     bool
	legacy   bool // it knows neither aggregated discovery nor OpenAPI v3
	asked    []string
}

// change changes what the server says.
func (f *fishServer) change(to func(*fishServer)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to(f)
}

// requests are what it was asked since the last call.
func (f *fishServer) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}

// ServeHTTP fulfils http.Handler.
func (f *fishServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r.Header.Get("X-Remote-User")+" "+r.URL.Path)
	if f.away {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	tag := `"` + f.resource + `"`
	text := map[string]string{"/apis/fish.example.com/v1": f.plain(), "/openapi/v2": f.swagger()}
	if !f.legacy {
		text["/apis"], text["/openapi/v3"], text[fishDocument] = f.aggregated(), f.index(), f.document()
		w.Header().Set("Etag", tag)
	}
	switch body := text[r.URL.Path]; {
	case body == "":
		http.NotFound(w, r)
	case !f.legacy && r.Header.Get("If-None-Match") == tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		if r.URL.Path == "/apis" {
			w.Header().Set("Content-Type", groupList)
		}
		fmt.Fprint(w, body)
	}
}

func (f *fishServer) plain() string {
	return fmt.Sprintf(`{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "fish.example.com/v1", "resources": [
		{"name": %q, "singularName": "fish", "namespaced": true, "kind": "Fish", "verbs": ["get", "list"]}]}`, f.resource)
}

func (f *fishServer) aggregated() string {
	return fmt.Sprintf(`{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [{"metadata": {"name": "fish.example.com"}, "versions": [
		{"version": "v1", "resources": [{"resource": %q, "singularResource": "fish", "scope": "Namespaced", "verbs": ["get", "list"], "responseKind": {"kind": "Fish"}}]},
		{"version": "v9", "resources": []}]}]}`, f.resource)
}

func (f *fishServer) index() string {
	return fmt.Sprintf(`{"paths": {"version": {"serverRelativeURL": "/openapi/v3/version?hash=theirs"}, "apis/fish.example.com/v1": {"serverRelativeURL": "%s?hash=%s"}}}`,
		fishDocument, f.resource)
}

func (f *fishServer) document() string {
	return fmt.Sprintf(`{"openapi": "3.0.0", "info": {"title": "fish", "version": "v1"}, "paths": {}, "components": {"schemas": {"Fish": {"description": %q}}}}`, f.resource)
}

// swagger has a definition that is another thing here, and paths that are not of the group version.
func (f *fishServer) swagger() string {
	path := func(name string) string {
		return `{"get": {"operationId": "` + name + `", "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/` + name + `"}}}}}`
	}
	return fmt.Sprintf(`{"swagger": "2.0", "info": {"title": "fish", "version": "v1"},
		"paths": {"/apis/fish.example.com/v1/%s": %s, "/apis/bird.example.com/v1/birds": %s},
		"definitions": {"Fish": {"type": "object", "description": %q, "properties": {"metadata": {"$ref": "#/definitions/%s"}}}, "Bird": {"type": "object"},
			"%s": {"type": "object", "description": "another one"}}}`, f.resource, path("Fish"), path("Bird"), f.resource, objectMeta, objectMeta)
}

// mustFollow serves f behind an APIService, and follows what it says.
func mustFollow(t *testing.T, f *fishServer) aggregated {
	t.Helper()
	if f.resource == "" {
		f.resource = "fish"
	}
	return mustAggregate(t, f.ServeHTTP, nil, func(o *server.Options) {
		o.Documents = documents.New(o.Aggregator, slog.New(slog.DiscardHandler))
		var running sync.WaitGroup
		running.Go(func() { o.Documents.Run(t.Context()) })
		t.Cleanup(running.Wait)
	})
}

// again makes Kubarium ask now, as it does when an APIService has changed.
func (a aggregated) again(t *testing.T) {
	t.Helper()
	code, text := send(t, a.url, request{method: "PATCH", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com", contentType: "application/merge-patch+json",
		body: fmt.Sprintf(`{"metadata": {"annotations": {"asked": "%d"}}}`, time.Now().UnixNano())})
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
}

// mustGet reads a document.
func (a aggregated) mustGet(t *testing.T, path, accept string, into any) {
	t.Helper()
	code, text := send(t, a.url, request{method: "GET", path: path, header: http.Header{"Accept": {accept}}})
	if code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, code, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
}

// told is what aggregated discovery says of the group: "v1 Current fish".
func (a aggregated) told(t *testing.T) string {
	t.Helper()
	var list apidiscoveryv2.APIGroupDiscoveryList
	a.mustGet(t, "/apis", groupList, &list)
	var told []string
	for _, g := range list.Items {
		for _, v := range g.Versions {
			if g.Name != "fish.example.com" {
				continue
			}
			told = append(told, v.Version, string(v.Freshness))
			for _, r := range v.Resources {
				told = append(told, r.Resource)
			}
		}
	}
	return strings.Join(told, " ")
}

// index is where the document of the group version is.
func (a aggregated) index(t *testing.T, path string) string {
	t.Helper()
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	a.mustGet(t, "/openapi/v3", "application/json", &index)
	return index.Paths[path].ServerRelativeURL
}

// eventually waits until something is told.
func eventually(t *testing.T, want string, told func() string) {
	t.Helper()
	late := time.Now().Add(20 * time.Second)
	for {
		got := told()
		if got == want {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("told %q, want %q", got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Aggregated discovery tells what the server behind says, how fresh that is, and what it says next; the server is asked by the
// aggregator's user, and not again for what has not changed.
func TestServer_aggregatedDiscovery(t *testing.T) {
	f := &fishServer{}
	a := mustFollow(t, f)
	told := func() string { return a.told(t) }
	eventually(t, "v1 Current fish", told)
	f.change(func(f *fishServer) { f.resource = "carps" })
	a.again(t)
	eventually(t, "v1 Current carps", told)
	f.change(func(f *fishServer) { f.away = true })
	a.again(t)
	eventually(t, "v1 Stale", told)
	f.change(func(f *fishServer) { f.away = false })
	eventually(t, "v1 Current carps", told) // without a word from anybody
	a.available(t, "False")
	eventually(t, "v1 Current carps", told) // it answers whatever its condition says
	for _, asked := range f.requests() {
		if who, _, _ := strings.Cut(asked, " "); who != "system:kube-aggregator" && who != "system:aggregator" {
			t.Errorf("asked as %s", asked)
		}
	}
	all, _ := a.log.Since(0, 10_000)
	for _, f := range all {
		if strings.Contains(f.RequestHeader.Get("User-Agent"), "aggregator") || f.Target.Group == "fish.example.com" {
			t.Errorf("on the screen: %s %s", f.Method, f.Path)
		}
	}
	if code, _ := send(t, a.url, request{method: "DELETE", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com"}); code != http.StatusOK {
		t.Fatal(code)
	}
	eventually(t, "", told)
}

// A server that does not know aggregated discovery is asked for each group version.
func TestServer_aggregatedDiscovery_legacy(t *testing.T) {
	f := &fishServer{legacy: true}
	a := mustFollow(t, f)
	eventually(t, "v1 Current fish", func() string { return a.told(t) })
	if asked := f.requests(); !slices.Contains(asked, "system:kube-aggregator /apis/fish.example.com/v1") {
		t.Errorf("asked %q", asked)
	}
}

// An ETag stands for what is told.
func TestServer_aggregatedDiscovery_etag(t *testing.T) {
	f := &fishServer{}
	a := mustFollow(t, f)
	eventually(t, "v1 Current fish", func() string { return a.told(t) })
	get := func(tag string) (int, string) {
		r, err := http.NewRequest("GET", a.url+"/apis", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", groupList)
		r.Header.Set("If-None-Match", tag)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("Etag")
	}
	_, tag := get("")
	if code, _ := get(tag); code != http.StatusNotModified {
		t.Errorf("%d for the same", code)
	}
	f.change(func(f *fishServer) { f.resource = "carps" })
	a.again(t)
	eventually(t, "v1 Current carps", func() string { return a.told(t) })
	if code, next := get(tag); code != http.StatusOK || next == tag {
		t.Errorf("%d, %s behind %s", code, next, tag)
	}
}

// Groups come in the order of their APIServices, and have their paths and documents whether or not their servers answer.
func TestServer_aggregatedGroups(t *testing.T) {
	f := &fishServer{away: true}
	a := mustFollow(t, f)
	var groups metav1.APIGroupList
	a.mustGet(t, "/apis", "application/json", &groups)
	if last := groups.Groups[len(groups.Groups)-1]; last.Name != "fish.example.com" || last.PreferredVersion.GroupVersion != "fish.example.com/v1" {
		t.Errorf("the last group is %s", last.Name)
	}
	a.mustPost(t, "/apis/apiregistration.k8s.io/v1/apiservices", `{"metadata": {"name": "v2.fish.example.com"}, "spec": {"group": "fish.example.com",
		"version": "v2", "groupPriorityMinimum": 18500, "versionPriority": 10}}`)
	eventually(t, "apiregistration.k8s.io fish.example.com", func() string {
		a.mustGet(t, "/apis", "application/json", &groups)
		return groups.Groups[0].Name + " " + groups.Groups[1].Name
	})
	var group metav1.APIGroup
	a.mustGet(t, "/apis/fish.example.com", "application/json", &group)
	if len(group.Versions) != 2 || group.PreferredVersion.Version != "v1" || group.Kind != "APIGroup" {
		t.Errorf("the group is %+v", group)
	}
	var root metav1.RootPaths
	a.mustGet(t, "/", "application/json", &root)
	for _, path := range []string{"/apis/fish.example.com", "/apis/fish.example.com/v1", "/apis/fish.example.com/v2"} {
		if !slices.Contains(root.Paths, path) {
			t.Errorf("%s is not among the paths", path)
		}
	}
	if code, _ := send(t, a.url, request{method: "GET", path: "/apis/bird.example.com"}); code != http.StatusNotFound {
		t.Errorf("%d for a group that nobody has", code)
	}
	a.told(t) // the second APIService leads nowhere, and is not told of
}

// The documents of OpenAPI v3 of the server behind are listed with its own hashes, and it answers for them. This server's own stay its
// own.
func TestServer_aggregatedOpenAPIV3(t *testing.T) {
	f := &fishServer{}
	a := mustFollow(t, f)
	const at = "apis/fish.example.com/v1"
	eventually(t, fishDocument+"?hash=fish", func() string { return a.index(t, at) })
	if own := a.index(t, "version"); strings.Contains(own, "theirs") {
		t.Errorf("this server's own document is at %s", own)
	}
	f.requests()
	code, text := send(t, a.url, request{method: "GET", path: fishDocument + "?hash=fish"})
	if asked := f.requests(); code != http.StatusOK || !strings.Contains(text, `"title": "fish"`) || !slices.Equal(asked, []string{"system:admin " + fishDocument}) {
		t.Errorf("%d %s, asked %q", code, text, asked)
	}
	f.change(func(f *fishServer) { f.resource = "carps" })
	a.again(t)
	eventually(t, fishDocument+"?hash=carps", func() string { return a.index(t, at) })
	f.change(func(f *fishServer) { f.away = true })
	a.again(t)
	a.available(t, "False")
	if got := a.index(t, at); got != fishDocument+"?hash=carps" {
		t.Errorf("while it is away its document is at %q", got)
	}
	if code, text := send(t, a.url, request{method: "GET", path: fishDocument}); code != http.StatusServiceUnavailable {
		t.Errorf("while it is away: %d %s", code, text)
	}
}

// A server that knows OpenAPI v2 alone has its swagger as a document of v3.
func TestServer_aggregatedOpenAPIV3_legacy(t *testing.T) {
	f := &fishServer{legacy: true}
	a := mustFollow(t, f)
	const at = "apis/fish.example.com/v1"
	eventually(t, "true", func() string { return fmt.Sprint(a.index(t, at) != "") })
	var document struct {
		Components struct {
			Schemas map[string]struct{ Description string }
		}
	}
	a.mustGet(t, a.index(t, at), "application/json", &document)
	if got := document.Components.Schemas["Fish"].Description; got != "fish" {
		t.Errorf("the schema says %q", got)
	}
	before := a.index(t, at)
	f.change(func(f *fishServer) { f.legacy = false })
	a.again(t)
	eventually(t, fishDocument+"?hash=fish", func() string { return a.index(t, at) })
	if before == a.index(t, at) {
		t.Error("the document is still this server's")
	}
}

// The swagger has what the server behind answers for, under another name where a definition is another thing here.
func TestServer_aggregatedOpenAPIV2(t *testing.T) {
	f := &fishServer{}
	a := mustFollow(t, f)
	type swagger struct {
		Paths       map[string]any
		Definitions map[string]struct {
			Description string
			Properties  map[string]map[string]any
		}
	}
	var got swagger
	fish := func() string {
		got = swagger{}
		a.mustGet(t, "/openapi/v2", "application/json", &got)
		return got.Definitions["Fish"].Description
	}
	eventually(t, "fish", fish)
	if got.Paths["/apis/fish.example.com/v1/fish"] == nil || got.Paths["/api/v1/pods"] == nil {
		t.Error("paths are missing")
	}
	if _, ok := got.Definitions["Bird"]; ok || got.Paths["/apis/bird.example.com/v1/birds"] != nil {
		t.Error("another group version is there, too")
	}
	if ref := got.Definitions["Fish"].Properties["metadata"]["$ref"]; ref != "#/definitions/"+objectMeta+"_v2" {
		t.Errorf("metadata is %v", ref)
	}
	if theirs := got.Definitions[objectMeta+"_v2"].Description; theirs != "another one" || got.Definitions[objectMeta].Description == theirs {
		t.Errorf("the renamed definition says %q", theirs)
	}
	f.change(func(f *fishServer) { f.resource = "carps" })
	a.again(t)
	eventually(t, "carps", fish)
	if code, _ := send(t, a.url, request{method: "DELETE", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com"}); code != http.StatusOK {
		t.Fatal(code)
	}
	eventually(t, "", fish)
}
