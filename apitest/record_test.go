package apitest_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/apitest"
)

// busy sends two updates, one of which changes nothing, a whole list, and a list in pages, after a moment.
func busy(t testing.TB, s *apitest.Server) {
	t.Helper()
	maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
	m := mustCreate(t, maps, configMap("a"))
	if _, err := maps.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Moment("sync")
	m.Object["data"] = map[string]any{"k": "v"}
	for range 2 {
		var err error
		if m, err = maps.Update(t.Context(), m, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int64{0, 10} {
		if _, err := maps.List(t.Context(), metav1.ListOptions{Limit: limit}); err != nil {
			t.Fatal(err)
		}
	}
}

// An assertion that holds prints nothing; one that fails prints the requests.
func TestServer_AtMost(t *testing.T) {
	holds := func(s *apitest.Server) {
		s.AtMost(2, "verb:update since:sync")
		s.AtMost(1, "verb:list limit:0 since:sync")
		s.AtLeast(2, "verb:list limit:0")
		s.None("verb:update sub:status")
		s.None("verb:create since:sync")
		s.None("code:>=400")
	}
	if said := hear(t, func(t testing.TB) { s := apitest.Start(t); busy(t, s); holds(s) }); len(said) > 0 {
		t.Errorf("%q", said)
	}
	said := hear(t, func(t testing.TB) {
		s := apitest.Start(t)
		busy(t, s)
		s.AtMost(1, "verb:update")
		s.None("verb:list limit:0 since:sync")
		s.AtLeast(1, "code:409")
	})
	const at = `\d\d:\d\d:\d\d\.\d{3}`
	for i, want := range []string{
		`^apitest: 2 requests for "verb:update", want at most 1:
    #\d+  ` + at + `  \w+  PUT  /api/v1/namespaces/default/configmaps/a  200  \S+s  resourceVersion \d+
    #\d+  ` + at + `  \w+  PUT  /api/v1/namespaces/default/configmaps/a  200  \S+s  resourceVersion \d+  \(changed nothing\)
$`,
		`^apitest: 1 request for "verb:list limit:0 since:sync", want none:
    #\d+  ` + at + `  \w+  GET  /api/v1/namespaces/default/configmaps  200  \S+s  resourceVersion \d+
$`,
		`^apitest: 0 requests for "code:409", want at least 1:
$`,
	} {
		if len(said) != 3 || !regexp.MustCompile(want).MatchString(said[i]) {
			t.Fatalf("%q\nwant %d of them, this as %s", said, 3, want)
		}
	}
}

// An invalid filter, or one with an unknown moment, fails the test instead of counting nothing.
func TestServer_Requests_Errors(t *testing.T) {
	for filter, want := range map[string]string{"cod:1": "did you mean code", "since:never": `no moment "never"`} {
		if said := hear(t, func(t testing.TB) { apitest.Start(t).None(filter) }); len(said) != 1 ||
			!strings.Contains(said[0], want) {
			t.Errorf("%s: %q", filter, said)
		}
	}
}

// A request has the members of the record, and a watch is one request from its beginning to after its end.
func TestServer_Requests(t *testing.T) {
	s := apitest.Start(t)
	maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
	mustCreate(t, maps, configMap("a"))
	r := s.Requests("verb:create")[0]
	if r.Target.Resource != "configmaps" || r.Status != 201 || len(r.Effects) != 1 || r.Revision == 0 ||
		r.Client.User != "admin" || !json.Valid(r.JSON) {
		t.Errorf("%+v", r)
	}
	w, err := maps.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	s.AtMost(1, "verb:watch")
	s.AtLeast(1, "verb:watch")
	w.Stop()
	for len(s.Requests("kind:watch-closed")) == 0 {
	}
	s.AtMost(1, "verb:watch")
}

// Of many requests the first ones are printed, and the number of the others.
func TestServer_None_Many(t *testing.T) {
	said := hear(t, func(t testing.TB) {
		s := apitest.Start(t)
		maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
		for i := range 60 {
			mustCreate(t, maps, configMap(fmt.Sprintf("m-%d", i)))
		}
		s.None("verb:create")
	})
	if len(said) != 1 || !strings.HasSuffix(said[0], "    and 10 more\n") || strings.Count(said[0], "\n") != 52 {
		t.Errorf("%q", said)
	}
}
