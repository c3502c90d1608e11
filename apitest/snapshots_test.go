package apitest_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"kubarium/apitest"
)

func names(t testing.TB, r dynamic.ResourceInterface) string {
	t.Helper()
	all, err := r.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range all.Items {
		names = append(names, o.GetName())
	}
	return strings.Join(names, " ")
}

// A test can restore a state, or the state after Start, with definitions; resourceVersions continue.
func TestServer_Restore(t *testing.T) {
	for range 2 { // the second server is a copy of the first one's start
		s := apitest.Start(t, apitest.Options{CRDPaths: []string{greetingsFile}})
		d := mustDial(t, s.Config)
		maps, hellos := d.Resource(configMaps).Namespace("default"), d.Resource(greetings).Namespace("default")
		mustCreate(t, maps, configMap("a"))
		s.Snapshot("one")
		mustCreate(t, maps, configMap("b"))
		mustCreate(t, hellos, object("example.com/v1", "Greeting", "hello"))
		s.Restore("one")
		if got := names(t, maps) + names(t, hellos); got != "a" {
			t.Errorf("at the snapshot there are %q", got)
		}
		s.Reset()
		if got := names(t, maps) + names(t, hellos); got != "" {
			t.Errorf("at the start there are %q", got)
		}
		mustCreate(t, hellos, object("example.com/v1", "Greeting", "again"))
	}
}

// A fork begins with the present state, or with a snapshot, and is independent.
func TestServer_Fork(t *testing.T) {
	s := apitest.Start(t)
	maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
	was := mustCreate(t, maps, configMap("a"))
	s.Snapshot("one")
	mustCreate(t, maps, configMap("b"))
	now, then := s.Fork(""), s.Fork("one")
	nowMaps, thenMaps := mustDial(t, now.Config).Resource(configMaps).Namespace("default"),
		mustDial(t, then.Config).Resource(configMaps).Namespace("default")
	if got := names(t, nowMaps) + "; " + names(t, thenMaps); got != "a b; a" {
		t.Errorf("the forks have %q", got)
	}
	is, err := thenMaps.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || is.GetUID() != was.GetUID() || is.GetResourceVersion() != was.GetResourceVersion() {
		t.Errorf("%v: %s %s, want %s %s", err, is.GetUID(), is.GetResourceVersion(), was.GetUID(),
			was.GetResourceVersion())
	}
	mustCreate(t, thenMaps, configMap("c"))
	if got := names(t, maps) + "; " + names(t, nowMaps); got != "a b; a b" {
		t.Errorf("the others have %q", got)
	}
	then.AtLeast(1, "verb:create")
	now.None("verb:create")
}

func TestServer_Snapshot_Errors(t *testing.T) {
	for want, call := range map[string]func(s *apitest.Server){
		"lower-case":     func(s *apitest.Server) { s.Snapshot("No") },
		"not found":      func(s *apitest.Server) { s.Restore("none") },
		`"none"`:         func(s *apitest.Server) { s.Fork("none") },
		"already exists": func(s *apitest.Server) { s.Snapshot("a"); s.Snapshot("a") },
	} {
		if said := hear(t, func(t testing.TB) { call(apitest.Start(t)) }); len(said) != 1 ||
			!strings.Contains(said[0], want) {
			t.Errorf("%q, want %s", said, want)
		}
	}
}
