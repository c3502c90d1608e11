package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/app/program"
	"kubarium/server/authz"
)

// The command finds no difference between two servers that are the same, and counts one where it gets one.
func TestReport(t *testing.T) {
	servers := []*server{mustServer(t), mustServer(t)}
	for _, s := range servers {
		if err := s.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(settle)
	all, err := discover(t.Context(), servers)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 120 {
		t.Errorf("%d resources and subresources", len(all))
	}
	r := &report{out: t.Output(), examples: 5}
	some := []schema.GroupVersionResource{{Version: "v1", Resource: "pods/log"}, {Version: "v1", Resource: "configmaps"}}
	for _, one := range subjects()[len(clusterRoles)-2:] {
		if err := r.subject(t.Context(), servers, one, some, 4); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.rules(t.Context(), servers); err != nil {
		t.Fatal(err)
	}
	for _, q := range oddReviews() {
		if err := r.both(q.body, servers, func(s *server) (string, error) { return s.post(t.Context(), q.path, q.body) }); err != nil {
			t.Fatal(err)
		}
	}
	if r.different != 0 || r.asked < 1500 {
		t.Errorf("%d answers, %d differ", r.asked, r.different)
	}
	r.note("a question", `{"allowed":true}`, `{"allowed":false}`)
	if r.different != 1 {
		t.Error("a difference is not counted")
	}
}

// Each role is asked about all verbs of a resource, here and everywhere, and a user of a namespace by name as well.
func TestQuestions(t *testing.T) {
	some := []schema.GroupVersionResource{{Group: "apps", Version: "v1", Resource: "deployments/scale"}}
	everywhere, here := questions(subject{user: "u"}, some), questions(subject{user: "u", namespace: namespace}, some)
	if others := len(paths) * len(methods); len(everywhere) != 2*len(verbs)+others || len(here) != 3*len(verbs)+others {
		t.Errorf("%d and %d questions", len(everywhere), len(here))
	}
	if got, want := text(here[2]), `{"resourceAttributes":{"namespace":"access-demo","verb":"get","group":"apps","version":"v1","resource":"deployments","subresource":"scale","name":"access-object"},"user":"u"}`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	for _, q := range oddReviews() {
		if strings.Contains(q.body, "USER") {
			t.Errorf("%s", q.body)
		}
	}
}

func mustServer(t *testing.T) *server {
	t.Helper()
	p, err := program.Start(t.Context(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Modes: authz.Modes{authz.ModeRBAC}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := newServer("Kubarium", p.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
