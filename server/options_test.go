package server_test

import (
	"net/http"

	"strings"
	"testing"
)

// Every invalid combination of what a list or a watch can be asked gets the 422 of its fields, or a 400; the valid ones
// beside them are served. In a watch sendInitialEvents also has its effect: what is told first.
func TestServer_listOptions(t *testing.T) {
	const (
		needsMatch = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
		noMatch    = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
		exactWatch = `resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"`
	)
	server := serveDefault(t)
	if code, body := send(t, server, request{method: "POST", path: configMaps, contentType: "application/json", body: `{"metadata":{"name":"a"}}`}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	for _, c := range []struct {
		query string
		code  int
		want  string // separated by "|"; what begins with "!" is not there
	}{
		{"watch=1&sendInitialEvents=true", 422, needsMatch},
		{"watch=1&sendInitialEvents=false", 422, needsMatch},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", 422, needsMatch + "|" + exactWatch},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", 422, needsMatch + "|" + exactWatch},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=bogus", 422, needsMatch + `|resourceVersionMatch: Unsupported value: "bogus"`},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", 422, "resourceVersionMatch is forbidden when continue is provided"},
		{"watch=1&resourceVersionMatch=NotOlderThan", 422, noMatch},
		{"watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1", 422, noMatch},
		{"watch=1&resourceVersionMatch=Exact&resourceVersion=1", 422, noMatch + "|" + exactWatch},
		{"watch=1&sendInitialEvents=perhaps&timeoutSeconds=1", 422, needsMatch},
		{"sendInitialEvents=true", 422, "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
		{"sendInitialEvents=false", 422, "sendInitialEvents is forbidden for list"},
		{"sendInitialEvents=true&resourceVersion=1&resourceVersionMatch=NotOlderThan", 422, "sendInitialEvents is forbidden for list|!resourceVersionMatch:"},
		{"resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"resourceVersionMatch=NotOlderThan", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"resourceVersionMatch=bogus&resourceVersion=1", 422, `resourceVersionMatch: Unsupported value: "bogus": supported values: "Exact", "NotOlderThan", ""`},
		{"resourceVersionMatch=Exact&resourceVersion=0", 422, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
		{"resourceVersionMatch=Exact&resourceVersion=1&continue=x", 422, "resourceVersionMatch is forbidden when continue is provided"},
		{"resourceVersion=1&continue=x", 400, "continue"},
		{"continue=x", 400, "invalid continue token"},
		{"resourceVersion=x", 400, "invalid resource version"},
		{"resourceVersion=-1", 400, "invalid resource version"},
		{"limit=x", 400, `strconv.ParseInt: parsing \"x\": invalid syntax`},
		{"watch=1&timeoutSeconds=x", 400, `strconv.ParseInt: parsing \"x\": invalid syntax`},
		{"watch=1&timeoutSeconds=1.5", 400, "invalid syntax"},
		{"timeout=soon", 400, `invalid timeout specified in the request URL - time: invalid duration "soon"`},
		{"timeout=1s", 200, `"name":"a"`},
		{"timeout=0s", 200, `"name":"a"`},
		{"timeout=-1s", 200, `"name":"a"`},
		{"timeout=24h", 200, `"name":"a"`},
		{"timeout=100ms&resourceVersion=99999999", 504, "Timeout: request did not complete within the allotted timeout"},
		{"watch=1&timeoutSeconds=1&timeout=soon", 200, `"type":"ADDED"`},
		{"fieldSelector=%zz", 200, `"name":"a"`},
		{"limit=x;limit=1", 200, `"name":"a"`},
		{"watch=1&labelSelector=a===b", 400, "unable to parse requirement"},
		{"watch=1&fieldSelector=a", 400, "invalid selector"},
		{"watch=1&fieldSelector=spec.nodeName=a", 400, `"spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"watch=1&timeoutSeconds=1&resourceVersion=0", 200, `"type":"ADDED"|!BOOKMARK`},
		{"watch=1&timeoutSeconds=1&resourceVersion=0&allowWatchBookmarks=true", 200, `"type":"ADDED"|initial-events-end`},
		{"watch=1&timeoutSeconds=1", 200, `"type":"ADDED"|!BOOKMARK`},
		{"watch=1&timeoutSeconds=1&resourceVersion=1", 200, `"type":"ADDED"|!initial-events-end`},
		{"watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 200, `"type":"ADDED"|!BOOKMARK`},
		{"watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=1", 200, `"type":"ADDED"|initial-events-end`},
		{"watch=1&timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", 200, `!ADDED|!initial-events-end|"type":"BOOKMARK"`},
		{"watch=1&timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0", 200, "!ADDED"},
		{"watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a", 200, `"name":"a"`},
		{"watch=1&timeoutSeconds=1&fieldSelector=metadata.name=b", 200, "!ADDED"},
		{"watch=1&timeoutSeconds=-1&resourceVersion=99999999", 200, "!type"},
		{"watch=1&timeoutSeconds=1&limit=1", 200, `"type":"ADDED"`},
		{"watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a&labelSelector=no", 200, "!ADDED"},
	} {

		t.Run(c.query, func(t *testing.T) {
			t.Parallel()
			code, body := send(t, server, request{method: "GET", path: configMaps + "?" + c.query})

			if code != c.code {
				t.Errorf("%d %.400s; want %d", code, body, c.code)
			}
			for want := range strings.SplitSeq(c.want, "|") {
				not, is := strings.CutPrefix(want, "!")
				there := strings.Contains(body, not) || strings.Contains(strings.ReplaceAll(body, `\"`, `"`), not)
				if there == is {
					t.Errorf("%q there: %v, in %.500s", not, there, body)
				}
			}
		})
	}
}

// A get refuses what old clients ask it for.
func TestServer_getOptions(t *testing.T) {
	server := serveDefault(t)
	for _, c := range []struct {
		query string
		code  int
		want  string
	}{
		{"", 200, `"name":"default"`},
		{"export=false", 200, `"name":"default"`},
		{"export=true", 400, "the export parameter, deprecated since v1.14, is no longer supported"},
		{"export=", 400, "no longer supported"},
		{"timeout=soon", 400, "invalid timeout specified in the request URL"},
		{"resourceVersion=9223372036854775808&timeout=100ms", 504, "allotted timeout"},
	} {
		code, body := send(t, server, request{method: "GET", path: "/api/v1/namespaces/default?" + c.query})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s; want %d, %s", c.query, code, body, c.code, c.want)
		}
	}
}

// A scale that is asked for by a resourceVersion is read as its object is.
func TestServer_scaleVersion(t *testing.T) {
	url := serveDefault(t)
	const scale = "/apis/apps/v1/namespaces/default/deployments/d/scale"
	for query, want := range map[string]int{"?resourceVersion=abc": 500, "?resourceVersion=0": 404, "?resourceVersion=99999999&timeout=50ms": 504} {
		if code, body := send(t, url, request{method: "GET", path: scale + query}); code != want {
			t.Errorf("%s: %d %s; want %d", query, code, body, want)
		}
	}
}
