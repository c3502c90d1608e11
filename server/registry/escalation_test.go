package registry_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/informers"
	"sigs.k8s.io/yaml"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/authz"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/loopback"
	"kubarium/server/managers"
	"kubarium/server/patch"
	"kubarium/server/registry"
	"kubarium/sqlitestore"
)

// mustAuthorized is a registry whose authorizer is in these modes and follows its objects over HTTP.
func mustAuthorized(t *testing.T, modes authz.Modes) (*registry.Registry, informers.SharedInformerFactory) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index, Upcoming: r.Follow}); err != nil {
		t.Fatal(err)
	}
	api := server.New(server.Options{Registry: r, Log: flow.NewLog(flow.Limits{})})
	h := httptest.NewServer(api)
	dialer := loopback.New(h.URL)
	factory := informers.NewSharedInformerFactory(dialer.As("test", "test").Kubernetes(), 0)
	if r.Authorizer, err = authz.New(modes, factory); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		api.EndWatches()
		factory.Shutdown()
		dialer.Close()
		h.Close()
		r.Cache.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return r, factory
}

// A write is one of a cluster-wide or namespaced object, without HTTP.
type write struct {
	name, verb string
	resource   string // plural
	namespace  string
	body       string // YAML
	// message and code are of the refusal; code is 0 for a success, and for an error that is not a Status.
	message string
	code    int32
}

func (w write) do(t *testing.T, r *registry.Registry, who user.DefaultInfo) error {
	t.Helper()
	all := r.Catalogue.Kinds()
	k := all[slices.IndexFunc(all, func(k *kinds.Kind) bool { return k.Resource == w.resource })]
	served := k.New()
	if err := yaml.Unmarshal([]byte(w.body), served); err != nil {
		t.Fatal(err)
	}
	k.Default(served)
	obj, err := k.Internal(served)
	if err != nil {
		t.Fatal(err)
	}
	o := registry.WriteOptions{Manager: "test", Asker: registry.Asker{User: &who}}
	target := registry.Target{Kind: k, Namespace: w.namespace}
	if w.verb == "create" {
		_, err = r.Create(t.Context(), target, obj, o)
		return err
	}
	var named struct{ Metadata struct{ Name string } }
	if err := yaml.Unmarshal([]byte(w.body), &named); err != nil {
		t.Fatal(err)
	}
	target.Name = named.Metadata.Name
	if w.verb == "update" {
		_, _, err = r.Update(t.Context(), target, obj, o)
		return err
	}
	body, err := yaml.YAMLToJSON([]byte(w.body))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Patch(t.Context(), target, registry.Patch{Type: types.MergePatchType, Body: body, Decode: decodePatched}, o)
	return err
}

func decodePatched(k *kinds.Kind, patched patch.Result) (runtime.Object, []error, error) {
	served := k.New()
	if err := yaml.Unmarshal(patched.After, served); err != nil {
		return nil, nil, err
	}
	obj, err := k.Internal(served)
	return obj, nil, err
}

// What the tests begin with, made by system:masters: joe may write all of RBAC's objects, and read pods in demo; eve may escalate
// and bind by name.
var before = []write{
	{verb: "create", resource: "namespaces", body: `metadata: {name: demo}`},
	{verb: "create", resource: "clusterroles", body: `{metadata: {name: reader}, rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}`},
	{verb: "create", resource: "clusterroles", body: `{metadata: {name: secrets}, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}`},
	{verb: "create", resource: "clusterroles", body: `{metadata: {name: eve}, rules: [{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles, roles], verbs: [escalate, bind], resourceNames: [secrets]}]}`},
	{verb: "create", resource: "rolebindings", namespace: "demo", body: binding("joe", "ClusterRole", "reader", "joe")},
	{verb: "create", resource: "clusterrolebindings", body: binding("eve", "ClusterRole", "eve", "eve")},
}

func binding(name, kind, role, who string) string {
	return `{metadata: {name: ` + name + `}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ` + kind + `, name: ` + role +
		`}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ` + who + `}]}`
}

const notHeld = ` is forbidden: user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`

// Nobody gives away rights that they do not have. The answers are those of kube-apiserver 1.37.
func TestRegistry_refuseEscalation(t *testing.T) {
	const getSecrets = `rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]`
	r, factory := mustAuthorized(t, authz.Modes{authz.ModeRBAC})
	root := user.DefaultInfo{Name: "root", Groups: []string{"system:masters"}}
	for _, w := range before {
		if err := w.do(t, r, root); err != nil {
			t.Fatal(err)
		}
	}
	await(t, factory, "eve")
	joe := user.DefaultInfo{Name: "joe", Groups: []string{"system:authenticated"}}
	for _, w := range []write{
		{"what he has", "create", "roles", "demo", `{metadata: {name: r1}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`, "", 0},
		{"what he has elsewhere", "create", "roles", "default", `{metadata: {name: r1}}`, `namespaces "default" not found`, 404},
		{"what he has not", "create", "roles", "demo", `{metadata: {name: r2}, ` + getSecrets + `}`, `roles.rbac.authorization.k8s.io "r2"` + notHeld, 403},
		{"a generated name", "create", "roles", "demo", `{metadata: {generateName: r2-}, ` + getSecrets + `}`, `roles.rbac.authorization.k8s.io` + notHeld, 403},
		{"an aggregation", "create", "clusterroles", "", `{metadata: {name: agg}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}`,
			`clusterroles.rbac.authorization.k8s.io "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule`, 403},
		{"a binding", "create", "rolebindings", "demo", binding("b1", "ClusterRole", "secrets", "joe"), `rolebindings.rbac.authorization.k8s.io "b1"` + notHeld, 403},
		{"a binding to what he has", "create", "rolebindings", "demo", binding("b2", "ClusterRole", "reader", "ann"), "", 0},
		{"a binding to nothing", "create", "rolebindings", "demo", binding("b1", "Role", "none", "joe"), `rolebindings.rbac.authorization.k8s.io "none" not found`, 404},
		{"a binding of the cluster to nothing", "create", "clusterrolebindings", "", binding("b1", "ClusterRole", "none", "joe"), `clusterrolebindings.rbac.authorization.k8s.io "none" not found`, 404},
		{"an odd binding", "create", "clusterrolebindings", "", binding("b1", "Odd", "none", "joe"), `unsupported role reference kind: "Odd"`, 0},
		{"another role", "update", "rolebindings", "demo", binding("joe", "ClusterRole", "secrets", "joe"), `rolebindings.rbac.authorization.k8s.io "joe"` + notHeld, 403},
		{"a create by update", "update", "roles", "demo", `{metadata: {name: new}, ` + getSecrets + `}`, `roles.rbac.authorization.k8s.io "new"` + notHeld, 403},
		{"a label", "patch", "clusterroles", "", `metadata: {name: secrets, labels: {a: b}}`, `clusterroles.rbac.authorization.k8s.io "secrets"` + notHeld, 403},
		{"a finalizer", "patch", "clusterroles", "", `metadata: {name: secrets, finalizers: [a.b/c]}`, "", 0},
		{"a stale version", "update", "clusterroles", "", `{metadata: {name: secrets, resourceVersion: "1"}, ` + getSecrets + `}`, `clusterroles.rbac.authorization.k8s.io "secrets"` + notHeld, 403},
	} {
		w.expect(t, w.do(t, r, joe))
	}
	eve := user.DefaultInfo{Name: "eve"}
	for _, w := range []write{
		{"escalate by name", "update", "clusterroles", "", `{metadata: {name: secrets}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`, "", 0},
		{"a create names nothing", "create", "roles", "demo", `{metadata: {name: secrets}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
			"roles.rbac.authorization.k8s.io \"secrets\" is forbidden: user \"eve\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}", 403},
		{"bind by name", "create", "clusterrolebindings", "", binding("b3", "ClusterRole", "secrets", "eve"), "", 0},
	} {
		w.expect(t, w.do(t, r, eve))
	}
	everything := write{"as root", "create", "clusterroles", "", `{metadata: {name: all}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`, "", 0}
	everything.expect(t, everything.do(t, r, root))
}

// In mode AlwaysAllow everybody may escalate and bind.
func TestRegistry_refuseEscalation_alwaysAllow(t *testing.T) {
	r, _ := mustAuthorized(t, nil)
	joe := user.DefaultInfo{Name: "joe"}
	for _, w := range append(before,
		write{"a binding to nothing", "create", "clusterrolebindings", "", binding("b1", "ClusterRole", "none", "joe"), "", 0},
		write{"everything", "create", "clusterroles", "", `{metadata: {name: all}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`, "", 0},
		write{"a policy with parameters", "create", "validatingadmissionpolicies", "", validatingPolicy("p1", "v1", "ConfigMap"), "", 0},
		write{"a binding with parameters", "create", "validatingadmissionpolicybindings", "", validatingBinding("b1", "p1"), "", 0},
	) {
		w.expect(t, w.do(t, r, joe))
	}
}

// expect compares an error with the refusal.
func (w write) expect(t *testing.T, err error) {
	t.Helper()
	message, code := "", int32(0)
	if err != nil {
		message = err.Error()
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		code = status.ErrStatus.Code
	}
	if message != w.message || code != w.code {
		t.Errorf("%s: %d %q; want %d %q", w.name, code, message, w.code, w.message)
	}
}

// await waits until the authorizer has heard of a role and its binding.
func await(t *testing.T, factory informers.SharedInformerFactory, name string) {
	t.Helper()
	for range 6000 {
		_, errBinding := factory.Rbac().V1().ClusterRoleBindings().Lister().Get(name)
		_, errRole := factory.Rbac().V1().ClusterRoles().Lister().Get(name)
		if errBinding == nil && errRole == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the authorizer hears of nothing")
}
