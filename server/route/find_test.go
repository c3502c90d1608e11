package route_test

import (
	"errors"
	"net/url"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/route"
)

// mustServed is what a server with the built-in kinds serves.
func mustServed() *route.Served {
	return &route.Served{Catalogue: catalogue.New(kinds.BuiltIn()...)}
}

// code is the code of a refusal.
func code(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err.Error()
	}
	return strconv.Itoa(int(status.Status().Code))
}

// What is served is found, and what is not is refused by the right code.
func TestServed_Find(t *testing.T) {
	s := mustServed()
	for _, c := range []struct {
		method, path string
		want         string // the route as a sentence, or the code of the refusal
	}{
		{"GET", "/api/v1/namespaces", "list namespaces"},
		{"GET", "/api/v1/namespaces/a", "get namespaces"},
		{"GET", "/api/v1/namespaces/a/status", "get namespaces/status"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize"},
		{"GET", "/api/v1/namespaces/a/finalize", "405"},
		{"DELETE", "/api/v1/namespaces", "405"},
		{"GET", "/api/v1/configmaps", "list configmaps"},
		{"GET", "/api/v1/configmaps/", "list configmaps"},
		{"GET", "/api/v1/configmaps/a", "404"},
		{"POST", "/api/v1/configmaps", "405"},
		{"GET", "/api/v1/namespaces/n/configmaps", "list configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch=true", "watch configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch=false", "list configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps/a", "watch configmaps in n"},
		{"POST", "/api/v1/namespaces/n/configmaps", "create configmaps in n"},
		{"POST", "/api/v1/namespaces/n/configmaps/a", "405"},
		{"PUT", "/api/v1/namespaces/n/configmaps/a", "update configmaps in n"},
		{"PUT", "/api/v1/namespaces/n/configmaps", "405"},
		{"PATCH", "/api/v1/namespaces/n/configmaps/a", "patch configmaps in n"},
		{"DELETE", "/api/v1/namespaces/n/configmaps/a", "delete configmaps in n"},
		{"DELETE", "/api/v1/namespaces/n/configmaps", "deletecollection configmaps in n"},
		{"BREW", "/api/v1/namespaces/n/configmaps", "405"},
		{"GET", "/api/v1/namespaces/n/configmaps/a/status", "404"},
		{"GET", "/api/v1/namespaces/n/nodes", "404"},
		{"GET", "/api/v1/nodes/a", "get nodes"},
		{"GET", "/api/v2", "404"},
		{"GET", "/apis/apps/v1/namespaces/n/deployments/a/scale", "get deployments.apps/scale in n"},
		{"PATCH", "/apis/apps/v1/namespaces/n/deployments/a/status", "patch deployments.apps/status in n"},
		{"GET", "/apis/apps/v9/deployments", "404"},
		{"GET", "/apis/nosuch.example.com", "404"},
		{"GET", "/nosuch", "404"},
		{"GET", "/apis/apps/v9", "404"},
		{"GET", "/version/", ""},
		{"GET", "/version/x", "404"},
		{"GET", "/healthz", ""},
		{"GET", "/healthz/", "404"},
		{"GET", "/readyz/ping/", "404"},
		{"GET", "/metrics/", "404"},
		{"GET", "//api/v1/namespaces", "404"},
		{"GET", "/api//v1/namespaces", "404"},
		{"GET", "/api/v1/namespaces/n/configmaps/..", "400"},
		{"DELETE", "/api/v1/namespaces/n/configmaps/a%25b", "400"},
		{"GET", "/apis/apps/v1/namespaces/n/deployments/./scale", "400"},
		{"PUT", "/apis/apps/v1/namespaces/n/deployments/./scale", "update deployments.apps/scale in n"}, // refused behind its body
		{"GET", "/apis/apps/v1/namespaces/n/deployments//scale", "400"},
		{"GET", "/api/v1/namespaces//pods/a", "400"},
		{"POST", "/api/v1/namespaces//pods", "create pods"},
		{"GET", "/apis//v1/pods", "404"},
		{"GET", "//", "404"},
		{"GET", "/apis//", "404"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps/..", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/pods/a/status", "404"},
		{"GET", "/api/v1/componentstatuses", "list componentstatuses"},
		{"GET", "/api/v1/componentstatuses?watch=1", "watch componentstatuses"}, // which is refused when its options are read
		{"GET", "/api/v1/watch/componentstatuses", "404"},
		{"GET", "/api/v1/componentstatuses/etcd-0", "get componentstatuses"},
		{"POST", "/api/v1/componentstatuses", "405"},
		{"GET", "/api/v1/componentstatuses/etcd-0/status", "404"},
		{"GET", "/api/v1/namespaces/a/componentstatuses", "404"},
		{"GET", "/api/v1/watch", "404"},
		{"GET", "/api/v1/proxy/nodes/a", "404"},
		{"GET", "/api/v1/namespaces/a/status/b", "404"},
		{"GET", "/api/v1/namespaces?fieldSelector=metadata.name%3Da", "list namespaces"},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "create selfsubjectaccessreviews.authorization.k8s.io"},
		{"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "405"},
		{"POST", "/apis/authorization.k8s.io/v1/namespaces/n/selfsubjectaccessreviews", "404"},
		{"POST", "/api/v1/namespaces/n/pods/a/eviction", "create pods/eviction in n"},
		{"GET", "/api/v1/namespaces/n/pods/a/log", "get pods/log in n"},
		{"PUT", "/api/v1/namespaces/n/pods/a/log", "405"},
		{"PATCH", "/api/v1/namespaces/n/pods/a/proxy/b/c", "patch pods/proxy/b/c in n"},
	} {
		u, err := url.Parse("http://localhost" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		r := route.Read(c.method, u.Path, u.Query())
		e, err := s.Find(r)
		got := r.String()
		if err != nil {
			got = code(err)
		}
		if got != c.want || (e.Handler == 0) != (err != nil) || e.Target.Kind != nil && err == nil && e.Verb != r.Verb {
			t.Errorf("%s %s: %q by %d, %s; want %q", c.method, c.path, got, e.Handler, e.Verb, c.want)
		}
	}
}

// FuzzFind: no path breaks the router.
func FuzzFind(f *testing.F) {
	f.Add("GET", "/api/v1/namespaces/a/configmaps/b")
	f.Add("PUT", "/apis/apps/v1//")
	f.Add("GET", "/api/v1/watch")
	s := mustServed()
	f.Fuzz(func(t *testing.T, method, path string) {
		if e, err := s.Find(route.Read(method, path, nil)); (e.Handler == 0) == (err == nil) {
			t.Fatalf("%s %s: handler %d, error %v", method, path, e.Handler, err)
		}
	})
}
