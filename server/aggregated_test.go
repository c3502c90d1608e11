package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"kubarium/server"
	"kubarium/server/aggregate"
	"kubarium/server/flow"
	"kubarium/server/informers"
)

// An aggregated is a Kubarium with an APIService that leads to a server behind it.
type aggregated struct {
	url        string
	log        *flow.Log
	aggregator *aggregate.Aggregator
	behind     *httptest.Server
}

// mustAggregate serves a handler by HTTPS behind the APIService v1.fish.example.com.
func mustAggregate(t *testing.T, behind http.HandlerFunc, change func(*aggregate.Options), more ...func(*server.Options)) aggregated {
	t.Helper()
	a := aggregated{behind: httptest.NewUnstartedServer(behind)}
	a.behind.EnableHTTP2 = true
	a.behind.StartTLS()
	t.Cleanup(a.behind.Close)
	a.url, a.log = mustServe(t, func(o *server.Options) {
		f := informers.New(o.Registry)
		with := aggregate.Options{APIServices: f.InformerFor(&apiregistrationv1.APIService{}, nil), Resolver: o.Registry.WebhookServices()}
		if change != nil {
			change(&with)
		}
		var err error
		if a.aggregator, err = aggregate.New(with); err != nil {
			t.Fatal(err)
		}
		o.Aggregator = a.aggregator
		for _, m := range more {
			m(o)
		}
		f.StartWithContext(t.Context())
		f.WaitForCacheSyncWithContext(t.Context())
	})
	at, err := url.Parse(a.behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	a.mustPost(t, "/api/v1/namespaces", `{"metadata": {"name": "sea"}}`)
	a.mustPost(t, "/api/v1/namespaces/sea/services", `{"metadata": {"name": "fish"}, "spec": {"type": "ExternalName", "externalName": "localhost"}}`)
	a.mustPost(t, "/apis/apiregistration.k8s.io/v1/apiservices", fmt.Sprintf(`{"metadata": {"name": "v1.fish.example.com"}, "spec": {"group": "fish.example.com",
		"version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15, "insecureSkipTLSVerify": true,
		"service": {"namespace": "sea", "name": "fish", "port": %s}}}`, at.Port()))
	a.available(t, "True")
	return a
}

func (a aggregated) mustPost(t *testing.T, path, body string) {
	t.Helper()
	if code, text := send(t, a.url, request{method: "POST", path: path, contentType: "application/json", body: body}); code >= 300 {
		t.Fatalf("%s: %d %s", path, code, text)
	}
}

// available sets the condition of the APIService, and waits until it is known.
func (a aggregated) available(t *testing.T, status string) {
	t.Helper()
	code, text := send(t, a.url, request{method: "PATCH", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com/status", contentType: "application/merge-patch+json",
		body: `{"status": {"conditions": [{"type": "Available", "status": "` + status + `", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`})
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	a.until(t, "available "+status, func(s *aggregate.Service) bool { return s != nil && s.Available == (status == "True") })
}

// until waits until the Service is as it should be.
func (a aggregated) until(t *testing.T, what string, is func(*aggregate.Service) bool) {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		changed := a.aggregator.Changed()
		if is(a.aggregator.Find("/apis/fish.example.com/v1")) {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatal("not in time: " + what)
		}
	}
}

// What an APIService leads elsewhere is answered there, with the user's name, and as it was answered; the flow tells of it.
func TestServer_aggregated(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s|%s|%s", r.Proto, r.Method, r.RequestURI, r.Header.Get("X-Remote-User"), strings.Join(r.Header["X-Remote-Group"], ","))
	}, nil)
	code, text := send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1/namespaces/sea/fish/carp?a=b&c"})
	if want := "HTTP/2.0 GET /apis/fish.example.com/v1/namespaces/sea/fish/carp?a=b&c=|system:admin|system:masters,system:authenticated"; code != http.StatusOK || text != want {
		t.Errorf("%d %s\nwant %s", code, text, want)
	}
	last := mustLast(t, a.log)
	if got := last.Target; got != (flow.Target{Verb: "get", Group: "fish.example.com", Version: "v1", Resource: "fish", Namespace: "sea", Name: "carp"}) {
		t.Errorf("%+v", got)
	}
	if string(last.ResponseBody.Kept) != text {
		t.Errorf("kept %q", last.ResponseBody.Kept)
	}
	a.available(t, "False")
	code, text = send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1"})
	if code != http.StatusServiceUnavailable || text != "service unavailable\n" {
		t.Errorf("%d %q", code, text)
	}
}

// mustLast is the newest flow.
func mustLast(t *testing.T, log *flow.Log) *flow.Flow {
	t.Helper()
	all, _ := log.Since(0, 10_000)
	if len(all) == 0 {
		t.Fatal("no flow")
	}
	return all[len(all)-1]
}
