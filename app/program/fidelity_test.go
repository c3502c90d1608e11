package program_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
)

// A file that was read with "kubectl get -o yaml" names a version, which no new object may have; words that are no
// number pass, and so does a dry run.
func TestFidelity_createWithRevision(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	body := `{"metadata":{"name":"a","resourceVersion":"5"}}`
	if text := programtest.MustCall(t, 500, "POST", url, programtest.JSONType, body); !strings.Contains(text, "resourceVersion should not be set on objects to be created") {
		t.Error(text)
	}
	programtest.MustCall(t, 201, "POST", url+"?dryRun=All", programtest.JSONType, body)
	programtest.MustCall(t, 404, "GET", url+"/a", "", "")
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"a","resourceVersion":"0"}}`)
}

const onePod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}}`

// A pod is bound to a node once, as a scheduler does it, and says so.
func TestFidelity_binding(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/pods"
	bind := `{"metadata":{"name":"p","annotations":{"a":"b"}},"target":{"kind":"Node","name":"n1"}}`
	programtest.MustCall(t, 404, "POST", url+"/p/binding", programtest.JSONType, bind)
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, onePod)
	programtest.MustCall(t, 500, "POST", url+"/p/binding", programtest.JSONType, `{"metadata":{"name":"p"},"target":{"kind":"Pod"}}`)
	programtest.MustCall(t, 400, "POST", url+"/p/binding", programtest.JSONType, `{"metadata":{"name":"q"},"target":{"name":"n1"}}`)
	if text := programtest.MustCall(t, 201, "POST", url+"/p/binding", programtest.JSONType, bind); !strings.Contains(text, `"status":"Success"`) {
		t.Error(text)
	}
	text := programtest.MustCall(t, 200, "GET", url+"/p", "", "")
	for _, want := range []string{`"nodeName":"n1"`, `"type":"PodScheduled","status":"True"`, `"annotations":{"a":"b"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if text := programtest.MustCall(t, 409, "POST", url+"/p/binding", programtest.JSONType, bind); !strings.Contains(text, `pod p is already assigned to node \"n1\"`) {
		t.Error(text)
	}
	programtest.MustCall(t, 405, "GET", url+"/p/binding", "", "")
}

// What leads to a pod's node answers as a cluster whose node cannot be reached, step by step.
func TestFidelity_podNode(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/pods"
	see := func(code int, method, path, want string) {
		t.Helper()
		if text := programtest.MustCall(t, code, method, url+path, "", ""); !strings.Contains(text, want) {
			t.Errorf("%s %s: no %q in %s", method, path, want, text)
		}
	}
	see(404, "GET", "/p/log", `pods \"p\" not found`)
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, onePod)
	see(400, "GET", "/p/log", "a container name must be specified for pod p, choose one of: [a b]")
	see(400, "GET", "/p/log?container=c", "container c is not valid for pod p")
	see(204, "GET", "/p/log?container=a", "")
	see(400, "POST", "/p/exec?container=a&command=ls", "pod p does not have a host assigned")
	see(400, "POST", "/p/portforward", "pod p does not have a host assigned")
	programtest.MustCall(t, 201, "POST", url+"/p/binding", programtest.JSONType, `{"metadata":{"name":"p"},"target":{"name":"n1"}}`)
	see(404, "GET", "/p/log?container=a", `pods \"n1\" not found`)
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/nodes", programtest.JSONType, `{"metadata":{"name":"n1"}}`)
	see(500, "GET", "/p/log?container=a", "no preferred addresses found")
	programtest.MustCall(t, 200, "PATCH", p.URL+"/api/v1/nodes/n1/status", programtest.MergeType, `{"status":{"addresses":[{"type":"InternalIP","address":"10.1.2.3"}]}}`)
	see(400, "POST", "/p/exec?container=a&command=ls", "Upgrade request required")
	see(500, "GET", "/p/log?container=a&tailLines=3&follow=false&timestamps=true", `Get \"https://10.1.2.3:10250/containerLogs/default/p/a?tailLines=3\u0026timestamps=true\": dial tcp 10.1.2.3:10250: connect: connection refused`)
	see(404, "GET", "/p/nope", "the server could not find the requested resource")
}

// A namespace that finalizers hold says in its conditions what is left and who holds it.
func TestFidelity_namespaceConditions(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()})
	url := p.URL + "/api/v1/namespaces"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"n"}}`)
	programtest.MustCall(t, 201, "POST", url+"/n/configmaps", programtest.JSONType, `{"metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	programtest.MustCall(t, 200, "DELETE", url+"/n", "", "")
	want := []string{
		`"type":"NamespaceDeletionContentFailure","status":"False"`,
		"Some resources are remaining: configmaps. has 1 resource instances",
		"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
	}
	text := await(t, url+"/n", func(code int, text string) bool { return strings.Contains(text, want[2]) })
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %s in %s", w, text)
		}
	}
	programtest.MustCall(t, 200, "PATCH", url+"/n/configmaps/held", programtest.MergeType, `{"metadata":{"finalizers":null}}`)
	await(t, url+"/n", func(code int, _ string) bool { return code == http.StatusNotFound })
}

// await reads a URL until it is as it should be, and returns what was read last.
func await(t *testing.T, url string, done func(code int, text string) bool) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		code, text := programtest.Call(t, "GET", url, "", "")
		if done(code, text) {
			return text
		}
		if time.Now().After(deadline) {
			t.Fatalf("GET %s: still %d %s", url, code, text)
		}
	}
}
