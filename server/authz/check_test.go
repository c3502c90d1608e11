package authz_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/server/authz"
	"kubarium/server/loopback"
	"kubarium/server/route"
)

var (
	joe  = &user.DefaultInfo{Name: "joe", Groups: []string{user.AllAuthenticated}}
	ann  = &user.DefaultInfo{Name: "ann", Groups: []string{user.AllAuthenticated}}
	lost = &user.DefaultInfo{Name: "lost", Groups: []string{user.AllAuthenticated}}
	root = &user.DefaultInfo{Name: "root", Groups: []string{user.SystemPrivilegedGroup}}
)

// mustRBAC is an authorizer of mode RBAC whose informers follow a whole Kubarium, with ann's role in the namespace demo and a
// binding of lost's to a role that is not there.
func mustRBAC(t testing.TB) *authz.Authorizer {
	t.Helper()
	p, err := program.Start(t.Context(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	<-p.Bootstrapped()
	dialer := loopback.New(p.URL)
	t.Cleanup(dialer.Close)
	api := dialer.As("test", "test").Kubernetes()
	mustBind(t, api)
	factory := informers.NewSharedInformerFactory(api, 0)
	a, err := authz.New(authz.Modes{authz.ModeRBAC}, factory)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory.Start(ctx.Done())
	t.Cleanup(func() { cancel(); factory.Shutdown() })
	factory.WaitForCacheSync(ctx.Done())
	return a
}

func mustBind(t testing.TB, api kubernetes.Interface) {
	t.Helper()
	const in = "default"
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "some"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"update", "patch", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"pods/exec"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"mine"}, Verbs: []string{"get", "list", "watch"}},
	}}
	if _, err := api.RbacV1().Roles(in).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, ref := range map[string]string{"ann": "some", "lost": "gone"} {
		_, err := api.RbacV1().RoleBindings(in).Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: ref},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checked is what the flow noted of a check, and its error.
func checked(check func(ctx context.Context) error) (flow.Station, error) {
	log := flow.NewLog(flow.Limits{})
	rec := log.Begin(nil)
	err := check(flow.With(context.Background(), rec))
	if len(rec.Flow.Stations) == 0 {
		return flow.Station{}, err
	}
	return rec.Flow.Stations[len(rec.Flow.Stations)-1], err
}

// Requests are refused in kube-apiserver's words, whether their path leads to something or not, and allowed with RBAC's reason.
// The answers are those of kube-apiserver 1.37.
func TestAuthorizer_CheckRequest(t *testing.T) {
	a := mustRBAC(t)
	const configMaps = "/api/v1/namespaces/default/configmaps"
	const byAnn = `RBAC: allowed by RoleBinding "ann/default" of Role "some" to User "ann"`
	for _, c := range []struct {
		who          user.Info
		method, path string
		message      string // of the 403; "" for a yes
		note         string
	}{
		{joe, "GET", "/api/v1/namespaces", `namespaces is forbidden: User "joe" cannot list resource "namespaces" in API group "" at the cluster scope`, ""},
		{joe, "GET", "/api/v1/namespaces/demo", `namespaces "demo" is forbidden: User "joe" cannot get resource "namespaces" in API group "" in the namespace "demo"`, ""},
		{joe, "GET", "/api/v1/namespaces/demo/pods/x/log", `pods "x" is forbidden: User "joe" cannot get resource "pods/log" in API group "" in the namespace "demo"`, ""},
		{joe, "POST", "/apis/apps/v1/namespaces/demo/deployments", `deployments.apps is forbidden: User "joe" cannot create resource "deployments" in API group "apps" in the namespace "demo"`, ""},
		{joe, "POST", "/apis/apps/v1/namespaces/demo/deployments?dryRun=All", `deployments.apps is forbidden: User "joe" cannot create resource "deployments" in API group "apps" in the namespace "demo"`, ""},
		{joe, "PUT", "/apis/apps/v1/namespaces/demo/deployments/x/status", `deployments.apps "x" is forbidden: User "joe" cannot update resource "deployments/status" in API group "apps" in the namespace "demo"`, ""},
		{joe, "DELETE", configMaps, `configmaps is forbidden: User "joe" cannot deletecollection resource "configmaps" in API group "" in the namespace "default"`, ""},
		{joe, "GET", "/api/v1/watch/namespaces/demo/configmaps/x", `configmaps "x" is forbidden: User "joe" cannot watch resource "configmaps" in API group "" in the namespace "demo"`, ""},
		{joe, "GET", "/api/v1/secrets?watch=true", `secrets is forbidden: User "joe" cannot watch resource "secrets" in API group "" at the cluster scope`, ""},
		{joe, "GET", "/nonsense", `forbidden: User "joe" cannot get path "/nonsense"`, ""},
		{joe, "GET", "/a/%3Cb%3E&", `forbidden: User "joe" cannot get path "/a/&lt;b&gt;&amp;"`, ""},
		{joe, "GET", "/apis/no.such/v1/things", `things.no.such is forbidden: User "joe" cannot list resource "things" in API group "no.such" at the cluster scope`, ""},
		{joe, "OPTIONS", "/api/v1/pods", `pods is forbidden: User "joe" cannot  resource "pods" in API group "" at the cluster scope`, ""},
		{joe, "POST", "/healthz", `forbidden: User "joe" cannot post path "/healthz"`, ""},
		{joe, "GET", "/api/v1/proxy/nodes/x", `nodes "x" is forbidden: User "joe" cannot proxy resource "nodes" in API group "" at the cluster scope`, ""},
		{joe, "GET", "/apis/no.such", "", `RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"`},
		{ann, "GET", configMaps + "?fieldSelector=metadata.name%3Dmine", "", byAnn},
		{ann, "GET", configMaps + "/mine", "", byAnn},
		{ann, "GET", configMaps, `configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "default"`, ""},
		{ann, "GET", configMaps + "/other", `configmaps "other" is forbidden: User "ann" cannot get resource "configmaps" in API group "" in the namespace "default"`, ""},
		{ann, "DELETE", configMaps + "/other?dryRun=All", "", byAnn},
		{lost, "GET", configMaps + "/other", `configmaps "other" is forbidden: User "lost" cannot get resource "configmaps" in API group "" in the namespace "default": rbac: RBAC: role.rbac.authorization.k8s.io "gone" not found`,
			`rbac: RBAC: role.rbac.authorization.k8s.io "gone" not found`},
		{root, "DELETE", configMaps, "", "group system:masters"},
	} {
		station, err := checked(func(ctx context.Context) error { return a.CheckRequest(ctx, asked(t, c.method, c.path), c.who) })
		message := ""
		var status *apierrors.StatusError
		if errors.As(err, &status) && status.ErrStatus.Code == http.StatusForbidden {
			message = status.ErrStatus.Message
		}
		if message != c.message || (err != nil) != (c.message != "") || station.Name != "authorize" || station.Note != c.note || station.Failed != (err != nil) {
			t.Errorf("%s: %s %s: %v, station %+v", c.who.GetName(), c.method, c.path, err, station)
		}
	}
}

// asked is a request for a path as an authorizer knows it.
func asked(t testing.TB, method, path string) authz.Target {
	t.Helper()
	u, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	r := route.Read(method, u.Path, u.Query())
	return &r
}

// Where everything is allowed, the request is not read.
func TestAuthorizer_CheckRequest_alwaysAllow(t *testing.T) {
	station, err := checked(func(ctx context.Context) error { return authz.AlwaysAllow().CheckRequest(ctx, nil, joe) })
	if err != nil || station.Name != "authorize" || station.Note != "AlwaysAllow" {
		t.Errorf("%v, station %+v", err, station)
	}
	a, err := authz.New(authz.Modes{authz.ModeAlwaysDeny, authz.ModeAlwaysAllow}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if station, err := checked(func(ctx context.Context) error { return a.CheckRequest(ctx, asked(t, "GET", "/version"), joe) }); err != nil || station.Note != "AlwaysAllow" {
		t.Errorf("%v, station %+v", err, station)
	}
}

// The lack of a further right is refused in the words of the part of kube-apiserver 1.37 that asks for it.
func TestAuthorizer_furtherQuestions(t *testing.T) {
	a := mustRBAC(t)
	first := func(who user.Info, method, path string) authorizer.Attributes {
		attrs, err := authz.Attributes(t.Context(), asked(t, method, path), who)
		if err != nil {
			t.Fatal(err)
		}
		return attrs
	}
	const (
		configMap = "/api/v1/namespaces/default/configmaps/new"
		exec      = "/api/v1/namespaces/default/pods/x/exec"
	)
	for _, c := range []struct {
		name  string
		check func(context.Context, authorizer.Attributes) error
		first authorizer.Attributes
		want  string // the 403
		asked bool
	}{
		{"create on apply", a.CheckCreate, first(ann, "PATCH", configMap),
			`{"metadata":{},"status":"Failure","message":"configmaps \"new\" is forbidden: User \"ann\" cannot create resource \"configmaps\" in API group \"\" in the namespace \"default\"","reason":"Forbidden","details":{"name":"new","kind":"configmaps"},"code":403}`, true},
		{"create as root", a.CheckCreate, first(root, "PATCH", configMap), "", true},
		{"unsafe delete", a.CheckUnsafeDelete, first(ann, "DELETE", configMap),
			`{"metadata":{},"status":"Failure","message":"configmaps \"new\" is forbidden: not permitted to do \"unsafe-delete-ignore-read-errors\", reason: ","reason":"Forbidden","details":{"name":"new","kind":"configmaps"},"code":403}`, true},
		{"unsafe delete as root", a.CheckUnsafeDelete, first(root, "DELETE", configMap), "", true},
		{"unsafe delete of a subresource", a.CheckUnsafeDelete, first(root, "DELETE", exec),
			`{"metadata":{},"status":"Failure","message":"pods \"x\" is forbidden: ignoreStoreReadErrorWithClusterBreakingPotential delete option is not allowed on a subresource or non-resource request","reason":"Forbidden","details":{"name":"x","kind":"pods"},"code":403}`, false},
		{"exec by WebSocket", a.CheckConnect, first(ann, "GET", exec),
			`{"metadata":{},"status":"Failure","message":"pods \"x\" is forbidden: ","reason":"Forbidden","details":{"name":"x","kind":"pods"},"code":403}`, true},
		{"exec by POST", a.CheckConnect, first(ann, "POST", exec), "", false},
		{"exec as root", a.CheckConnect, first(root, "GET", exec), "", true},
	} {
		station, err := checked(func(ctx context.Context) error { return c.check(ctx, c.first) })
		got := ""
		var status *apierrors.StatusError
		if errors.As(err, &status) {
			text, err := json.Marshal(status.ErrStatus)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		}
		if got != c.want || (err != nil) != (c.want != "") || (station.Name == "authorize") != c.asked {
			t.Errorf("%s: %v\n got %s\nwant %s\n%+v", c.name, err, got, c.want, station)
		}
	}
}
