package app_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app"
	"kubarium/flow"
	"kubarium/server/features"
)

// unsafely is the option that takes out a row that no longer decodes.
const unsafely = "ignoreStoreReadErrorWithClusterBreakingPotential=true"

// damage cuts the stored row of an object short with plain SQL, from outside, and waits until the server has seen it.
func damage(t *testing.T, p *app.Program, resource, name, url string) {
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
	eventually(t, "the damage", func() bool {
		code, _ := call(t, "GET", url, "", "")
		return code == http.StatusInternalServerError
	})
}

// mustStatus sends a request and returns the Status that it gets.
func mustStatus(t *testing.T, want int, method, url, contentType, body string) metav1.Status {
	t.Helper()
	var s metav1.Status
	if err := json.Unmarshal([]byte(mustCall(t, want, method, url, contentType, body)), &s); err != nil || s.Kind != "Status" {
		t.Fatalf("%+v %v", s, err)
	}
	return s
}

// A damagedKind is a kind of which a row is damaged.
type damagedKind struct {
	path, resource, kind, body string
	key                        string // where etcd would have the object
}

var damagedKinds = []damagedKind{
	{"/api/v1/namespaces/default/configmaps", "configmaps", "ConfigMap",
		`{"metadata":{"name":"a","finalizers":["example.com/held"]}}`, "/configmaps/default/a"},
	{"/api/v1/namespaces/default/pods", "pods", "Pod",
		`{"metadata":{"name":"a","labels":{"l":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`, "/pods/default/a"},
	{"/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", "horizontalpodautoscalers.autoscaling", "HorizontalPodAutoscaler",
		`{"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"}}}`,
		"/horizontalpodautoscalers/default/a"},
	{"/apis/soak.example.com/v1/namespaces/default/widgets", "widgets.soak.example.com", "Widget",
		`{"apiVersion":"soak.example.com/v1","kind":"Widget","metadata":{"name":"a"}}`, "/soak.example.com/widgets/default/a"},
}

// What reads a row that no longer decodes fails in the official words, and nothing else does; the unsafe deletion takes it
// out, finalizers and all, for built-in kinds and for ones own, once nothing forbids it.
func TestDamaged(t *testing.T) {
	p := mustStart(t, "normal")
	mustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, soakDefinition)
	for _, k := range damagedKinds {
		t.Run(k.kind, func(t *testing.T) {
			url := p.URL + k.path
			eventually(t, "the kind", func() bool { code, _ := call(t, "GET", url, "", ""); return code == 200 })
			mustCall(t, 201, "POST", url, jsonType, k.body)
			mustCall(t, 201, "POST", url, jsonType, strings.Replace(k.body, `"name":"a"`, `"name":"b"`, 1))
			if s := mustStatus(t, 409, "DELETE", url+"/a?"+unsafely, "", ""); !strings.Contains(s.Message, "Key: /registry"+k.key+", ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage") {
				t.Error(s.Message)
			}
			damage(t, p, k.resource, "a", url+"/a")
			k.readsFail(t, url)
			k.exclusions(t, url)
			k.takeOut(t, p, url)
		})
	}
}

// A pod is not evicted while a PodDisruptionBudget of its namespace cannot be read: it may be the pod's.
func TestDamaged_budget(t *testing.T) {
	p := mustStart(t, "normal")
	pods := p.URL + "/api/v1/namespaces/default/pods"
	pdbs := p.URL + "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
	mustCall(t, 201, "POST", pods, jsonType, damagedKinds[1].body)
	mustCall(t, 200, "PATCH", pods+"/a/status", mergeType, `{"status":{"phase":"Running"}}`) // budgets do not count what is pending
	mustCall(t, 201, "POST", pdbs, jsonType, `{"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"l":"x"}}}}`)
	damage(t, p, "poddisruptionbudgets.policy", "b", pdbs+"/b")
	if s := mustStatus(t, 500, "POST", pods+"/a/eviction", jsonType, `{"metadata":{"name":"a"}}`); !strings.Contains(s.Message, "object not decodable") {
		t.Errorf("%+v", s)
	}
	mustCall(t, 200, "GET", pods+"/a", "", "")
	mustCall(t, 200, "DELETE", pdbs+"/b?"+unsafely, "", "")
	mustCall(t, 201, "POST", pods+"/a/eviction", jsonType, `{"metadata":{"name":"a"}}`)
}

// readsFail proves what each verb says of the damaged object "a", and that "b" is well.
func (k damagedKind) readsFail(t *testing.T, url string) {
	t.Helper()
	for _, method := range []string{"GET", "DELETE"} {
		s := mustStatus(t, 500, method, url+"/a", "", "")
		if want := "Internal error occurred: StorageError: corrupt object, Code: 7, Key: " + k.key + ", ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision="; s.Reason != metav1.StatusReasonInternalError || !strings.HasPrefix(s.Message, want) {
			t.Errorf("%s: %+v", method, s)
		}
	}
	for _, query := range []string{"", "?limit=1", "?resourceVersion=0", "?labelSelector=none%3Dsuch", "?fieldSelector=metadata.name%3Da"} {
		k.listFails(t, mustStatus(t, 500, "GET", url+query, "", ""))
	}
	k.listFails(t, mustStatus(t, 500, "DELETE", url, "", ""))
	for _, s := range []metav1.Status{
		mustStatus(t, 500, "PATCH", url+"/a", mergeType, `{}`),
		mustStatus(t, 500, "PUT", url+"/a", jsonType, k.body),
	} {
		if s.Reason != "" || !strings.HasPrefix(s.Message, "object not decodable revision=") {
			t.Errorf("%+v", s)
		}
	}
	mustStatus(t, 409, "POST", url, jsonType, k.body)
	mustCall(t, 200, "GET", url+"/b", "", "")
	mustCall(t, 200, "GET", url+"?fieldSelector=metadata.name%3Db", "", "")
	mustCall(t, 200, "PATCH", url+"/b", mergeType, `{"metadata":{"labels":{"still":"writable"}}}`)
}

func (k damagedKind) listFails(t *testing.T, s metav1.Status) {
	t.Helper()
	text := "StorageError: corrupt object, Code: 7, Key: /registry" + k.key
	if s.Reason != metav1.StatusReasonStoreReadError || !strings.HasPrefix(s.Message, "failed to read one or more "+k.resource+" from the storage: "+text) {
		t.Errorf("%+v", s)
	}
	d := s.Details
	if d == nil || d.Name != "list" || len(d.Causes) != 1 || d.Causes[0].Type != metav1.CauseTypeUnexpectedServerResponse || d.Causes[0].Field != "/registry"+k.key || !strings.HasPrefix(d.Causes[0].Message, text) {
		t.Errorf("%+v", d)
	}
}

// exclusions proves what may not come with the option, and where it is not allowed.
func (k damagedKind) exclusions(t *testing.T, url string) {
	t.Helper()
	for option, body := range map[string]string{
		"propagationPolicy":  `"propagationPolicy":"Orphan"`,
		"orphanDependents":   `"orphanDependents":true`,
		"gracePeriodSeconds": `"gracePeriodSeconds":0`,
		"preconditions":      `"preconditions":{"uid":"u"}`,
	} {
		s := mustStatus(t, 422, "DELETE", url+"/a", jsonType, `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,`+body+`}`)
		if want := "ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with ." + option; !strings.Contains(s.Message, want) {
			t.Error(s.Message)
		}
	}
	if s := mustStatus(t, 422, "DELETE", url+"?"+unsafely, "", ""); !strings.Contains(s.Message, "is not allowed with DELETECOLLECTION, try again after removing the option") {
		t.Error(s.Message)
	}
	mustStatus(t, 404, "DELETE", url+"/absent?"+unsafely, "", "")
	mustStatus(t, 200, "DELETE", url+"/a?dryRun=All&"+unsafely, "", "")
	mustStatus(t, 500, "GET", url+"/a", "", "")
}

// takeOut proves the answer, the flow and the end of an unsafe deletion.
func (k damagedKind) takeOut(t *testing.T, p *app.Program, url string) {
	t.Helper()
	s := mustStatus(t, 200, "DELETE", url+"/a?"+unsafely, "", "")
	if s.Status != metav1.StatusSuccess || s.Code != 200 || s.Details == nil || s.Details.Name != "a" || s.Details.Kind != k.kind || s.Details.UID != "" {
		t.Errorf("%+v", s)
	}
	flows, _ := p.Log.Since(0, 0)
	last := flows[len(flows)-1]
	verb := slices.ContainsFunc(last.Stations, func(s flow.Station) bool {
		return s.Name == "authorize" && strings.Contains(s.Note, "unsafe-delete-ignore-read-errors")
	})
	if !verb {
		t.Errorf("the flow shows no second verb: %+v", last.Stations)
	}
	mustStatus(t, 404, "GET", url+"/a", "", "")
	if text := mustCall(t, 200, "GET", url, "", ""); !strings.Contains(text, `"name":"b"`) {
		t.Error(text)
	}
	mustCall(t, 201, "POST", url, jsonType, k.body)
}

// An informer lives through damage: it cannot list, keeps what it had, and holds what a fresh list shows once the row is
// out; another list names every damaged object.
func TestDamaged_informer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a reflector that backs off, some seconds")
	}
	p := mustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	for i := range 4 {
		mustCall(t, 201, "POST", url, jsonType, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i))
	}
	informer := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1}), 0, informers.WithNamespace("default")).Core().V1().ConfigMaps().Informer()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go informer.RunWithContext(ctx)
	eventually(t, "the informer", func() bool { return len(informer.GetStore().ListKeys()) == 4 })
	damage(t, p, "configmaps", "c1", url+"/c1")
	damage(t, p, "configmaps", "c3", url+"/c3")
	s := mustStatus(t, 500, "GET", url, "", "")
	if len(s.Details.Causes) != 2 || !strings.HasSuffix(s.Message, " (and 1 more)") {
		t.Errorf("%+v", s)
	}
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"c4"}}`)
	for _, name := range []string{"c1", "c3"} {
		mustStatus(t, 200, "DELETE", url+"/"+name+"?"+unsafely, "", "")
	}
	eventually(t, "the informer after the deletion", func() bool {
		keys := informer.GetStore().ListKeys()
		slices.Sort(keys)
		return slices.Equal(keys, []string{"default/c0", "default/c2", "default/c4"})
	})
}

// Without its gate the option is as good as not given.
func TestDamaged_gate(t *testing.T) {
	c := app.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "normal"}
	if err := c.Features.Set(string(features.AllowUnsafeMalformedObjectDeletion) + "=false"); err != nil {
		t.Fatal(err)
	}
	p := mustStartConfig(t, c)
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"a"}}`)
	damage(t, p, "configmaps", "a", url+"/a")
	mustStatus(t, 500, "DELETE", url+"/a?gracePeriodSeconds=0&"+unsafely, "", "")
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"b"}}`)
	mustStatus(t, 200, "DELETE", url+"/b?"+unsafely, "", "")
	mustStatus(t, 404, "GET", url+"/b", "", "")
}
