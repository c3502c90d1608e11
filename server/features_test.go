package server_test

import (
	"net/http"
	"strings"
	"testing"

	"kubarium/server"
	"kubarium/server/features"
)

// serveWith is a server with the namespace default and some feature gates set.
func serveWith(t *testing.T, gates string) string {
	t.Helper()
	url, _ := mustServe(t, func(o *server.Options) {
		if err := o.Features.Set(gates); err != nil {
			t.Fatal(err)
		}
	})
	code, body := send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"default"}}`})
	if code != http.StatusCreated {
		t.Fatal(code, body)
	}
	return url
}

// Each gate makes a difference to the same request: what is answered with it on, and with it off.
func TestServer_features(t *testing.T) {
	const unsafe = `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`
	accept := func(types string) http.Header { return http.Header{"Accept": {types}} }
	get := func(path string, h http.Header) request { return request{method: "GET", path: path, header: h} }
	for _, c := range []struct {
		gate    features.Gate
		name    string
		q       request
		on, off int
		said    string // in the answer with the gate off
	}{
		{features.WatchList, "initial events", get(configMaps+"?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1", nil), 200, 422,
			"sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"},
		{features.WatchList, "no initial events", get(configMaps+"?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1", nil), 200, 422, "WatchList feature gate"},
		{features.WatchList, "a plain watch", get(configMaps+"?watch=true&resourceVersion=0&timeoutSeconds=1", nil), 200, 200, ""},
		{features.WatchList, "a plain watch with bookmarks", get(configMaps+"?watch=true&resourceVersion=0&timeoutSeconds=1&allowWatchBookmarks=true", nil), 200, 200, "BOOKMARK"},
		{features.CBORServingAndStorage, "an answer", get(configMaps, accept("application/cbor")), 200, 406,
			"406: Not Acceptable\\n\\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch\""},
		{features.CBORServingAndStorage, "the next best answer", get(configMaps, accept("application/cbor,application/json;q=0.5")), 200, 200, `"kind":"ConfigMapList"`},
		{features.CBORServingAndStorage, "a stream", get(configMaps+"?watch=true&timeoutSeconds=1", accept("application/cbor-seq,application/cbor")), 200, 406, "Not Acceptable"},
		{features.CBORServingAndStorage, "aggregated discovery", get("/apis", accept("application/cbor;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io")), 200, 200, `"kind":"APIGroupDiscoveryList"`},
		{features.CBORServingAndStorage, "a body", request{method: "POST", path: configMaps, contentType: "application/cbor", body: mustCBOR(t, configMapObject("a", "1"))}, 201, 415,
			"accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf\""},
		{features.CBORServingAndStorage, "an apply", request{method: "PATCH", path: configMaps + "/b?fieldManager=m", contentType: "application/apply-patch+cbor", body: mustCBOR(t, configMapObject("b", "1"))}, 201, 415, "415: Unsupported Media Type"},
		{features.CBORServingAndStorage, "an error", get(configMaps+"/none", accept("application/cbor,*/*;q=0.1")), 404, 404, `"kind":"Status"`},
		{features.AllowUnsafeMalformedObjectDeletion, "a collection", request{method: "DELETE", path: configMaps + "?labelSelector=none", contentType: "application/json", body: unsafe}, 422, 200, ""},
		{features.AllowUnsafeMalformedObjectDeletion, "what is sound", request{method: "DELETE", path: configMaps + "/sound", contentType: "application/json", body: unsafe}, 409, 200, ""},
		{features.AllowUnsafeMalformedObjectDeletion, "with other options", request{method: "DELETE", path: configMaps + "/none?ignoreStoreReadErrorWithClusterBreakingPotential=true&gracePeriodSeconds=0"}, 422, 404, ""},
	} {
		for setting, want := range map[string]int{"=true": c.on, "=false": c.off} {
			url := serveWith(t, string(c.gate)+setting)
			if code, body := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: `{"metadata":{"name":"sound"}}`}); code != http.StatusCreated {
				t.Fatal(code, body)
			}
			code, body := send(t, url, c.q)
			if code != want || setting == "=false" && !strings.Contains(body, c.said) {
				t.Errorf("%s%s: %s: %d %.400s; want %d with %q", c.gate, setting, c.name, code, body, want, c.said)
			}
		}
	}
}

// With WatchList off, a watch that allows bookmarks and begins anywhere gets no bookmark at the end of what there is.
func TestServer_featureWatchListLegacy(t *testing.T) {
	for setting, want := range map[string]bool{"WatchList=true": true, "WatchList=false": false} {
		_, body := send(t, serveWith(t, setting), request{method: "GET", path: "/api/v1/namespaces?watch=true&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=1"})
		if got := strings.Contains(body, "k8s.io/initial-events-end"); got != want {
			t.Errorf("%s: the bookmark that ends the initial events is there: %v, want %v\n%s", setting, got, want, body)
		}
	}
}

// The metrics tell each gate, with its stage, as kube-apiserver's do.
func TestServer_featureMetrics(t *testing.T) {
	_, body := send(t, serveWith(t, "WatchList=false"), request{method: "GET", path: "/metrics"})
	for _, want := range []string{
		"# TYPE kubernetes_feature_enabled gauge\n",
		`kubernetes_feature_enabled{name="APIResponseCompression",stage="BETA"} 1` + "\n",
		`kubernetes_feature_enabled{name="CBORServingAndStorage",stage="ALPHA"} 1` + "\n",
		`kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0` + "\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}
