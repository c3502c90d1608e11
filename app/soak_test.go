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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/tests/e2e"
)

// The steady load of BenchmarkSoak: what it holds at any time does not depend on how long it has run.
const (
	soakWritesPerSecond = 40
	soakReadsPerWrite   = 2
	soakObjects         = 60 // of each kind
	soakWatchers        = 20
	soakWatchSeconds    = 240 // after which a watch is opened again
	soakKubectlEvery    = 20 * time.Second
	soakLessonEvery     = 90 * time.Second
)

// BenchmarkSoak lets the built binary work for as long as -benchtime says under a steady load, as serve and with its UI in a terminal:
// 40 writes a second of six kinds, one of them a custom resource, which create, apply, patch, replace and delete; 80 gets and lists a
// second in several forms; 20 watches; and now and then kubectl and a lesson. Old revisions are kept a minute, so that compaction works
// all the time; with the UI, whose nodes run the Pods of 60 Deployments, Events five. Each minute a line on stderr tells memory, goroutines and descriptors. Reported are their means in the minute before the
// tenth and in the last one. Compare with the goal: 5 % of memory at most, goroutines and descriptors as they were.
//
//	go test ./app -run '^$' -bench Soak/serve -benchtime 150m -timeout 160m
func BenchmarkSoak(b *testing.B) {
	binary := mustBuild(b)
	kubectl := e2e.FindKubectl(b)
	b.Run("serve", func(b *testing.B) {
		url, pid, stop := mustServe(b, binary, filepath.Join(b.TempDir(), "k.db"), "--history", "1m")
		defer stop()
		soakServer(b, soakTools{binary, kubectl}, url, pid)
	})
	b.Run("ui", func(b *testing.B) {
		ui := mustShow(newTTY(b), binary, filepath.Join(b.TempDir(), "k.db"), "--history", "1m", "--nodes", "2", "--event-ttl", "5m")
		defer ui.stop()
		soakServer(b, soakTools{binary, kubectl}, ui.url, ui.pid)
	})
}

func soakServer(b *testing.B, tools soakTools, url string, pid int) {
	s := newSoak(b, url)
	ctx, cancel := context.WithCancel(context.Background())
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	for i := range soakWatchers {
		go s.watch(ctx, i)
	}
	beside.Go(func() {
		tools.every(ctx, b, soakKubectlEvery, func(i int) *exec.Cmd { return tools.useKubectl(ctx, url, i) })
	})
	beside.Go(func() {
		tools.every(ctx, b, soakLessonEvery, func(i int) *exec.Cmd { return tools.playLesson(ctx, url, i) })
	})
	curve := soakCurve{url: url, pid: pid, client: s.client}
	start := time.Now()
	tick := time.NewTicker(time.Second / soakWritesPerSecond)
	defer tick.Stop()
	for b.Loop() {
		s.write()
		for range soakReadsPerWrite {
			s.read()
		}
		curve.sample(b, time.Since(start))
		<-tick.C
	}
	curve.report(b)
	b.ReportMetric(float64(s.events.Load())/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(s.writes)/b.Elapsed().Seconds(), "writes/s")
}

// soakTools are the programs that are run beside the load.
type soakTools struct{ binary, kubectl string }

// every runs a command again and again until ctx ends.
func (soakTools) every(ctx context.Context, b *testing.B, pause time.Duration, command func(i int) *exec.Cmd) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		cmd := command(i)
		if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
			b.Errorf("%s: %v\n%s", strings.Join(cmd.Args[1:], " "), err, out)
		}
	}
}

// soakKubectl is what somebody does at a shell.
var soakKubectl = [][]string{
	{"get", "pods,services,configmaps"},
	{"get", "widgets", "-o", "yaml"},
	{"create", "configmap", "by-hand", "--from-literal=a=b"},
	{"label", "configmap", "by-hand", "a=b"},
	{"describe", "configmap", "by-hand"},
	{"delete", "configmap", "by-hand"},
	{"explain", "pod.spec"},
	{"api-resources"},
}

func (t soakTools) useKubectl(ctx context.Context, url string, i int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.kubectl, append([]string{"-s", url}, soakKubectl[i%len(soakKubectl)]...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+os.DevNull)
	return cmd
}

// soakLessons end soon, and need no roles.
var soakLessons = []string{"create-and-read", "watch-others", "lost-update", "custom-resource", "finalizers", "chunks"}

func (t soakTools) playLesson(ctx context.Context, url string, i int) *exec.Cmd {
	return exec.CommandContext(ctx, t.binary, "scenario", "verify", soakLessons[i%len(soakLessons)], "--server", url)
}

// A soakSample is what a server holds at a moment.
type soakSample struct{ resident, anonymous, goroutines, descriptors float64 } // in MiB; in numbers

// A soakCurve has a sample for each second; goroutines and descriptors are asked for every tenth.
type soakCurve struct {
	url     string
	pid     int
	client  *http.Client
	seconds []soakSample
}

func (c *soakCurve) sample(b *testing.B, since time.Duration) {
	n := len(c.seconds)
	if int(since.Seconds()) < n {
		return
	}
	s := soakSample{resident: resident(b, c.pid, "VmRSS"), anonymous: resident(b, c.pid, "RssAnon")}
	if n%10 == 0 {
		s.goroutines, s.descriptors = c.numbers(b)
	} else {
		s.goroutines, s.descriptors = c.seconds[n-1].goroutines, c.seconds[n-1].descriptors
	}
	c.seconds = append(c.seconds, s)
	if n++; n%60 == 0 {
		m := c.minute(n)
		fmt.Fprintf(os.Stderr, "soak: %s minute %d: %.1f MiB resident, %.1f anonymous, %.0f goroutines, %.0f descriptors\n",
			time.Now().Format(time.TimeOnly), n/60, m.resident, m.anonymous, m.goroutines, m.descriptors)
	}
}

// numbers are what the server says of itself at /metrics.
func (c *soakCurve) numbers(b *testing.B) (goroutines, descriptors float64) {
	for line := range strings.Lines(string(programtest.Send(b, c.client, "GET", c.url+"/metrics", nil))) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "go_goroutines":
			goroutines, _ = strconv.ParseFloat(value, 64)
		case "process_open_fds":
			descriptors, _ = strconv.ParseFloat(value, 64)
		}
	}
	return goroutines, descriptors
}

// minute is the mean of the minute that ends at a second.
func (c *soakCurve) minute(end int) (mean soakSample) {
	span := c.seconds[max(0, end-60):end]
	n := float64(len(span))
	for _, s := range span {
		mean.resident += s.resident / n
		mean.anonymous += s.anonymous / n
		mean.goroutines += s.goroutines / n
		mean.descriptors += s.descriptors / n
	}
	return mean
}

func (c *soakCurve) report(b *testing.B) {
	end := c.minute(len(c.seconds))
	b.ReportMetric(end.resident, "MiB-end")
	b.ReportMetric(end.goroutines, "goroutines-end")
	b.ReportMetric(end.descriptors, "fds-end")
	if len(c.seconds) < 600 {
		return
	}
	tenth := c.minute(600)
	b.ReportMetric(tenth.resident, "MiB-10min")
	b.ReportMetric(tenth.goroutines, "goroutines-10min")
	b.ReportMetric(tenth.descriptors, "fds-10min")
	b.ReportMetric(100*(end.resident-tenth.resident)/tenth.resident, "%-growth")
	b.ReportMetric(100*(end.anonymous-tenth.anonymous)/tenth.anonymous, "%-growth-anonymous")
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
	{"/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", `"spec":{"replicas":1,"revisionHistoryLimit":%d,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}`},
	{"/apis/soak.example.com/v1/namespaces/default/widgets", "soak.example.com/v1", "Widget", `"spec":{"size":%d,"colour":"green"}`},
}

func newSoak(b *testing.B, url string) *soak {
	s := &soak{b: b, client: programtest.NewClient(), url: url, age: map[string]int{}}
	s.do("POST", url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, programtest.SoakDefinition, "")
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
		s.must(s.do("POST", s.url+k.path, programtest.JSONType, object, ""), "create", path)
	case age == 4+slot%7:
		s.age[path] = 0
		s.must(s.do("DELETE", s.url+path, "", "", ""), "delete", path)
	case age%3 == 1 && k.kind != "Pod": // most of a pod never changes
		s.must(s.do("PATCH", s.url+path+"?fieldManager=soak-apply&force=true", "application/apply-patch+yaml", object, ""), "apply", path)
	case age%3 == 2:
		s.must(s.do("PATCH", s.url+path, "application/json-patch+json", fmt.Sprintf(`[{"op":"add","path":"/metadata/labels/step","value":"%d"}]`, i), ""), "patch", path)
	default:
		s.must(s.do("PATCH", s.url+path, programtest.MergeType, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/n":"%d"}}}`, i), ""), "patch", path)
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
