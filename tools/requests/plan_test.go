package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// A line is asked with each combination of its alternatives, and words, types and bytes are put in.
func TestQuestions(t *testing.T) {
	all, err := questions(`<GET|PUT> {of}/a<|?x=1> accept=table type=<json|text/plain> {"a":"\x61"}`, map[string]string{"of": "/api/v1/pods"})
	if err != nil || len(all) != 8 {
		t.Fatalf("%d questions, %v", len(all), err)
	}
	if got, want := all[0], (question{
		line: all[0].line, method: "GET", path: "/api/v1/pods/a", accept: "application/json;as=Table;g=meta.k8s.io;v=v1", typ: "application/json", body: `{"a":"a"}`,
	}); got != want {
		t.Errorf("%+v", got)
	}
	if _, err := questions("GET nowhere", nil); err == nil {
		t.Error("a line without a path is taken")
	}
}

// Each line of requests.txt makes questions without words or alternatives that were left, for resources of either scope and for
// their subresources; no question is asked twice.
func TestPlan(t *testing.T) {
	plan, err := planned([]resource{
		{"/api/v1", "pods", "", "Pod", true, "create,get,list"}, {"/api/v1", "pods", "log", "Pod", true, "get"},
		{"/apis/node.k8s.io/v1", "runtimeclasses", "", "RuntimeClass", false, "create,get"}, {"/apis/a/v1", "reviews", "", "Review", false, "create"},
	}, "run1", "")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, q := range plan {
		counts[q.String()]++
		if text := q.method + q.path + q.accept + q.typ; strings.ContainsAny(text, "{}<>| ") && !strings.Contains(text, "?labelSelector") || strings.Contains(q.body, "{run}") {
			t.Errorf("%q", q)
		}
	}
	for _, want := range []string{
		"DELETE /api/v1/namespaces/run1/pods/none?dryRun=x", "GET /apis/node.k8s.io/v1/runtimeclasses?labelSelector=none",
		"OPTIONS /api/v1/namespaces/run1/pods/none/log?dryRun=All", "DELETE /apis/a/v1/reviews/none", "GET //",
	} {
		if counts[want] == 0 {
			t.Errorf("%s is not asked", want)
		}
	}
	if len(plan) < 1500 {
		t.Errorf("%d questions", len(plan))
	}
	only, err := planned(nil, "run1", "/openapi/v3")
	if err != nil || len(only) >= len(plan)/5 || !slices.ContainsFunc(only, func(q question) bool { return q.path == "/openapi/v3/version" }) {
		t.Errorf("%d questions about OpenAPI, %v", len(only), err)
	}
}

// What servers choose by themselves does not count, and all else does.
func TestNormal(t *testing.T) {
	at := func(rv, uid, at, message string) answer {
		return answer{400, http.Header{"Content-Type": {"application/json"}, "Etag": {rv}},
			`{"metadata":{"resourceVersion":"` + rv + `","uid":"` + uid + `","creationTimestamp":"` + at + `"},"message":"` + message + `","details":{"causes":[{"field":"` + uid[:1] + `"}]}}`}
	}
	one := at("5", "0b0a3c1e-1111-4222-8333-444455556666", "2026-01-02T03:04:05Z", "m")
	if two := at("17", "0c0a3c1e-7777-4222-8333-444455556666", "2026-11-12T13:14:15Z", "m"); one.normal() != two.normal() {
		t.Errorf("%s\n%s", one.normal(), two.normal())
	}
	for _, other := range []answer{at("5", "0b0a3c1e-1111-4222-8333-444455556666", "x", "m"), at("5", "0b0a3c1e-1111-4222-8333-444455556666", "2026-01-02T03:04:05Z", "n")} {
		if one.normal() == other.normal() {
			t.Errorf("the same: %s", other.normal())
		}
	}
	a := answer{422, one.header, `{"message":"[a, b]","details":{"causes":[{"field":"a"},{"field":"b"}]}}`}
	b := answer{422, one.header, `{"message":"[b, a]","details":{"causes":[{"field":"b"},{"field":"a"}]}}`}
	if a.normal() != b.normal() {
		t.Error("causes in another order count")
	}
}

// docs/differences.md names each known difference, in these words.
func TestKnown(t *testing.T) {
	page, err := os.ReadFile("../../docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, k := range knownDifferences {
		if !strings.Contains(text, k.words) {
			t.Errorf("not in docs/differences.md: %s", k.words)
		}
	}
	q := question{method: "GET", path: "/livez?verbose"}
	if explained(q, [2]string{"200\n[+]storage", "200\n[+]etcd ok"}) == nil || explained(q, [2]string{"500\n", "200\nok"}) != nil {
		t.Error("the checks of /livez are explained wrongly")
	}
}
