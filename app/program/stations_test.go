package program_test

import (
	"fmt"

	"slices"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// stationCalls are requests of each verb that pass all of its stations between them.
func stationCalls(older string) [][3]string {
	const maps, pods, deploys = "/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/pods", "/apis/apps/v1/namespaces/default/deployments"
	web := `{"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
	pod := func(name, more string) string {
		return `{"metadata":{"name":"` + name + `"` + more + `},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
	}
	return [][3]string{
		{"POST", maps, programtest.NamedMap("a")}, {"POST", maps, programtest.NamedMap("a")}, {"POST", maps, `{"metadata":{"name":"A"}}`}, {"POST", maps, `{`},
		{"GET", maps + "/a", ""}, {"GET", maps + "/none", ""}, {"GET", maps + "/a?resourceVersion=x", ""},
		{"GET", maps, ""}, {"GET", maps + "?resourceVersion=" + older + "&resourceVersionMatch=Exact", ""}, {"GET", "/api/v1/configmaps?limit=x", ""},
		{"GET", maps + "?watch=true&timeoutSeconds=1", ""}, {"GET", maps + "?watch=true&resourceVersion=x", ""},
		{"PUT", maps + "/a", `{"metadata":{"name":"a"},"data":{"k":"w"}}`}, {"PUT", maps + "/a", `{"metadata":{"name":"a","resourceVersion":"1"}}`},
		{"PUT", maps + "/none", programtest.NamedMap("none")},
		{"PATCH merge-patch+json", maps + "/a", `{"data":{"k":"x"}}`}, {"PATCH merge-patch+json", maps + "/a", `{"metadata":{"resourceVersion":"1"}}`},
		{"PATCH apply-patch+yaml", maps + "/a?fieldManager=m&force=true", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"y"}}`},
		{"PATCH apply-patch+yaml", maps + "/b?fieldManager=m", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`},
		{"POST", deploys, web}, {"GET", deploys + "/web/scale", ""}, {"PATCH merge-patch+json", deploys + "/web/scale", `{"spec":{"replicas":0}}`},
		{"PUT", deploys + "/web/status", web}, {"DELETE", deploys + "/web?propagationPolicy=Foreground", ""},
		{"POST", pods, pod("p", "")}, {"POST", pods + "/p/eviction", `{"metadata":{"name":"p"}}`}, {"POST", pods, pod("q", `,"finalizers":["a/b"]`)},
		{"DELETE", pods + "/q", `{"preconditions":{"resourceVersion":"1"}}`}, {"DELETE", pods + "/q", ""}, {"DELETE", pods + "/q", ""},
		{"DELETE", maps + "/a", ""}, {"DELETE", maps + "/none", ""}, {"DELETE", maps, ""}, {"DELETE", maps + "?labelSelector=((", ""}, {"DELETE", pods, ""},
		{"GET", "/version", ""}, {"GET", "/apis", ""}, {"GET", "/none", ""}, {"GET", "/openapi/v2", ""}, {"POST", "/version", ""},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{"spec":{"resourceAttributes":{"verb":"get"}}}`},
		{"POST", "/api/v1/namespaces/default/serviceaccounts/default/token", `{}`},
	}
}

// A request passes the stations of its verb and no others, and each of these is passed by one of that verb.
func TestStationsOf(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	<-p.Bootstrapped()
	before := p.Log.Stats().Published
	z := programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", programtest.NamedMap("z"))
	_, older, _ := strings.Cut(z, `"resourceVersion":"`)
	older, _, _ = strings.Cut(older, `"`)
	for _, c := range stationCalls(older) {
		method, media, _ := strings.Cut(c[0], " ")
		if media == "" {
			media = "json"
		}
		programtest.Call(t, method, p.URL+c[1], "application/"+media, c[2])
	}
	seen, want := map[string][]string{}, map[string][]string{}
	flows, _ := p.Log.Since(before, 0)
	for _, f := range flows {
		may := flow.StationsOf(f.Target)
		key := f.Target.Verb
		if f.Target.Resource == "" {
			key = "no resource"
		}
		if f.Target.Subresource == "" || key == "no resource" {
			want[key] = may
		}
		for _, s := range f.Stations {
			if !slices.Contains(may, s.Name) {
				t.Errorf("%s %s?%s passed %s, which is none of %v", f.Method, f.Path, f.Query, s.Name, may)
			}
			if !slices.Contains(seen[key], s.Name) {
				seen[key] = append(seen[key], s.Name)
			}
		}
	}
	for key, names := range want {
		for _, name := range names {
			if !slices.Contains(seen[key], name) {
				t.Errorf("no %s passed %s", key, name)
			}
		}
	}
	if len(want) != 10 {
		t.Error(fmt.Sprint(len(want), " verbs"))
	}
}
