package server_test

import (
	"strings"
	"testing"
)

// A create whose name belongs to an object that is being deleted says so, also when it is a dry run.
func TestCreate_TakenByTerminating(t *testing.T) {
	url, _ := mustServe(t, nil)
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	path := "/api/v1/namespaces/default/configmaps"
	body := `{"metadata":{"name":"a","finalizers":["example.com/hold"]}}`
	create := func(query string) (int, string) {
		return send(t, url, request{method: "POST", path: path + query, contentType: "application/json", body: body})
	}
	mustMake(t, url, path, body)
	if code, answer := create(""); code != 409 || strings.Contains(answer, "being deleted") {
		t.Error("while it lives:", code, answer)
	}
	if code, answer := send(t, url, request{method: "DELETE", path: path + "/a"}); code != 200 {
		t.Fatal(code, answer)
	}
	for _, query := range []string{"", "?dryRun=All"} {
		code, answer := create(query)
		if code != 409 || !strings.Contains(answer, `object is being deleted: configmaps \"a\" already exists`) {
			t.Errorf("%q: %d %s", query, code, answer)
		}
	}
}

// A refused Event of events.k8s.io is called as it is kept: an Event of the core group.
func TestCreate_InvalidEventOfOtherGroup(t *testing.T) {
	url, _ := mustServe(t, nil)
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	code, answer := send(t, url, request{method: "POST", path: "/apis/events.k8s.io/v1/namespaces/default/events",
		contentType: "application/json", body: `{"metadata":{"name":"a"}}`})
	if code != 422 || !strings.Contains(answer, `"Event \"a\" is invalid: [eventTime`) || strings.Contains(answer, `"group"`) {
		t.Error(code, answer)
	}
}

// Every answer of a handler of Endpoints warns that they are deprecated; where there is no handler, nothing warns.
func TestDeprecation(t *testing.T) {
	url, _ := mustServe(t, nil)
	for _, c := range []struct {
		method, path, accept string
		told                 bool
	}{
		{"GET", "/api/v1/endpoints", "", true}, {"GET", "/api/v1/namespaces/default/endpoints/none", "", true}, {"GET", "/api/v1/pods", "", false},
		{"GET", "/api/v1/namespaces/default/endpoints/%2E%2E", "", true}, {"DELETE", "/api/v1/namespaces/default/endpoints", "", true},
		{"POST", "/api/v1/endpoints", "", false}, {"PUT", "/api/v1/endpoints", "", false}, {"OPTIONS", "/api/v1/endpoints", "", false},
		{"PATCH", "/api/v1/namespaces/default/endpoints", "", false}, {"GET", "/api/v1/namespaces/default/endpoints/none/status", "", false},
		{"GET", "/api/v1/endpoints", "text/plain", false}, {"PATCH", "/api/v1/namespaces/default/endpoints/none", "", false},
	} {
		answer, _ := mustAsk(t, c.method, url+c.path, map[string]string{"Accept": c.accept})
		if told := strings.Contains(answer.Header.Get("Warning"), "v1 Endpoints is deprecated in v1.33+"); told != c.told {
			t.Errorf("%s %s %s: %d, Warning: %q", c.method, c.path, c.accept, answer.StatusCode, answer.Header.Get("Warning"))
		}
	}
}

// mustMake creates an object.
func mustMake(t *testing.T, url, path, body string) {
	t.Helper()
	if code, answer := send(t, url, request{method: "POST", path: path, contentType: "application/json", body: body}); code != 201 {
		t.Fatal(code, answer)
	}
}

// What may not change is told before what is wrong with the object as it would be, where kube-apiserver does so.
func TestUpdate_ChangesFirst(t *testing.T) {
	url, _ := mustServe(t, nil)
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	path := "/api/v1/namespaces/default/configmaps"
	mustMake(t, url, path, `{"metadata":{"name":"a"},"immutable":true}`)
	code, answer := send(t, url, request{method: "PUT", path: path + "/a", contentType: "application/json",
		body: `{"metadata":{"name":"a"},"immutable":true,"data":{"a b":"c"}}`})
	if code != 422 || !strings.Contains(answer, "is invalid: [data: Forbidden: field is immutable when `immutable` is set, data[a b]: Invalid value") {
		t.Error(code, answer)
	}
}

// A namespace that terminates gives out no tokens, and the refusal names the account's own group.
func TestToken_InTerminatingNamespace(t *testing.T) {
	url, _ := mustServe(t, nil)
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"n","finalizers":["example.com/hold"]}}`)
	mustMake(t, url, "/api/v1/namespaces/n/serviceaccounts", `{"metadata":{"name":"a"}}`)
	if code, answer := send(t, url, request{method: "DELETE", path: "/api/v1/namespaces/n"}); code != 200 {
		t.Fatal(code, answer)
	}
	code, answer := send(t, url, request{method: "POST", path: "/api/v1/namespaces/n/serviceaccounts/a/token", contentType: "application/json", body: `{}`})
	if code != 403 || !strings.Contains(answer, `serviceaccounts \"a\" is forbidden: unable to create new content in namespace n`) {
		t.Error(code, answer)
	}
}
