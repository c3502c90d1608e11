package bootstrap_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"kubarium/server/bootstrap"
	"kubarium/server/loopback"
)

const (
	clusterRolesPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	flowSchemasPath  = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	levelsPath       = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"
	networkingPath   = "/apis/networking.k8s.io/v1"
	apiServicesPath  = "/apis/apiregistration.k8s.io/v1/apiservices"
	servicePath      = "/api/v1/namespaces/default/services/kubernetes"
)

// A second start changes nothing, mends roles that may be mended, and leaves the others alone.
func TestBootstrap_Again(t *testing.T) {
	db := filepath.Join(t.TempDir(), "kubarium.db")
	c := mustStartOn(t, db)
	eventually(t, "conditions", func() bool { return c.ready(t) && c.dangling(t) == 0 })
	before := c.revision(t)
	c.close()

	// The port is another one, which is all that is written: in the Endpoints, the EndpointSlice and the Lease.
	c = mustStartOn(t, db)
	if n := c.revision(t) - before; n > 3 {
		t.Errorf("the second start made %d changes", n)
	}
	c.must(t, "PATCH", clusterRolesPath+"/system:basic-user", `{"rules":[]}`)
	c.must(t, "PATCH", clusterRolesPath+"/system:discovery", `{"rules":[],"metadata":{"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"false"}}}`)
	c.close()

	c = mustStartOn(t, db)
	for name, want := range map[string]bool{"system:basic-user": true, "system:discovery": false} {
		role, _ := get[rbacv1.ClusterRole](t, c, clusterRolesPath+"/"+name)
		if got := len(role.Rules) > 0; got != want {
			t.Errorf("%s has rules after a start: %v", name, got)
		}
	}
}

// While the server runs, what is deleted comes again, and what flow control needs is as it has to be.
func TestBootstrap_Kept(t *testing.T) {
	c := mustStart(t)
	for _, path := range []string{
		servicePath, "/api/v1/namespaces/default/endpoints/kubernetes", networkingPath + "/ipaddresses/10.96.0.1",
		"/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking",
		flowSchemasPath + "/probes", levelsPath + "/workload-low",
	} {
		was, there := get[metav1.PartialObjectMetadata](t, c, path)
		if !there && strings.Contains(path, "endpoints") {
			continue // no address to advertise on this machine
		}
		eventually(t, path+" is there", func() bool { // some are made a moment later
			was, there = get[metav1.PartialObjectMetadata](t, c, path)
			return there
		})
		c.must(t, "DELETE", path, "")
		eventually(t, path, func() bool {
			is, ok := get[metav1.PartialObjectMetadata](t, c, path)
			return ok && is.UID != was.UID
		})
	}
	precedence := func(name string) int32 {
		s, _ := get[flowcontrolv1.FlowSchema](t, c, flowSchemasPath+"/"+name)
		return s.Spec.MatchingPrecedence
	}
	c.must(t, "PATCH", flowSchemasPath+"/probes", `{"spec":{"matchingPrecedence":77}}`)
	eventually(t, "probes are mended", func() bool { return precedence("probes") == 2 })
	c.must(t, "PATCH", flowSchemasPath+"/probes", `{"metadata":{"annotations":{"apf.kubernetes.io/autoupdate-spec":"false"}},"spec":{"matchingPrecedence":78}}`)
	c.must(t, "PATCH", flowSchemasPath+"/global-default", `{"spec":{"matchingPrecedence":79}}`)
	eventually(t, "another is mended", func() bool { return precedence("global-default") == 9900 })
	if got := precedence("probes"); got != 78 {
		t.Errorf("probes, which is not to be mended: %d", got)
	}
}

// A FlowSchema whose level is not there says so, until the level is created.
func TestBootstrap_Dangling(t *testing.T) {
	c := mustStart(t)
	c.must(t, "POST", flowSchemasPath, `{"metadata":{"name":"mine"},"spec":{"priorityLevelConfiguration":{"name":"mine"},"matchingPrecedence":5000}}`)
	reason := func() string {
		s, _ := get[flowcontrolv1.FlowSchema](t, c, flowSchemasPath+"/mine")
		if len(s.Status.Conditions) == 0 {
			return ""
		}
		return s.Status.Conditions[0].Reason
	}
	eventually(t, "no level", func() bool { return reason() == "NotFound" })
	c.must(t, "POST", levelsPath, `{"metadata":{"name":"mine"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}}`)
	eventually(t, "a level", func() bool { return reason() == "Found" })
}

// A Service's address is an IPAddress as long as the Service lives.
func TestBootstrap_Addresses(t *testing.T) {
	c := mustStart(t)
	there := func(ip string) bool {
		_, ok := get[metav1.PartialObjectMetadata](t, c, networkingPath+"/ipaddresses/"+ip)
		return ok
	}
	c.must(t, "POST", "/api/v1/namespaces/default/services", `{"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.7.7","ports":[{"port":80}]}}`)
	eventually(t, "its address", func() bool { return there("10.96.7.7") })
	c.must(t, "DELETE", "/api/v1/namespaces/default/services/web", "")
	eventually(t, "its address goes", func() bool { return !there("10.96.7.7") })
	if !there("10.96.0.1") {
		t.Error("the API server's address went too")
	}
}

// Each version that a definition serves has an APIService, which goes with it and is mended while it is there; also one
// that was there at a start.
func TestBootstrap_CustomVersions(t *testing.T) {
	db := filepath.Join(t.TempDir(), "kubarium.db")
	c := mustStartOn(t, db)
	c.must(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"widgets.shop.example.com"},
		"spec":{"group":"shop.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
		{"name":"v2","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
	path := apiServicesPath + "/v1.shop.example.com"
	is := func(want bool) func() bool {
		return func() bool {
			s, ok := get[apiregistrationv1.APIService](t, c, path)
			return ok == want && (!want || s.Spec.GroupPriorityMinimum == 1000 && s.Spec.VersionPriority == 100 && s.Labels["kube-aggregator.kubernetes.io/automanaged"] == "true")
		}
	}
	eventually(t, "an APIService", is(true))
	c.must(t, "PATCH", path, `{"spec":{"groupPriorityMinimum":2000}}`)
	eventually(t, "it is mended", is(true))
	if _, ok := get[apiregistrationv1.APIService](t, c, apiServicesPath+"/v2.shop.example.com"); ok {
		t.Error("a version that is not served has an APIService")
	}
	c.close()

	c = mustStartOn(t, db)
	if !is(true)() {
		t.Error("it is gone after a start")
	}
	c.must(t, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.shop.example.com", "")
	eventually(t, "it goes", is(false))
}

// A refused write is tried again, and reported once.
func TestBootstrap_Failing(t *testing.T) {
	c := mustStart(t)
	for _, name := range []string{"view", "edit"} {
		c.must(t, "DELETE", clusterRolesPath+"/"+name, "")
	}
	target, err := url.Parse(c.url)
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	full := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && refused.Add(1) < 3 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInsufficientStorage)
			w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"disk full","code":507}`))
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer full.Close()

	var told bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	b := bootstrap.New(bootstrap.Options{
		ServiceRange: "10.96.0.0/16", ServiceIP: "10.96.0.1",
		Server: loopback.Server{URL: full.URL}, Serves: func(schema.GroupVersionResource) bool { return true },
		Logger: slog.New(slog.NewTextHandler(&told, nil)),
	})
	ended := make(chan struct{})
	go func() { defer close(ended); b.Run(ctx) }()
	select {
	case <-b.Done():
	case <-time.After(time.Minute):
		t.Error("the roles did not come")
	}
	stop()
	<-ended
	for _, name := range []string{"view", "edit"} {
		if _, ok := get[rbacv1.ClusterRole](t, c, clusterRolesPath+"/"+name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if n := strings.Count(told.String(), "\n"); n != 1 {
		t.Errorf("%d lines:\n%s", n, &told)
	}
}
