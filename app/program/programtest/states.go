package programtest

import (
	"encoding/json"
	"testing"

	"kubarium/app/program"
)

func MustSave(t testing.TB, p *program.Program, name string) {
	t.Helper()
	MustCall(t, 200, "POST", p.URL+"/debug/snapshots", JSONType, `{"name":"`+name+`"}`)
}

func MustRestore(t testing.TB, p *program.Program, name string) (done goneBack) {
	t.Helper()
	text := MustCall(t, 200, "POST", p.URL+"/debug/restore", JSONType, `{"snapshot":"`+name+`"}`)
	if err := json.Unmarshal([]byte(text), &done); err != nil {
		t.Fatal(err)
	}
	return done
}

func MustConfigMap(t testing.TB, p *program.Program, name string) {
	t.Helper()
	MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", JSONType, `{"metadata":{"name":"`+name+`"}}`)
}

// AuditPolicy has as much of each kind of request as shows what its level and stages are for.
const AuditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  nonResourceURLs: ["/version"]
- level: Request
  resources: [{group: "", resources: ["secrets"]}]
- level: Metadata
  omitStages: [RequestReceived]
  resources: [{group: "", resources: ["services"]}]
- level: RequestResponse
  omitManagedFields: true
`

// A Forked is the answer of /debug/fork.
type Forked struct {
	ID                int
	URL, Secure, File string
	Revision          int64
}

func MustFork(t testing.TB, p *program.Program, asked string) (f Forked) {
	t.Helper()
	if err := json.Unmarshal([]byte(MustCall(t, 200, "POST", p.URL+"/debug/fork", JSONType, asked)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// VersionOf is the resourceVersion and the uid of a ConfigMap.
func VersionOf(t testing.TB, server, name string) string {
	t.Helper()
	var o struct {
		Metadata struct{ ResourceVersion, UID string }
	}
	if err := json.Unmarshal([]byte(MustCall(t, 200, "GET", server+ForkedMaps+"/"+name, "", "")), &o); err != nil {
		t.Fatal(err)
	}
	return o.Metadata.ResourceVersion + " " + o.Metadata.UID
}

const SoakDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.soak.example.com"},
"spec":{"group":"soak.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"size":{"type":"integer"},"colour":{"type":"string","default":"red"}}},
"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`

const ForkedMaps = "/api/v1/namespaces/default/configmaps"

// A goneBack is the answer of /debug/restore.
type goneBack struct {
	Snapshot                                  string
	From, Revision, Created, Updated, Deleted int64
}
