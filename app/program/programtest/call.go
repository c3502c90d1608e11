package programtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/memory"
	"kubarium/app/program"
	"kubarium/flow/recording"
)

// Call sends a request and returns status and body.
func Call(t testing.TB, method, url, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func MustCall(t testing.TB, want int, method, url, contentType, body string) string {
	t.Helper()
	code, text := Call(t, method, url, contentType, body)
	if code != want {
		t.Fatalf("%s %s: %d, want %d: %s", method, url, code, want, text)
	}
	return text
}

const (
	JSONType  = "application/json"
	MergeType = "application/merge-patch+json"
)

// Event is the head of a watch event.
type Event struct {
	Type   string
	Object struct {
		Metadata struct{ Name, ResourceVersion string }
	}
}

// WatchEvents opens a watch and sends its events until ctx ends.
func WatchEvents(ctx context.Context, t testing.TB, url string) <-chan Event {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan Event, 1024)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var e Event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				events <- e
			}
		}
	}()
	return events
}

// Eventually waits for a condition, a minute at most.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	Within(t, time.Minute, what, ok)
}

// Within is Eventually for as long as limit.
func Within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// MustStatus sends a request and returns the Status that it gets.
func MustStatus(t *testing.T, want int, method, url, contentType, body string) metav1.Status {
	t.Helper()
	var s metav1.Status
	if err := json.Unmarshal([]byte(MustCall(t, want, method, url, contentType, body)), &s); err != nil || s.Kind != "Status" {
		t.Fatalf("%+v %v", s, err)
	}
	return s
}

func NamedMap(name string) string { return fmt.Sprintf(`{"metadata":{"name":%q}}`, name) }

func MustWriteSome(t *testing.T, p *program.Program) {
	t.Helper()
	<-p.Bootstrapped()
	const path = "/api/v1/namespaces/default/configmaps"
	for _, name := range []string{"a", "b", "c"} {
		MustCall(t, 201, "POST", p.URL+path, "application/json", NamedMap(name))
	}
	MustCall(t, 409, "POST", p.URL+path, "application/json", NamedMap("a"))
	MustCall(t, 200, "GET", p.URL+path+"?limit=2", "", "")
	MustCall(t, 200, "GET", p.URL+path, "", "")
}

// MustReadLines reads the lines of a page.
func MustReadLines(t *testing.T, text string) (lines []recording.Line) {
	t.Helper()
	for line := range strings.Lines(text) {
		l, err := recording.Read([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func MustListObjects(t *testing.T, address string) objectList {
	t.Helper()
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []map[string]any
	}
	if err := json.Unmarshal([]byte(MustCall(t, 200, "GET", address, "", "")), &list); err != nil {
		t.Fatal(err)
	}
	l := objectList{mustNumber(t, list.Metadata.ResourceVersion), map[string]int64{}, map[string]string{}}
	for _, o := range list.Items {
		meta := o["metadata"].(map[string]any)
		name := fmt.Sprint(meta["namespace"], "/", meta["name"])
		l.Versions[name] = mustNumber(t, meta["resourceVersion"].(string))
		delete(meta, "resourceVersion")
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		l.Objects[name] = string(text)
	}
	return l
}

// A RawEvent is one of a watch, with its object as text.
type RawEvent struct {
	Type   string
	Object json.RawMessage
}

// FirstEvent is the first event of a watch.
func FirstEvent(t *testing.T, address string) (e RawEvent) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

func ConfigMap(name string) []byte { return ConfigMapOf(name, 0) }

// ConfigMapOf is a ConfigMap that differs from others of its name by a number.
func ConfigMapOf(name string, n int64) []byte {
	return []byte(fmt.Sprint(bodyHead, name, bodyTail, fmt.Sprintf("%08d", n), `"}}`))
}

// NewClient keeps enough connections open for all goroutines of a benchmark.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
}

func Send(b testing.TB, c *http.Client, method, url string, body []byte) []byte {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		b.Fatalf("%s %s: %s %v: %.200s", method, url, resp.Status, err, data)
	}
	return data
}

// CPUTime is the processor time that this process has used, on all cores.
func CPUTime() time.Duration { return time.Duration(memory.ProcessSeconds() * float64(time.Second)) }

func MustReadChanges(t *testing.T, address string) (log changeLog) {
	t.Helper()
	if err := json.Unmarshal([]byte(MustCall(t, 200, "GET", address, "", "")), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// bodyHead and bodyTail surround the name in the body of a ConfigMap of 1 KB.
const bodyHead, bodyLabels = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`, `","labels":{"app":"bench"}},"data":{"k":"`

var bodyTail = bodyLabels + strings.Repeat("x", 992)

// changeLog is the answer of /debug/changes as far as the tests look.
type changeLog struct {
	Revision, Compacted int64
	Changes             []struct {
		Revision, BeforeRevision, Bytes int64
		Type, Resource, Namespace, Name string
		Outside, Terminating            bool
		Before, After                   map[string]any
	}
}

// An objectList is what a client knows of a list.
type objectList struct {
	Version  int64
	Versions map[string]int64  // of each object
	Objects  map[string]string // without resourceVersion
}

func mustNumber(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
