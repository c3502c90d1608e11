// Package lessontest has what the tests of lessons share: a whole Kubarium to play against, and lessons for tests.
package lessontest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"kubarium/app/program"
	"kubarium/scenarios"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// MustStart starts a whole Kubarium on a free port, with a new database.
func MustStart(t *testing.T, run controllers.List) *program.Program { return mustStart(t, run, 0) }

// MustStartNode is MustStart with a simulated node that is ready, and with all controllers.
func MustStartNode(t *testing.T) *program.Program {
	t.Helper()
	p := mustStart(t, controllers.All(), 1)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var nodes corev1.NodeList
		MustGet(t, p.URL+"/api/v1/nodes", &nodes)
		for _, n := range nodes.Items {
			if slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			}) {
				return p
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no node is ready")
		}
	}
}

func mustStart(t *testing.T, run controllers.List, nodes int) *program.Program {
	t.Helper()
	c := program.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal", Controllers: run, Nodes: nodes,
		Modes: authz.Modes{authz.ModeRBAC}, // as where lessons are played
	}
	p, err := program.Start(context.Background(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// MustRead reads a lesson.
func MustRead(t *testing.T, file, text string) *scenarios.Lesson {
	t.Helper()
	l, err := scenarios.Read(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Asking is a lesson of words alone, of which the second step asks.
func Asking() *scenarios.Lesson {
	return &scenarios.Lesson{Name: "asking", Title: "Asking", Steps: []scenarios.Step{
		{Title: "one", Tell: "First."},
		{Title: "two", Tell: "Second.", Predict: &scenarios.Predict{Ask: "200 or 409?", Choices: []string{"200", "409"}, Answer: "409"}},
		{Title: "three", Tell: "Third."},
	}}
}

// UntilAsNew waits until a server with controllers has only the objects of a new one, in which no lesson was played.
func UntilAsNew(t *testing.T, url string) {
	t.Helper()
	fresh := MustStart(t, controllers.All())
	deadline := time.Now().Add(time.Minute) // bootstrap objects take a while on a busy machine
	for {
		bootstrap := everything(t, fresh.URL)
		left := slices.DeleteFunc(everything(t, url), func(s string) bool { return slices.Contains(bootstrap, s) })
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %q", left)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// everything returns what each object of the server is called, of every resource that can be listed, in order.
func everything(t *testing.T, url string) []string {
	t.Helper()
	var groups struct {
		Groups []struct{ PreferredVersion struct{ GroupVersion string } }
	}
	MustGet(t, url+"/apis", &groups)
	paths := []string{"/api/v1"}
	for _, g := range groups.Groups {
		paths = append(paths, "/apis/"+g.PreferredVersion.GroupVersion)
	}
	var out []string
	for _, path := range paths {
		var resources struct {
			Resources []struct {
				Name  string
				Verbs []string
			}
		}
		MustGet(t, url+path, &resources)
		for _, r := range resources.Resources {
			if r.Name != "events" && slices.Contains(r.Verbs, "list") {
				out = append(out, names(t, url, path+"/"+r.Name)...)
			}
		}
	}
	slices.Sort(out)
	return out
}

// names returns path, namespace and name of the objects in a collection of the whole cluster.
func names(t *testing.T, url, path string) []string {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	MustGet(t, url+path, &list)
	out := make([]string, len(list.Items))
	for i, o := range list.Items {
		out[i] = path + " " + o.Metadata.Namespace + "/" + o.Metadata.Name
	}
	return out
}

// MustGet decodes an answer. A 404, as from a group that has just gone, leaves into as it is.
func MustGet(t *testing.T, url string, into any) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", url, response.Status, err)
	}
}

// Bad is well formed, but its second claim is false.
const Bad = `
title: A lesson that is wrong
about: It says 200 where the answer is 201.
actors: {A: nobody}
steps:
- title: A creates
  tell: Something is made, and must go.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}
  expect: {status: 201}
- title: A creates again
  tell: The claim is false.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {apiVersion: v1, kind: ConfigMap, metadata: {name: y}}}
  expect: {status: 200}
`

const FaultyHead = `title: T
about: A.
needs: [/debug/gate]
actors: {A: writes}
steps:
- title: one
  tell: One.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: x}}}
  expect: {status: 201}
- title: two
  tell: Held.
  faults: ['hold name door on who:A verb:update ns:{ns}']
  as: A
  request: {method: PUT, path: "/api/v1/namespaces/{ns}/configmaps/x", body: {metadata: {name: x}}}
  later: slow
`

const FaultyRest = `- title: three
  tell: Let go.
  answer: {of: slow, do: go}
  expect: {status: 200, body: {metadata.name: x}}
  keep: {v: metadata.resourceVersion}
- title: four
  tell: "{v} was stored."
  mend: true
`

// GuardedHead is a lesson with a webhook of its own, which denies a name, changes another and hangs up on a third.
const GuardedHead = `title: T
about: A.
actors: {A: writes, Alice: {role: reads, user: "alice-{id}", groups: [keepers]}}
servers:
  guard:
    reviews:
    - when: {object.metadata.name: "bad-{id}"}
      deny: {code: 409, message: "not in {ns}, says {guard.url}"}
    - when: {object.metadata.name: deaf}
      drop: true
    - path: /check
      patch: [{op: add, path: /metadata/labels, value: {by: "{id}"}}]
      warnings: [beware]
    routes:
    - {path: "/hello/{id}", headers: {X-Of: "{guard.host}"}, text: "it is {ns}"}
steps:
- title: one
  tell: At {guard.url}.
  as: A
  request:
    method: POST
    path: /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations
    body:
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingWebhookConfiguration
      metadata: {name: "guard-{id}.example.com"}
      webhooks:
      - name: a.guard.example.com
        clientConfig: {url: "{guard.url}/check", caBundle: "{guard.ca}"}
        admissionReviewVersions: [v1]
        sideEffects: None
        timeoutSeconds: 2
        rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
        namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "{ns}"}}
  expect: {status: 201}
- title: two
  tell: It denies.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps?dryRun=All", body: {metadata: {name: "bad-{id}"}}}
  until: {status: 409, body: {message: {contains: "not in {ns}, says {guard.url}"}}}
  asked: {server: guard, method: POST, path: /check, query: {contains: timeout=2s}, body: {request.name: "bad-{id}", request.dryRun: true}}
- title: three
  tell: It changes.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: good}}}
  expect: {status: 201, headers: {Warning: {contains: beware}}, body: {metadata.labels.by: "{id}"}}
  asked: {server: guard, headers: {Content-Type: application/json}, body: {request.name: good, request.userInfo.username: "system:admin"}}
`

const GuardedRest = `- title: four
  tell: No call.
  as: A
  request: {method: PATCH, path: "/api/v1/namespaces/{ns}/configmaps/good", patch: merge, body: {data: {a: b}}}
  expect: {status: 200}
  asked: {server: guard, none: true, body: {request.name: good}}
- title: five
  tell: It hangs up.
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: deaf}}}
  expect: {status: 500, body: {message: {contains: EOF}}}
  asked: {server: guard, body: {request.name: deaf}}
- title: six
  tell: It is away.
  stop: guard
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: late}}}
  expect: {status: 500, body: {message: {contains: failed calling webhook}}}
  asked: {server: guard, none: true, body: {request.name: late}}
- title: seven
  tell: It is back.
  start: guard
  as: A
  request: {method: POST, path: "/api/v1/namespaces/{ns}/configmaps", body: {metadata: {name: late}}}
  expect: {status: 201}
- title: eight
  tell: It was asked about it.
  asked: {server: guard, body: {request.name: late}}
- title: nine
  tell: Alice is somebody else.
  as: Alice
  request: {method: POST, path: /apis/authentication.k8s.io/v1/selfsubjectreviews, body: {apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}}
  until: {status: 201, body: {status.userInfo.username: "alice-{id}", status.userInfo.groups: {contains: keepers}}}
`
