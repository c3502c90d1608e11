package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// What is asked wrongly about snapshots and forks is refused by the right code, in one line, and changes nothing.
func TestDebugSnapshots_refused(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustConfigMap(t, p, "a")
	programtest.MustSave(t, p, "there")
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/compact", "", "")
	before := programtest.MustCall(t, 200, "GET", p.URL+"/debug/snapshots", "", "")
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"POST", "/debug/snapshots", `{"name":"there"}`, 409, `snapshot "there": already exists`},
		{"POST", "/debug/snapshots", `{"name":"There"}`, 400, "lower-case"},
		{"POST", "/debug/snapshots", `{"name":"` + strings.Repeat("a", 64) + `"}`, 400, "at most 63"},
		{"POST", "/debug/snapshots", `{"name":"a/b"}`, 400, "lower-case"},
		{"POST", "/debug/snapshots", `{}`, 400, "lower-case"},
		{"POST", "/debug/snapshots", ``, 400, "lower-case"},
		{"POST", "/debug/snapshots", `{"name":"start","replace":true}`, 400, "is made at each start"},
		{"POST", "/debug/snapshots", `{"nam":"a"}`, 400, "unknown field"},
		{"POST", "/debug/snapshots", `{"name":"a"}{}`, 400, "more than one"},
		{"POST", "/debug/snapshots", `[]`, 400, "must be a JSON object"},
		{"POST", "/debug/snapshots", `{"name":"` + strings.Repeat("a", 5000) + `"}`, 413, "too large"},
		{"PUT", "/debug/snapshots", `{"name":"a"}`, 405, "use GET or POST or DELETE"},
		{"DELETE", "/debug/snapshots?name=none", ``, 404, `snapshot "none": not found`},
		{"DELETE", "/debug/snapshots", ``, 400, "lower-case"},
		{"DELETE", "/debug/snapshots?name=start", ``, 400, "stays"},
		{"POST", "/debug/restore", `{"snapshot":"none"}`, 404, "not found"},
		{"POST", "/debug/restore", `{"snapshot":"No"}`, 400, "lower-case"},
		{"GET", "/debug/restore", ``, 405, "use POST"},
		{"POST", "/debug/fork", `{"revision":1}`, 410, "expired"},
		{"POST", "/debug/fork", `{"revision":99999999}`, 400, "too large resource version"},
		{"POST", "/debug/fork", `{"revision":-1}`, 400, "from 1 on"},
		{"POST", "/debug/fork", `{"revision":1,"snapshot":"there"}`, 400, "not both"},
		{"POST", "/debug/fork", `{"snapshot":"none"}`, 404, "not found"},
		{"POST", "/debug/fork", `{"listen":"0.0.0.0:0"}`, 400, "beyond the loopback interface"},
		{"POST", "/debug/fork", `{"listen":"x"}`, 400, "HOST:PORT"},
		{"DELETE", "/debug/fork?id=1", ``, 404, "not found"},
		{"DELETE", "/debug/fork", ``, 400, "which fork"},
		{"PATCH", "/debug/fork", ``, 405, "use GET or POST or DELETE"},
	} {
		code, text := programtest.Call(t, c.method, p.URL+c.path, programtest.JSONType, c.body)
		if code != c.code || !strings.Contains(text, c.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s %s %.80s: %d %q, want %d %q", c.method, c.path, c.body, code, text, c.code, c.want)
		}
	}
	if after := programtest.MustCall(t, 200, "GET", p.URL+"/debug/snapshots", "", ""); after != before {
		t.Errorf("it was %s\nand is %s", before, after)
	}
}

// No more than a hundred snapshots can be kept; one that takes the place of another is no further one.
func TestDebugSnapshots_many(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for i := range 100 {
		programtest.MustSave(t, p, fmt.Sprint("s", i))
	}
	if text := programtest.MustCall(t, 409, "POST", p.URL+"/debug/snapshots", programtest.JSONType, `{"name":"more"}`); !strings.Contains(text, "there are 100 snapshots already") {
		t.Error(text)
	}
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/snapshots", programtest.JSONType, `{"name":"s7","replace":true}`)
	programtest.MustCall(t, 200, "DELETE", p.URL+"/debug/snapshots?name=s8", "", "")
	programtest.MustSave(t, p, "more")
}

// The state after the start is that of this run, whatever a run before has left, and other snapshots outlive it.
func TestProgram_Reset_restart(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: t.TempDir() + "/k.db", History: time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	programtest.AwaitBootstrap(t, p)
	programtest.MustRestore(t, p, "") // which waits for it
	programtest.MustSave(t, p, "before")
	programtest.MustConfigMap(t, p, "a")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = programtest.MustStartConfig(t, c)
	programtest.MustRestore(t, p, "") // which waits for the snapshot of this start
	programtest.MustConfigMap(t, p, "b")
	const maps = "/api/v1/namespaces/default/configmaps/"
	programtest.MustRestore(t, p, "start")
	programtest.MustCall(t, 200, "GET", p.URL+maps+"a", "", "")
	programtest.MustCall(t, 404, "GET", p.URL+maps+"b", "", "")
	programtest.MustRestore(t, p, "before")
	programtest.MustCall(t, 404, "GET", p.URL+maps+"a", "", "")
}

// What follows the objects in this process is right behind a restore: definitions, roles, the addresses of Services, namespaces.
func TestProgram_Restore_kinds(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Modes: authz.Modes{authz.ModeRBAC}, Controllers: controllers.All()})
	const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	define := func(plural, kind string) {
		t.Helper()
		programtest.MustCall(t, 201, "POST", p.URL+crds, programtest.JSONType, `{"metadata":{"name":"`+plural+`.a.example"},"spec":{"group":"a.example","scope":"Namespaced","names":{"plural":"`+plural+`","kind":"`+kind+`"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"n":{"type":"integer"}}}}}]}}`)
		programtest.Eventually(t, plural+" are served", func() bool {
			code, _ := programtest.Call(t, "GET", p.URL+"/apis/a.example/v1/"+plural, "", "")
			return code == 200
		})
	}
	const rbac, reviews = "/apis/rbac.authorization.k8s.io/v1", "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	allow := func(user string) {
		t.Helper()
		programtest.MustCall(t, 201, "POST", p.URL+rbac+"/clusterrolebindings", programtest.JSONType, `{"metadata":{"name":"`+user+`"},
			"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"`+user+`"}]}`)
	}
	may := func(user string, want bool) {
		t.Helper()
		programtest.Eventually(t, fmt.Sprint(user, " may: ", want), func() bool {
			text := programtest.MustCall(t, 201, "POST", p.URL+reviews, programtest.JSONType, `{"spec":{"user":"`+user+`","resourceAttributes":{"verb":"list","resource":"pods","namespace":"default"}}}`)
			return strings.Contains(text, fmt.Sprint(`"status":{"allowed":`, want))
		})
	}
	service := func(want int, name, ip, port string) {
		t.Helper()
		programtest.MustCall(t, want, "POST", p.URL+"/api/v1/namespaces/default/services", programtest.JSONType,
			`{"metadata":{"name":"`+name+`"},"spec":{"type":"NodePort","clusterIP":"`+ip+`","ports":[{"port":80,"nodePort":`+port+`}]}}`)
	}
	namespace := func(name string) {
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"`+name+`"}}`)
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/"+name+"/configmaps", programtest.JSONType, `{"metadata":{"name":"in"}}`)
	}

	define("olds", "Old")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/a.example/v1/namespaces/default/olds", programtest.JSONType, `{"apiVersion":"a.example/v1","kind":"Old","metadata":{"name":"o"},"n":1}`)
	allow("ann")
	service(201, "old", "10.96.0.50", "30050")
	namespace("old")
	may("ann", true)
	programtest.MustSave(t, p, "s")

	programtest.MustCall(t, 200, "DELETE", p.URL+crds+"/olds.a.example", "", "")
	programtest.MustCall(t, 200, "DELETE", p.URL+rbac+"/clusterrolebindings/ann", "", "")
	programtest.MustCall(t, 200, "DELETE", p.URL+"/api/v1/namespaces/default/services/old", "", "")
	programtest.MustCall(t, 200, "DELETE", p.URL+"/api/v1/namespaces/old", "", "")
	programtest.Eventually(t, "what was deleted is gone", func() bool {
		crd, _ := programtest.Call(t, "GET", p.URL+crds+"/olds.a.example", "", "")
		ns, _ := programtest.Call(t, "GET", p.URL+"/api/v1/namespaces/old", "", "")
		return crd == 404 && ns == 404
	})
	define("news", "New")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/a.example/v1/namespaces/default/news", programtest.JSONType, `{"apiVersion":"a.example/v1","kind":"New","metadata":{"name":"n"}}`)
	allow("bob")
	service(201, "new", "10.96.0.51", "30051")
	namespace("new")
	may("ann", false)
	may("bob", true)

	programtest.MustRestore(t, p, "s")
	if text := programtest.MustCall(t, 200, "GET", p.URL+"/apis/a.example/v1/olds", "", ""); !strings.Contains(text, `"name":"o"`) {
		t.Error(text)
	}
	programtest.MustCall(t, 422, "POST", p.URL+"/apis/a.example/v1/namespaces/default/olds", programtest.JSONType, `{"apiVersion":"a.example/v1","kind":"Old","metadata":{"name":"p"},"n":"x"}`)
	programtest.MustCall(t, 404, "GET", p.URL+"/apis/a.example/v1/news", "", "")
	may("ann", true)
	may("bob", false)
	service(422, "other", "10.96.0.50", "30060") // which the old one has again
	service(422, "other", "10.96.0.61", "30050")
	service(201, "other", "10.96.0.51", "30051") // which the new one had
	programtest.MustCall(t, 200, "GET", p.URL+"/api/v1/namespaces/old/configmaps/in", "", "")
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/old/configmaps", programtest.JSONType, `{"metadata":{"name":"second"}}`)
	programtest.MustCall(t, 404, "GET", p.URL+"/api/v1/namespaces/new", "", "")
	programtest.MustCall(t, 404, "GET", p.URL+"/api/v1/namespaces/new/configmaps/in", "", "")
	programtest.MustCall(t, 404, "POST", p.URL+"/api/v1/namespaces/new/configmaps", programtest.JSONType, `{"metadata":{"name":"second"}}`)
	define("news", "New") // its names are free
}

// A restore in the middle of what controllers do ends that: a namespace that is being emptied comes back with all that was in it, and
// so do objects whose owner was deleted.
func TestProgram_Restore_controllers(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()})
	const many = 40
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"n"}}`)
	owner := programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/n/configmaps", programtest.JSONType, `{"metadata":{"name":"owner"}}`)
	var o metav1.PartialObjectMetadata
	if err := json.Unmarshal([]byte(owner), &o); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/n/secrets", programtest.JSONType,
			fmt.Sprintf(`{"metadata":{"name":"s%d","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"%s"}]}}`, i, o.UID))
	}
	programtest.MustSave(t, p, "s")
	secrets := func() int {
		text := programtest.MustCall(t, 200, "GET", p.URL+"/api/v1/namespaces/n/secrets", "", "")
		return strings.Count(text, `"name":"s`)
	}
	for _, path := range []string{"/api/v1/namespaces/n", "/api/v1/namespaces/n/configmaps/owner"} {
		for wait := range 4 { // at different points of what the controllers do
			programtest.MustCall(t, 200, "DELETE", p.URL+path, "", "")
			programtest.Eventually(t, "some are gone", func() bool { return secrets() < many-wait*8 })
			programtest.MustRestore(t, p, "s")
			if n := secrets(); n != many {
				t.Fatalf("%d of %d secrets right behind the restore", n, many)
			}
			// A ConfigMap that no controller makes but behind a look at the namespace: they have begun anew.
			programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"next"}}`)
			programtest.Eventually(t, "controllers work", func() bool {
				code, _ := programtest.Call(t, "GET", p.URL+"/api/v1/namespaces/next/serviceaccounts/default", "", "")
				return code == 200
			})
			if n := secrets(); n != many {
				t.Fatalf("%d of %d secrets after a while", n, many)
			}
			programtest.MustRestore(t, p, "s")
		}
	}
}

// What a controller decided by what was before a restore is refused behind it.
func TestProgram_Restore_fence(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustConfigMap(t, p, "a")
	programtest.MustSave(t, p, "s")
	send := func(method, path, since string) (int, string) {
		req, err := http.NewRequest(method, p.URL+path, strings.NewReader(`{"metadata":{"name":"b"}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", programtest.JSONType)
		req.Header.Set("Kubarium-Since", since)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("Content-Type")
	}
	done := programtest.MustRestore(t, p, "s")
	const maps = "/api/v1/namespaces/default/configmaps"
	before, now := fmt.Sprint(done.Revision-1), fmt.Sprint(done.Revision)
	for _, c := range []struct {
		method, path, since string
		code                int
	}{
		{"DELETE", maps + "/a", before, 409}, {"POST", maps, before, 409}, {"GET", maps + "/a", before, 200},
		{"POST", maps, "x", 400}, {"POST", maps, "-1", 400}, {"POST", maps, now, 201}, {"DELETE", maps + "/a", now, 200},
	} {
		if code, form := send(c.method, c.path, c.since); code != c.code || form != programtest.JSONType {
			t.Errorf("%s %s since %s: %d %s, want %d", c.method, c.path, c.since, code, form, c.code)
		}
	}
}

// A request that admission looked at before a restore is looked at again behind it, from the beginning: what a webhook has changed
// for it counts no more, a namespace that is gone is missed, and a patch is one of the object as it is then.
func TestProgram_Restore_underWay(t *testing.T) {
	p, client := mustGuard(t)
	ctx := t.Context()
	maps := client.CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(maps.Create(ctx, labelled("a", "h"), metav1.CreateOptions{}))
	programtest.MustSave(t, p, "s")
	entered, goOn := make(chan struct{}, 16), make(chan struct{})
	h := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		entered <- struct{}{}
		<-goOn
		return programtest.Patching("hook", "was here")
	})
	half := int32(30)
	mustFollow(t, client, mutating("h", h.Client(), func(w *admissionregistrationv1.MutatingWebhook) {
		w.Rules, w.TimeoutSeconds = programtest.Rules(admissionregistrationv1.Create, admissionregistrationv1.Update), &half
	}))
	must[*corev1.Namespace](t)(client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "later"}}, metav1.CreateOptions{}))
	programtest.MustCall(t, 200, "PUT", p.URL+"/debug/rows?resource=configmaps&namespace=default&name=a", programtest.JSONType,
		strings.Replace(programtest.MustCall(t, 200, "GET", p.URL+"/debug/rows?resource=configmaps&namespace=default&name=a", "", ""), `"n":"0"`, `"n":"1"`, 1))

	var all sync.WaitGroup
	var lost, created, patched error
	all.Go(func() {
		_, lost = client.CoreV1().ConfigMaps("later").Create(ctx, labelled("x", "h"), metav1.CreateOptions{})
	})
	all.Go(func() {
		_, created = maps.Create(ctx, labelled("b", "h"), metav1.CreateOptions{})
	})
	all.Go(func() {
		_, patched = maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"added":"1"}}`), metav1.PatchOptions{})
	})
	for range 3 {
		<-entered
	}
	programtest.MustRestore(t, p, "s")
	close(goOn)
	all.Wait()
	if !apierrors.IsNotFound(lost) || created != nil || patched != nil {
		t.Errorf("into the namespace that is gone: %v; created: %v; patched: %v", lost, created, patched)
	}
	a, b := must[*corev1.ConfigMap](t)(maps.Get(ctx, "a", metav1.GetOptions{})), must[*corev1.ConfigMap](t)(maps.Get(ctx, "b", metav1.GetOptions{}))
	if fmt.Sprint(a.Data) != "map[added:1 n:0]" || fmt.Sprint(b.Data) != "map[n:0]" {
		t.Errorf("a has %v, b has %v", a.Data, b.Data)
	}
}

// Open watches end with 410 Gone, lists and watches from before get it, and the head goes on.
func TestProgram_Restore_watches(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustSave(t, p, "s")
	programtest.MustConfigMap(t, p, "a")
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "GET", url, "", "")), &list); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	open := []<-chan programtest.Event{
		programtest.WatchEvents(ctx, t, url+"?watch=true&resourceVersion="+list.ResourceVersion),
		programtest.WatchEvents(ctx, t, p.URL+"/api/v1/secrets?watch=true&resourceVersion="+list.ResourceVersion), // nothing of which differs
	}
	done := programtest.MustRestore(t, p, "s")
	open = append(open, programtest.WatchEvents(ctx, t, url+"?watch=true&resourceVersion="+list.ResourceVersion))
	for i, events := range open {
		if e, more := <-events; e.Type != "ERROR" {
			t.Errorf("watch %d: %+v %v", i, e, more)
		}
		if e, more := <-events; more {
			t.Errorf("watch %d goes on: %+v", i, e)
		}
	}
	if text := programtest.MustCall(t, 410, "GET", url+"?resourceVersionMatch=Exact&resourceVersion="+list.ResourceVersion, "", ""); !strings.Contains(text, `"reason":"Expired"`) {
		t.Error(text)
	}
	next := programtest.WatchEvents(ctx, t, url+fmt.Sprintf("?watch=true&resourceVersion=%d", done.Revision))
	programtest.MustConfigMap(t, p, "a")
	if e := <-next; e.Type != "ADDED" || e.Object.Metadata.Name != "a" {
		t.Errorf("a later watch: %+v", e)
	}
}

// While writers write, the server goes to and fro between two states: each list shows what one of them and later writes made, never
// parts of both; no resourceVersion falls; and informers end with what a list shows.
func TestProgram_Restore_underLoad(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	config := &rest.Config{Host: p.URL, QPS: -1}
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const many = 30
	state := func(color string) {
		maps := client.CoreV1().ConfigMaps("default")
		if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "color"}); err != nil {
			t.Fatal(err)
		}
		for i := range many {
			must[*corev1.ConfigMap](t)(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(color, i), Labels: map[string]string{"color": color}}}, metav1.CreateOptions{}))
		}
		programtest.MustSave(t, p, color)
	}
	state("red")
	state("blue")
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	over := make(chan struct{})
	var others sync.WaitGroup
	until := func(do func(i int)) {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
					do(i)
				}
			}
		})
	}
	for w := range 3 {
		until(func(i int) { // objects of neither state
			_, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprint("w", w, "-")}}, metav1.CreateOptions{})
			if err != nil {
				t.Error(err)
			}
			_, err = client.CoreV1().ConfigMaps("default").Patch(ctx, fmt.Sprint("red", i%many), types.MergePatchType, []byte(fmt.Sprintf(`{"data":{"n":"%d"}}`, i)), metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				t.Error(err)
			}
		})
	}
	last := make([]int, 2)
	for r := range 2 {
		until(func(int) {
			l, err := client.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{LabelSelector: "color"})
			if err != nil {
				t.Error(err)
				return
			}
			colors := map[string]int{}
			for _, cm := range l.Items {
				colors[cm.Labels["color"]]++
			}
			revision := 0
			_, _ = fmt.Sscan(l.ResourceVersion, &revision)
			if len(l.Items) != many || len(colors) != 1 || revision < last[r] {
				t.Errorf("at %s, after %d: %v", l.ResourceVersion, last[r], colors)
			}
			last[r] = revision
		})
	}
	for i := range 16 {
		programtest.MustRestore(t, p, []string{"red", "blue"}[i%2])
	}
	close(over)
	others.Wait()
	programtest.Within(t, 3*time.Minute, "the informer has what a list shows", func() bool {
		l := must[*corev1.ConfigMapList](t)(client.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{}))
		var want, have []string
		for _, cm := range l.Items {
			want = append(want, cm.Namespace+"/"+cm.Name+" "+cm.ResourceVersion)
		}
		for _, obj := range informer.GetStore().List() {
			cm := obj.(*corev1.ConfigMap)
			have = append(have, cm.Namespace+"/"+cm.Name+" "+cm.ResourceVersion)
		}
		slices.Sort(want)
		slices.Sort(have)
		return slices.Equal(have, want)
	})
}

// Save, restore and reset of 1,000 objects over HTTP.
func BenchmarkProgram_Restore(b *testing.B) {
	p := programtest.MustStart(b, "full")
	value := strings.Repeat("x", 500)
	fill := func() {
		for i := range 1000 {
			programtest.MustCall(b, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"k":"%s"}}`, i, value))
		}
	}
	b.Run("reset", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fill()
			b.StartTimer()
			if done := programtest.MustRestore(b, p, "start"); done.Deleted != 1000 {
				b.Fatal(done)
			}
		}
	})
	fill()
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			programtest.MustCall(b, 200, "POST", p.URL+"/debug/snapshots", programtest.JSONType, `{"name":"s","replace":true}`)
		}
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			programtest.MustCall(b, 200, "DELETE", p.URL+"/api/v1/namespaces/default/configmaps", "", "")
			time.Sleep(100 * time.Millisecond)
			b.StartTimer()
			if done := programtest.MustRestore(b, p, "s"); done.Created != 1000 {
				b.Fatal(done)
			}
		}
	})
}

// Quotas count what there is behind a restore, and policies are those that there are.
func TestProgram_Restore_admission(t *testing.T) {
	p, client := mustGuard(t)
	ctx := t.Context()
	core := client.CoreV1()
	must[*corev1.Namespace](t)(core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "q"}}, metav1.CreateOptions{}))
	add := func(name string) error {
		_, err := core.Secrets("q").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	}
	must[*corev1.ResourceQuota](t)(core.ResourceQuotas("q").Create(ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "two"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/secrets": resource.MustParse("0")}},
	}, metav1.CreateOptions{}))
	used := func() int64 {
		q := must[*corev1.ResourceQuota](t)(core.ResourceQuotas("q").Get(ctx, "two", metav1.GetOptions{}))
		n, counted := q.Status.Used["count/secrets"]
		if !counted {
			return -1
		}
		return n.Value()
	}
	programtest.Eventually(t, "the quota is counted", func() bool { return used() == 0 })
	// A Secret that comes before the plugin has seen the quota is not counted: so it first has to refuse one.
	programtest.Eventually(t, "nothing may be there", func() bool {
		err := add("a")
		if err == nil {
			if err := core.Secrets("q").Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota")
	})
	must[*corev1.ResourceQuota](t)(core.ResourceQuotas("q").Patch(ctx, "two", types.MergePatchType, []byte(`{"spec":{"hard":{"count/secrets":"2"}}}`), metav1.PatchOptions{}))
	programtest.Eventually(t, "the first one", func() bool { return add("a") == nil })
	programtest.Eventually(t, "the first one is counted", func() bool { return used() == 1 })
	programtest.MustSave(t, p, "s")
	policies := client.AdmissionregistrationV1().ValidatingAdmissionPolicies()
	for range 3 {
		if err := add("b"); err != nil {
			t.Fatal(err)
		}
		if err := add("c"); !apierrors.IsForbidden(err) {
			t.Fatalf("a third one: %v", err)
		}
		must[*admissionregistrationv1.ValidatingAdmissionPolicy](t)(policies.Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: "never"},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: programtest.Rules(admissionregistrationv1.Create)[0]}}},
				Validations:      []admissionregistrationv1.Validation{{Expression: "false", Message: "never"}},
			},
		}, metav1.CreateOptions{}))
		must[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](t)(client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "never"},
			Spec:       admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "never", ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}},
		}, metav1.CreateOptions{}))
		maps := func() error {
			_, err := core.ConfigMaps("q").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "m-"}}, metav1.CreateOptions{})
			return err
		}
		programtest.Eventually(t, "the policy is in force", func() bool { return maps() != nil })
		programtest.MustRestore(t, p, "s")
		programtest.Eventually(t, "the policy is gone", func() bool { return maps() == nil })
		if n := used(); n != 1 {
			t.Errorf("%d used", n)
		}
	}
}
