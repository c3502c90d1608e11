package program_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/features"
)

// damage cuts the stored row of an object short with plain SQL, from outside, and waits until the server has seen it.
func damage(t *testing.T, p *program.Program, resource, name, url string) {
	t.Helper()
	db, err := sql.Open("sqlite", p.DB+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := db.Exec(`UPDATE objects SET value = substr(value, 1, 40) WHERE resource = ? AND name = ?`, resource, name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d rows of %s %s, %v", n, resource, name, err)
	}
	programtest.Eventually(t, "the damage", func() bool {
		code, _ := programtest.Call(t, "GET", url, "", "")
		return code == http.StatusInternalServerError
	})
}

var damagedKinds = []programtest.DamagedKind{
	{
		Path: "/api/v1/namespaces/default/configmaps", Resource: "configmaps", Kind: "ConfigMap",
		Body: `{"metadata":{"name":"a","finalizers":["example.com/held"]}}`,
		Key:  "/configmaps/default/a",
	},
	{
		Path: "/api/v1/namespaces/default/pods", Resource: "pods", Kind: "Pod",
		Body: `{"metadata":{"name":"a","labels":{"l":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		Key:  "/pods/default/a",
	},
	{
		Path: "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", Resource: "horizontalpodautoscalers.autoscaling", Kind: "HorizontalPodAutoscaler",
		Body: `{"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"}}}`,
		Key:  "/horizontalpodautoscalers/default/a",
	},
	{
		Path: "/apis/soak.example.com/v1/namespaces/default/widgets", Resource: "widgets.soak.example.com", Kind: "Widget",
		Body: `{"apiVersion":"soak.example.com/v1","kind":"Widget","metadata":{"name":"a"}}`,
		Key:  "/soak.example.com/widgets/default/a",
	},
}

// What reads a row that no longer decodes fails in the official words, and nothing else does; the unsafe deletion takes it
// out, finalizers and all, for built-in kinds and for ones own, once nothing forbids it.
func TestDamaged(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, programtest.SoakDefinition)
	for _, k := range damagedKinds {
		t.Run(k.Kind, func(t *testing.T) {
			url := p.URL + k.Path
			programtest.Eventually(t, "the kind", func() bool { code, _ := programtest.Call(t, "GET", url, "", ""); return code == 200 })
			programtest.MustCall(t, 201, "POST", url, programtest.JSONType, k.Body)
			programtest.MustCall(t, 201, "POST", url, programtest.JSONType, strings.Replace(k.Body, `"name":"a"`, `"name":"b"`, 1))
			if s := programtest.MustStatus(t, 409, "DELETE", url+"/a?"+programtest.Unsafely, "", ""); !strings.Contains(s.Message, "Key: /registry"+k.Key+", ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage") {
				t.Error(s.Message)
			}
			damage(t, p, k.Resource, "a", url+"/a")
			k.ReadsFail(t, url)
			k.Exclusions(t, url)
			k.TakeOut(t, p, url)
		})
	}
}

// A pod is not evicted while a PodDisruptionBudget of its namespace cannot be read: it may be the pod's.
func TestDamaged_budget(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	pods := p.URL + "/api/v1/namespaces/default/pods"
	pdbs := p.URL + "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
	programtest.MustCall(t, 201, "POST", pods, programtest.JSONType, damagedKinds[1].Body)
	programtest.MustCall(t, 200, "PATCH", pods+"/a/status", programtest.MergeType, `{"status":{"phase":"Running"}}`) // budgets do not count what is pending
	programtest.MustCall(t, 201, "POST", pdbs, programtest.JSONType, `{"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"l":"x"}}}}`)
	damage(t, p, "poddisruptionbudgets.policy", "b", pdbs+"/b")
	if s := programtest.MustStatus(t, 500, "POST", pods+"/a/eviction", programtest.JSONType, `{"metadata":{"name":"a"}}`); !strings.Contains(s.Message, "object not decodable") {
		t.Errorf("%+v", s)
	}
	programtest.MustCall(t, 200, "GET", pods+"/a", "", "")
	programtest.MustCall(t, 200, "DELETE", pdbs+"/b?"+programtest.Unsafely, "", "")
	programtest.MustCall(t, 201, "POST", pods+"/a/eviction", programtest.JSONType, `{"metadata":{"name":"a"}}`)
}

// An informer lives through damage: it cannot list, keeps what it had, and holds what a fresh list shows once the row is
// out; another list names every damaged object.
func TestDamaged_informer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a reflector that backs off, some seconds")
	}
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	for i := range 4 {
		programtest.MustCall(t, 201, "POST", url, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i))
	}
	informer := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1}), 0, informers.WithNamespace("default")).Core().V1().ConfigMaps().Informer()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go informer.RunWithContext(ctx)
	programtest.Eventually(t, "the informer", func() bool { return len(informer.GetStore().ListKeys()) == 4 })
	damage(t, p, "configmaps", "c1", url+"/c1")
	damage(t, p, "configmaps", "c3", url+"/c3")
	s := programtest.MustStatus(t, 500, "GET", url, "", "")
	if len(s.Details.Causes) != 2 || !strings.HasSuffix(s.Message, " (and 1 more)") {
		t.Errorf("%+v", s)
	}
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"c4"}}`)
	for _, name := range []string{"c1", "c3"} {
		programtest.MustStatus(t, 200, "DELETE", url+"/"+name+"?"+programtest.Unsafely, "", "")
	}
	programtest.Eventually(t, "the informer after the deletion", func() bool {
		keys := informer.GetStore().ListKeys()
		slices.Sort(keys)
		return slices.Equal(keys, []string{"default/c0", "default/c2", "default/c4"})
	})
}

// Without its gate the option is as good as not given.
func TestDamaged_gate(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "normal"}
	if err := c.Features.Set(string(features.AllowUnsafeMalformedObjectDeletion) + "=false"); err != nil {
		t.Fatal(err)
	}
	p := programtest.MustStartConfig(t, c)
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	damage(t, p, "configmaps", "a", url+"/a")
	programtest.MustStatus(t, 500, "DELETE", url+"/a?gracePeriodSeconds=0&"+programtest.Unsafely, "", "")
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"b"}}`)
	programtest.MustStatus(t, 200, "DELETE", url+"/b?"+programtest.Unsafely, "", "")
	programtest.MustStatus(t, 404, "GET", url+"/b", "", "")
}
