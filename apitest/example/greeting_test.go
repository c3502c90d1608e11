package example_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"

	"kubarium/apitest"
	"kubarium/apitest/example"
)

const definitions = "testdata/greetings.yaml"

// With the variable MISTAKE, the tests of this module find the controller's mistake.
var mistake = os.Getenv("MISTAKE") != ""

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// mustRun runs the controller until the test ends, and returns a client after its caches have synced.
func mustRun(t *testing.T, c *rest.Config, r *example.Reconciler) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	example.AddToScheme(scheme)
	skip := true // the controllers of several tests have one name
	m, err := ctrl.NewManager(c, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &skip}})
	if err != nil {
		t.Fatal(err)
	}
	r.Client = m.GetClient()
	if err := r.SetupWithManager(m); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Start(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if !m.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the caches do not sync")
	}
	api, err := client.New(c, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// mustGreet creates a Greeting and waits for the greeting.
func mustGreet(t *testing.T, api client.Client, to string) *example.Greeting {
	t.Helper()
	g := &example.Greeting{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: strings.ToLower(to)},
		Spec: example.GreetingSpec{To: to}}
	if err := api.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); g.Status.Text != "Hello, "+to; time.Sleep(5 * time.Millisecond) {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(end) {
			t.Fatalf("the status is %+v", g.Status)
		}
	}
	return g
}

// mustStartEnvtest starts envtest's control plane with the binaries in KUBEBUILDER_ASSETS, or those that an index names.
func mustStartEnvtest(t *testing.T, index string) *rest.Config {
	t.Helper()
	e := &envtest.Environment{CRDDirectoryPaths: []string{definitions}, ErrorIfCRDPathMissing: true,
		DownloadBinaryAssets: index != "", DownloadBinaryAssetsIndexURL: index, BinaryAssetsDirectory: t.TempDir()}
	c, err := e.Start()
	if err != nil {
		t.Fatal(errors.Join(err, e.Stop()))
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// The first way: envtest with the binaries in KUBEBUILDER_ASSETS, usually etcd and kube-apiserver.
func TestGreets_Envtest(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS names no etcd and kube-apiserver")
	}
	mustGreet(t, mustRun(t, mustStartEnvtest(t, ""), &example.Reconciler{}), "World")
}

// The same, with binaries that envtest downloads.
func TestGreets_Download(t *testing.T) {
	index := os.Getenv("ENVTEST_INDEX")
	if index == "" {
		t.Skip("ENVTEST_INDEX names no index of binaries")
	}
	mustGreet(t, mustRun(t, mustStartEnvtest(t, index), &example.Reconciler{}), "World")
}

// The second way: the same envtest, with Kubarium in place of both.
func TestGreets_DropIn(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", apitest.Assets(t))
	mustGreet(t, mustRun(t, mustStartEnvtest(t, ""), &example.Reconciler{}), "World")
}

// The third way: a server inside the test, which also records the controller's requests.
func TestGreets(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{CRDPaths: []string{definitions}})
	api := mustRun(t, s.Config, &example.Reconciler{Mistake: mistake})
	s.Moment("sync")
	mustGreet(t, api, "World")
	s.Settle(t.Context())
	s.AtMost(1, "verb:update sub:status since:sync")
	s.None("verb:list limit:0 since:sync")
	s.None("code:409")
}

// A user that may only read gets no greeting, and the record says why.
func TestGreets_Forbidden(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{CRDPaths: []string{definitions}})
	g := &example.Greeting{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "world"}}
	scheme := runtime.NewScheme()
	example.AddToScheme(scheme)
	api, err := client.New(s.User("guest"), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Create(t.Context(), g); err == nil {
		t.Error("a guest may greet")
	}
	s.AtLeast(1, "user:guest reason:Forbidden res:greetings")
}

// The test of the controller with the mistake fails, and prints the writes.
func TestGreets_Mistake(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestGreets$")
	cmd.Env = append(os.Environ(), "MISTAKE=1")
	out, err := cmd.CombinedOutput()
	const put = "PUT  /apis/example.com/v1/namespaces/default/greetings/world/status  200"
	var failed *exec.ExitError
	if !errors.As(err, &failed) || strings.Count(string(out), put) != 2 || strings.Count(string(out), "(changed nothing)") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}
