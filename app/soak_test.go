package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The steady load of BenchmarkSoak: what it holds at any time does not depend on how long it has run.
const (
	soakWritesPerSecond = 50
	soakReadsPerWrite   = 2
	soakObjects         = 60 // of each kind
	soakWatchers        = 20
	soakWatchSeconds    = 240 // after which a watch is opened again
)

// BenchmarkSoak lets the built binary work for as long as -benchtime says under a steady load: 50 writes a second of six
// kinds, one of them a custom resource, which create, apply, patch, replace and delete; 100 gets and lists a second in several
// forms; and 20 watches. Old revisions are kept a minute, so that compaction works all the time. It tells the resident
// memory each minute on stderr, and reports its mean in the minute before the tenth and in the last one. Compare with
// the goal: within 10 %.
//
//	go test ./app -run '^$' -bench Soak -benchtime 60m -timeout 70m
func BenchmarkSoak(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "kubarium")
	if out, err := exec.Command("go", "build", "-o", binary, "kubarium").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	url, pid, stop := mustServe(b, binary, filepath.Join(b.TempDir(), "k.db"), "--history", "1m")
	defer stop()
	s := newSoak(b, url)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range soakWatchers {
		go s.watch(ctx, i)
	}
	var memory soakMemory
	start := time.Now()
	tick := time.NewTicker(time.Second / soakWritesPerSecond)
	defer tick.Stop()
	for b.Loop() {
		s.write()
		for range soakReadsPerWrite {
			s.read()
		}
		memory.sample(time.Since(start), func() float64 { return resident(b, pid, "VmRSS") })
		<-tick.C
	}
	memory.report(b)
	b.ReportMetric(float64(s.events.Load())/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(s.writes)/b.Elapsed().Seconds(), "writes/s")
}

// soakMemory is the resident memory in MiB, once a second.
type soakMemory struct {
	seconds []float64
}

func (m *soakMemory) sample(since time.Duration, now func() float64) {
	if int(since.Seconds()) < len(m.seconds) {
		return
	}
	m.seconds = append(m.seconds, now())
	if n := len(m.seconds); n%60 == 0 {
		fmt.Fprintf(os.Stderr, "soak: %s minute %d: %.1f MiB resident\n", time.Now().Format(time.TimeOnly), n/60, m.minute(n))
	}
}

// minute is the mean of the minute that ends at a second.
func (m *soakMemory) minute(end int) float64 {
	var sum float64
	span := m.seconds[max(0, end-60):end]
	for _, mib := range span {
		sum += mib
	}
	return sum / float64(len(span))
}

func (m *soakMemory) report(b *testing.B) {
	last := m.minute(len(m.seconds))
	b.ReportMetric(last, "MiB-end")
	b.ReportMetric(slices.Max(m.seconds), "MiB-most")
	if len(m.seconds) < 600 {
		return
	}
	tenth := m.minute(600)
	b.ReportMetric(tenth, "MiB-10min")
	b.ReportMetric(100*(last-tenth)/tenth, "%-growth")
}

// A soak is the load: each object of each kind is at some point of its life, and each write takes one object a step on.
type soak struct {
	b      *testing.B
	client *http.Client
	url    string
	writes int
	reads  int
	age    map[string]int // by path; 0: absent
	events atomic.Int64
}

// A soakKind is a kind of which the soak holds objects.
type soakKind struct {
	path       string // of its collection
	apiVersion string
	kind       string
	body       string // what an object has beside its metadata; %d is a number that changes

}

var soakKinds = []soakKind{
	{"/api/v1/namespaces/default/configmaps", "v1", "ConfigMap", `"data":{"n":"%d","text":"` + strings.Repeat("x", 600) + `"}`},
	{"/api/v1/namespaces/default/secrets", "v1", "Secret", `"stringData":{"n":"%d"}`},
	{"/api/v1/namespaces/default/services", "v1", "Service", `"spec":{"ports":[{"name":"p","port":80,"targetPort":%d}]}`},
	{"/api/v1/namespaces/default/pods", "v1", "Pod", `"spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i:%d"}]}`},
	{"/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", `"spec":{"replicas":%d,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}`},
	{"/apis/soak.example.com/v1/namespaces/default/widgets", "soak.example.com/v1", "Widget", `"spec":{"size":%d,"colour":"green"}`},
}

const soakDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.soak.example.com"},
"spec":{"group":"soak.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"size":{"type":"integer"},"colour":{"type":"string","default":"red"}}},
"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`

func newSoak(b *testing.B, url string) *soak {
	s := &soak{b: b, client: newClient(), url: url, age: map[string]int{}}
	s.do("POST", url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, soakDefinition, "")
	widgets := soakKinds[len(soakKinds)-1].path
	for range 100 {
		if s.do("GET", url+widgets, "", "", "") == http.StatusOK {
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Fatal("the custom resource is not served")
	return nil
}

// write takes the next object a step on in its life, which is between 4 and 10 steps long.
func (s *soak) write() {
	i := s.writes
	s.writes++
	k := soakKinds[i%len(soakKinds)]
	slot := i / len(soakKinds) % soakObjects
	name := fmt.Sprintf("soak-%d", slot)
	path := k.path + "/" + name
	object := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"labels":{"slot":"%d"}},`+k.body+`}`, k.apiVersion, k.kind, name, slot, 1+i%1000)
	age := s.age[path]
	s.age[path]++
	switch {
	case age == 0:
		s.must(s.do("POST", s.url+k.path, jsonType, object, ""), "create", path)
	case age == 4+slot%7:
		s.age[path] = 0
		s.must(s.do("DELETE", s.url+path, "", "", ""), "delete", path)
	case age%3 == 1 && k.kind != "Pod": // most of a pod never changes
		s.must(s.do("PATCH", s.url+path+"?fieldManager=soak-apply&force=true", "application/apply-patch+yaml", object, ""), "apply", path)
	case age%3 == 2:
		s.must(s.do("PATCH", s.url+path, "application/json-patch+json", fmt.Sprintf(`[{"op":"add","path":"/metadata/labels/step","value":"%d"}]`, i), ""), "patch", path)
	default:
		s.must(s.do("PATCH", s.url+path, mergeType, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/n":"%d"}}}`, i), ""), "patch", path)
	}
}

// soakForms are what clients ask for.
var soakForms = []string{"application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
	"application/vnd.kubernetes.protobuf,application/json", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"}

func (s *soak) read() {
	i := s.reads
	s.reads++
	k := soakKinds[i%len(soakKinds)]
	form := soakForms[i%len(soakForms)]
	switch {
	case i%20 == 0:
		s.must(s.do("GET", s.url+k.path+"?limit=20", "", "", form), "list", k.path)
	case i%50 == 1:
		s.must(s.do("GET", s.url+k.path+"?resourceVersion=0", "", "", form), "list", k.path)
	default:
		s.do("GET", fmt.Sprintf("%s%s/soak-%d", s.url, k.path, i%soakObjects), "", "", soakForms[i%2])
	}
}

func (s *soak) must(code int, verb, path string) {
	if code >= 300 {
		s.b.Fatalf("%s %s: %d", verb, path, code)
	}
}

// do sends a request, reads the answer to its end and returns its code.
func (s *soak) do(method, url, contentType, body, accept string) int {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		s.b.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Accept", accept)
	resp, err := s.client.Do(req)
	if err != nil {
		s.b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		s.b.Fatal(err)
	}
	return resp.StatusCode
}

// watch counts the events of a kind, and begins again when its watch has ended.
func (s *soak) watch(ctx context.Context, i int) {
	k := soakKinds[i%len(soakKinds)]
	query := fmt.Sprintf("?watch=true&allowWatchBookmarks=true&timeoutSeconds=%d", soakWatchSeconds)
	if i%2 == 0 {
		query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	}
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, "GET", s.url+k.path+query, nil)
		if err != nil {
			return
		}
		resp, err := s.client.Do(req)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		s.count(resp.Body)
	}
}

func (s *soak) count(body io.ReadCloser) {
	defer body.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		s.events.Add(int64(bytes.Count(buf[:n], []byte("\n"))))
		if err != nil {
			return
		}
	}
}
