package apitest_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/apitest"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	greetings  = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "greetings"}
	bindings   = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
		Resource: "rolebindings"}
)

const greetingsFile = "testdata/greetings.yaml"

func mustDial(t testing.TB, c *rest.Config) dynamic.Interface {
	t.Helper()
	d, err := dynamic.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func object(apiVersion, kind, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name}}}
}

func configMap(name string) *unstructured.Unstructured { return object("v1", "ConfigMap", name) }

func mustCreate(t testing.TB, r dynamic.ResourceInterface, obj *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	made, err := r.Create(t.Context(), obj, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// A server has everything of a cluster, and nothing of other servers at the same time.
func TestStart_Apart(t *testing.T) {
	for range 4 {
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			s := apitest.Start(t)
			d := mustDial(t, s.Config)
			for _, ns := range []string{"default", "kube-system"} {
				if _, err := d.Resource(namespaces).Get(t.Context(), ns, metav1.GetOptions{}); err != nil {
					t.Error(err)
				}
			}
			maps := d.Resource(configMaps).Namespace("default")
			mustCreate(t, maps, configMap("same"))
			if all, err := maps.List(t.Context(), metav1.ListOptions{}); err != nil || len(all.Items) != 1 {
				t.Errorf("%v %v", all, err)
			}
		})
	}
}

// Two servers are two clusters with different identities.
func TestStart_Identity(t *testing.T) {
	seen := map[any]bool{}
	for range 3 {
		ns, err := mustDial(t, apitest.Start(t).Config).Resource(namespaces).Get(t.Context(), "kube-system",
			metav1.GetOptions{})
		if err != nil || seen[ns.GetUID()] || ns.GetUID() == "" {
			t.Errorf("%v: the uid %s again", err, ns.GetUID())
		}
		seen[ns.GetUID()] = true
	}
}

// A server ends with its test.
func TestStart_Ends(t *testing.T) {
	var url string
	t.Run("its test", func(t *testing.T) { url = apitest.Start(t).URL })
	if resp, err := http.Get(url + "/readyz"); err == nil {
		t.Errorf("it answers %s", resp.Status)
	}
}

// The child ends with the process of the tests, even if that is killed.
func TestStart_Killed(t *testing.T) {
	if os.Getenv("APITEST_STAY") != "" {
		os.Stdout.WriteString(apitest.Start(t).URL + "\n")
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestStart_Killed$")
	cmd.Env = append(os.Environ(), "APITEST_STAY=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 100)
	n, err := out.Read(text)
	url := strings.TrimSpace(string(text[:n]))
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatalf("%q %v", url, err)
	}
	if resp, err := http.Get(url + "/readyz"); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v %v", resp, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := http.Get(url + "/readyz"); err != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the child goes on")
		}
	}
}

// Definitions come from objects, files and folders, and are served immediately.
func TestStart_Definitions(t *testing.T) {
	widgets := object("", "", "widgets.example.com")
	delete(widgets.Object, "apiVersion")
	delete(widgets.Object, "kind")
	widgets.Object["spec"] = map[string]any{
		"group": "example.com", "scope": "Cluster", "names": map[string]any{"plural": "widgets", "kind": "Widget"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}},
	}
	for _, o := range []apitest.Options{
		{CRDPaths: []string{greetingsFile}}, {CRDPaths: []string{"testdata"}},
		{CRDPaths: []string{greetingsFile}, CRDs: []runtime.Object{widgets}},
	} {
		s := apitest.Start(t, o)
		d := mustDial(t, s.Config)
		mustCreate(t, d.Resource(greetings).Namespace("default"), object("example.com/v1", "Greeting", "hello"))
		if len(o.CRDs) > 0 {
			mustCreate(t, d.Resource(greetings.GroupVersion().WithResource("widgets")),
				object("example.com/v1", "Widget", "one"))
		}
		if all := s.Requests(""); len(all) != 1+len(o.CRDs) {
			t.Errorf("the record begins with %v", all)
		}
	}
}

// An error of Start is one line that says why.
func TestStart_Errors(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("kind: CustomResourceDefinition\napiVersion: "+
		"apiextensions.k8s.io/v1\nmetadata: {name: a.b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]apitest.Options{
		"no such file":                    {CRDPaths: []string{"testdata/none.yaml"}},
		"there is no Custom":              {CRDPaths: []string{t.TempDir()}},
		"a.b":                             {CRDPaths: []string{wrong}},
		"definition 1 is not":             {CRDs: []runtime.Object{configMap("a")}},
		"unknown flag: --none":            {Args: []string{"--none"}},
		"--db cannot be set":              {Args: []string{"--db=x"}},
		"--listen cannot be set":          {Args: []string{"--listen=127.0.0.1:1"}},
		"none":                            {Args: []string{"serve"}},
		"not a valid mode":                {Args: []string{"--authorization-mode=None"}},
		`unrecognized feature gate "Nil"`: {FeatureGates: map[string]bool{"Nil": true}},
	} {
		said := hear(t, func(t testing.TB) { apitest.Start(t, o) })
		if len(said) != 1 || !strings.Contains(said[0], want) || strings.Contains(said[0], "\n") {
			t.Errorf("%+v: %q, want %q", o, said, want)
		}
	}
}

// Feature gates are those of the test, also at the same time as a server with others.
func TestStart_FeatureGates(t *testing.T) {
	for _, on := range []bool{true, false, true} {
		s := apitest.Start(t, apitest.Options{FeatureGates: map[string]bool{"CBORServingAndStorage": on}})
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/namespaces/default", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/cbor")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.StatusCode == 200; got != on {
			t.Errorf("CBOR %v: %s", on, resp.Status)
		}
	}
}

// Users may do what their roles allow.
func TestServer_User(t *testing.T) {
	s := apitest.Start(t)
	alice := mustDial(t, s.User("alice", "dev", "ops")).Resource(configMaps).Namespace("default")
	if _, err := alice.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) ||
		!strings.Contains(err.Error(), `User "alice" cannot list`) {
		t.Errorf("before: %v", err)
	}
	role := object("rbac.authorization.k8s.io/v1", "Role", "reader")
	role.Object["rules"] = []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"},
		"verbs": []any{"list"}}}
	mustCreate(t, mustDial(t, s.Config).Resource(bindings.GroupVersion().WithResource("roles")).Namespace("default"),
		role)
	binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", "ops")
	binding.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
		"name": "reader"}
	binding.Object["subjects"] = []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group",
		"name": "ops"}}
	mustCreate(t, mustDial(t, s.Config).Resource(bindings).Namespace("default"), binding)
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) { // authorizers lag a little
		if _, err = alice.List(t.Context(), metav1.ListOptions{}); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("after: %v", err)
	}
	s.None("user:alice code:5xx")
	s.AtLeast(1, "user:alice code:403")
}

func TestServer_Kubeconfig(t *testing.T) {
	s := apitest.Start(t)
	c, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig(s.User("bob", "system:masters")))
	if err != nil {
		t.Fatal(err)
	}
	mustCreate(t, mustDial(t, c).Resource(configMaps).Namespace("default"), configMap("a"))
	s.AtLeast(1, "user:bob verb:create code:201")
}

// Controllers run on request.
func TestStart_Controllers(t *testing.T) {
	s := apitest.Start(t, apitest.Options{Args: []string{"--controllers=namespace-controller"}})
	ns := mustDial(t, s.Config).Resource(namespaces)
	mustCreate(t, ns, object("v1", "Namespace", "shop"))
	if err := ns.Delete(t.Context(), "shop", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := ns.Get(t.Context(), "shop", metav1.GetOptions{}); apierrors.IsNotFound(err) {
			return
		}
	}
	t.Error(errors.New("the namespace stays"))
}
