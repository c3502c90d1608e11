package har_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/har"
	"kubarium/flow/har/hartest"
)

var start = time.Date(2026, 11, 22, 9, 8, 7, 654_321_000, time.UTC)

var options = har.Options{Version: "v1.2.3", URL: "http://127.0.0.1:8080/"}

// mustWrite writes flows, and parses the archive strictly.
func mustWrite(t *testing.T, o har.Options, flows ...*flow.Flow) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := har.Write(&b, slices.Values(flows), o); err != nil {
		t.Fatal(err)
	}
	log, err := hartest.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// in is the value at a path of names and positions.
func in(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// entryOf is the one entry of an archive with one flow.
func entryOf(t *testing.T, f *flow.Flow) any {
	t.Helper()
	return in(mustWrite(t, options, f), "entries", 0)
}

func write() *flow.Flow {
	return &flow.Flow{
		Seq: 12, Start: start, Duration: 9 * time.Millisecond,
		Client: flow.Client{Tag: "k1", UserAgent: "kubectl/v1.37.0", Remote: "127.0.0.1:43210", User: "system:admin"},
		Method: "PUT", Path: "/apis/apps/v1/namespaces/default/deployments/web/status",
		Query: "fieldManager=k%20k&pretty", Proto: "HTTP/1.1",
		Target: flow.Target{Verb: "update", Group: "apps", Version: "v1", Resource: "deployments",
			Subresource: "status", Namespace: "default", Name: "web"},
		RequestHeader: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json", "*/*"},
			"Cookie": {"a=b; c=d"}},
		RequestBody:    flow.Keep([]byte(`{"a":"<é>"}`)),
		Status:         200,
		ResponseHeader: http.Header{"Content-Type": {"application/json"}, "Set-Cookie": {"s=t; Path=/; HttpOnly"}},
		ResponseBody:   flow.Keep([]byte(`{"kind":"Deployment"}`)),
		Stations: []flow.Station{{Name: "filters", Length: time.Millisecond},
			{Name: "respond", Start: 7 * time.Millisecond, Length: time.Millisecond}},
		Effects: []flow.Effect{{Commit: flow.Commit{Revision: 214}}},
		Faults:  []flow.FaultMark{{Rule: "hold", Action: "hold", Outcome: "let go"}},
		Chain:   &flow.Chain{Write: 12, Events: []flow.ChainEvent{{Link: "owned", Revision: 213}}},
	}
}

func TestWrite(t *testing.T) {
	log := mustWrite(t, options, write())
	for _, c := range []struct {
		want any
		path []any
	}{
		{"Kubarium", []any{"creator", "name"}},
		{"v1.2.3", []any{"creator", "version"}},
		{"k1 kubectl/v1.37.0", []any{"pages", 0, "title"}},
		{"2026-11-22T09:08:07.654Z", []any{"pages", 0, "startedDateTime"}},
		{"2026-11-22T09:08:07.654Z", []any{"entries", 0, "startedDateTime"}},
		{9.0, []any{"entries", 0, "time"}},
		{0.0, []any{"entries", 0, "timings", "send"}},
		{7.0, []any{"entries", 0, "timings", "wait"}},
		{2.0, []any{"entries", 0, "timings", "receive"}},
		{-1.0, []any{"entries", 0, "timings", "dns"}},
		{"PUT", []any{"entries", 0, "request", "method"}},
		{"http://127.0.0.1:8080/apis/apps/v1/namespaces/default/deployments/web/status?fieldManager=k%20k&pretty",
			[]any{"entries", 0, "request", "url"}},
		{"HTTP/1.1", []any{"entries", 0, "request", "httpVersion"}},
		{"k k", []any{"entries", 0, "request", "queryString", 0, "value"}},
		{"pretty", []any{"entries", 0, "request", "queryString", 1, "name"}},
		{"*/*", []any{"entries", 0, "request", "headers", 1, "value"}},
		{"d", []any{"entries", 0, "request", "cookies", 1, "value"}},
		{-1.0, []any{"entries", 0, "request", "headersSize"}},
		{12.0, []any{"entries", 0, "request", "bodySize"}},
		{`{"a":"<é>"}`, []any{"entries", 0, "request", "postData", "text"}},
		{"application/json", []any{"entries", 0, "request", "postData", "mimeType"}},
		{200.0, []any{"entries", 0, "response", "status"}},
		{"OK", []any{"entries", 0, "response", "statusText"}},
		{"/", []any{"entries", 0, "response", "cookies", 0, "path"}},
		{true, []any{"entries", 0, "response", "cookies", 0, "httpOnly"}},
		{21.0, []any{"entries", 0, "response", "content", "size"}},
		{`{"kind":"Deployment"}`, []any{"entries", 0, "response", "content", "text"}},
		{"127.0.0.1", []any{"entries", 0, "serverIPAddress"}},
		{"43210", []any{"entries", 0, "connection"}},
		{12.0, []any{"entries", 0, "_kubarium", "seq"}},
		{"update", []any{"entries", 0, "_kubarium", "verb"}},
		{"deployments.apps/status", []any{"entries", 0, "_kubarium", "resource"}},
		{"system:admin", []any{"entries", 0, "_kubarium", "user"}},
		{214.0, []any{"entries", 0, "_kubarium", "revisions", 0}},
		{"let go", []any{"entries", 0, "_kubarium", "faults", 0, "outcome"}},
		{213.0, []any{"entries", 0, "_kubarium", "chain", "events", 0, "revision"}},
	} {
		if got := in(log, c.path...); got != c.want {
			t.Errorf("%v: %v, want %v", c.path, got, c.want)
		}
	}
}

// An archive of no flows, and entries of nearly empty requests, are valid.
func TestWrite_Least(t *testing.T) {
	if log := mustWrite(t, har.Options{}); len(in(log, "entries").([]any)) != 0 {
		t.Errorf("%v", log)
	}
	log := mustWrite(t, har.Options{Comment: func() string { return "3 are missing." }},
		&flow.Flow{Seq: 1, Start: start, Path: "/a b\xff", Query: "x=%zz&&=\x01 \"\xff"})
	if got := in(log, "entries", 0, "comment"); got != "the client went away before there was an answer" {
		t.Errorf("comment %q", got)
	}
	if got := in(log, "entries", 0, "request", "url"); got != "http://localhost/a%20b%FF?x=%zz&&=%01%20%22%FF" {
		t.Errorf("url %q", got)
	}
	if got := in(log, "comment").(string); !strings.HasSuffix(got, " 3 are missing.") {
		t.Errorf("comment %q", got)
	}
}

// Bodies are shown as text if possible, and a comment says what was done for that.
func TestWrite_Bodies(t *testing.T) {
	object := &metav1.DeleteOptions{DryRun: []string{"All"}}
	object.Kind, object.APIVersion = "DeleteOptions", "v1"
	encoded := func(c *codecs.Codec) []byte {
		var b bytes.Buffer
		if err := c.Encode(&b, object, false); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	protobuf, cbor := encoded(codecs.Protobuf), encoded(codecs.CBOR)
	long := flow.Keep([]byte(strings.Repeat("x", flow.MaxBody-1) + "é…")) // cut inside a letter
	for name, c := range map[string]struct {
		body                          flow.Body
		media                         string
		text, mime, encoding, comment string
	}{
		"protobuf": {flow.Keep(protobuf), "application/vnd.kubernetes.protobuf",
			`{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, "application/json", "",
			"of application/vnd.kubernetes.protobuf"},
		"cbor": {flow.Keep(cbor), "application/cbor", `{"apiVersion":"v1","dryRun":["All"],"kind":"DeleteOptions"}`,
			"application/json", "", "of application/cbor"},
		"yaml": {flow.Keep([]byte("a: b\n")), "application/apply-patch+yaml", "a: b\n",
			"application/apply-patch+yaml", "", ""},
		"bytes": {flow.Keep([]byte("\x00\xff")), "application/octet-stream",
			base64.StdEncoding.EncodeToString([]byte("\x00\xff")), "application/octet-stream", "base64", "in base64"},
		"cut": {long, "text/plain", strings.Repeat("x", flow.MaxBody-1), "text/plain", "",
			"cut: these are the first 262144 of 262148 bytes"},
		"cut bytes": {flow.Body{Kept: protobuf[:9], Total: 99, Cut: true}, "application/vnd.kubernetes.protobuf",
			base64.StdEncoding.EncodeToString(protobuf[:9]),
			"application/vnd.kubernetes.protobuf", "base64", "cut: these are the first 9 of 99 bytes; in base64"},
	} {
		f := write()
		f.RequestBody, f.ResponseBody = c.body, c.body
		f.RequestHeader.Set("Content-Type", c.media)
		f.ResponseHeader.Set("Content-Type", c.media)
		e := entryOf(t, f)
		for side, got := range map[string]map[string]any{
			"request":  in(e, "request", "postData").(map[string]any),
			"response": in(e, "response", "content").(map[string]any),
		} {
			encoding, _ := got[map[string]string{"request": "_encoding", "response": "encoding"}[side]].(string)
			comment, _ := got["comment"].(string)
			if got["text"] != c.text || got["mimeType"] != c.mime || encoding != c.encoding ||
				!strings.HasSuffix(comment, c.comment) || (comment == "") != (c.comment == "") {
				t.Errorf("%s of %s: %.200v", name, side, got)
			}
		}
	}
}

// A body that was compressed is shown without gzip.
func TestWrite_Compressed(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	text := strings.Repeat(`{"kind":"List"}`, 100)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := write()
	f.ResponseBody = flow.Keep(b.Bytes())
	got := in(entryOf(t, f), "response").(map[string]any)
	if in(got, "content", "text") != text || in(got, "content", "size") != 1500.0 ||
		got["bodySize"] != float64(b.Len()) || in(got, "content", "compression") != float64(1500-b.Len()) {
		t.Errorf("%.300v", got)
	}
}

// A watch is one entry: its closing flow, or its opening one while it is open.
func TestWrite_Watches(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	var flows []*flow.Flow
	for i, ended := range []bool{true, false} {
		at := start.Add(time.Duration(i) * time.Second)
		w := log.OpenWatch(flow.WatchInfo{Opened: at.Add(3 * time.Millisecond)})
		opened := &flow.Flow{Seq: uint64(2*i + 1), Phase: flow.WatchOpened, Start: at, Duration: 3 * time.Millisecond,
			Method: "GET", Path: "/w", Status: 200, Watch: w}
		flows = append(flows, opened)
		w.Wrote(flow.Frame{Number: 1, Type: "ADDED", Size: 70, Written: at.Add(8 * time.Millisecond)})
		if ended {
			w.Close(at.Add(20*time.Millisecond), "timeout")
			closed := *opened
			closed.Seq, closed.Phase, closed.Duration = 2, flow.WatchClosed, 20*time.Millisecond
			flows = append(flows, &closed)
		}
	}
	got := in(mustWrite(t, options, flows...), "entries").([]any)
	if len(got) != 2 {
		t.Fatalf("%d entries", len(got))
	}
	for i, want := range []struct {
		comment       string
		wait, receive float64
	}{
		{"a watch with 1 events and 0 bookmarks; its end: timeout", 3, 17},
		{"a watch with 1 events and 0 bookmarks so far; it had not ended when this was written", 3, 5},
	} {
		e := got[i]
		if in(e, "comment") != want.comment || in(e, "timings", "wait") != want.wait ||
			in(e, "timings", "receive") != want.receive || in(e, "response", "bodySize") != 70.0 {
			t.Errorf("%v", e)
		}
	}
}

// Each client is a page, which begins with its first request, in any order of the flows.
func TestWrite_Pages(t *testing.T) {
	var flows []*flow.Flow
	for i, tag := range []string{"b", "a", "b", "a"} {
		f := write()
		f.Client.Tag, f.Start = tag, start.Add(time.Duration([]int{3, 2, 1, 4}[i])*time.Second)
		flows = append(flows, f)
	}
	log := mustWrite(t, options, flows...)
	if in(log, "pages", 0, "title") != "b kubectl/v1.37.0" ||
		in(log, "pages", 0, "startedDateTime") != "2026-11-22T09:08:08.654Z" ||
		in(log, "pages", 1, "title") != "a kubectl/v1.37.0" {
		t.Errorf("%v", log["pages"])
	}
	if in(log, "entries", 0, "pageref") != in(log, "pages", 0, "id") ||
		in(log, "entries", 1, "pageref") != in(log, "pages", 1, "id") {
		t.Errorf("%v", log)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// An error of the writer ends the reading.
func TestWrite_ErrWriter(t *testing.T) {
	n := 0
	err := har.Write(full{}, func(yield func(*flow.Flow) bool) {
		for n < 100_000 {
			n++
			if !yield(write()) {
				return
			}
		}
	}, options)
	if err == nil || n == 100_000 {
		t.Errorf("%v after %d", err, n)
	}
}

// many returns n flows without keeping them.
func many(n int) iter.Seq[*flow.Flow] {
	return func(yield func(*flow.Flow) bool) {
		for i := range n {
			f := write()
			f.Seq = uint64(i + 1)
			if !yield(f) {
				return
			}
		}
	}
}

// The memory of Write does not grow with the archive.
func TestWrite_Streams(t *testing.T) {
	held := func(n int) uint64 {
		most, i := uint64(0), 0
		err := har.Write(io.Discard, func(yield func(*flow.Flow) bool) {
			for f := range many(n) {
				if i++; i%5000 == 0 {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
				if !yield(f) {
					return
				}
			}
		}, options)
		if err != nil {
			t.Fatal(err)
		}
		return most
	}
	if few, lots := held(5000), held(50_000); lots > few+4<<20 {
		t.Errorf("%d KiB are held of 50,000 flows, %d of 5,000", lots>>10, few>>10)
	}
}

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if err := har.Write(io.Discard, many(100_000), options); err != nil {
			b.Fatal(err)
		}
	}
}

// A call is a separate entry after its request, with the called address.
func TestWrite_calls(t *testing.T) {
	f := &flow.Flow{Seq: 7, Start: start, Method: "POST", Path: "/api/v1/namespaces/shop/pods", Status: 201,
		Target:   flow.Target{Verb: "create", Resource: "pods"},
		Identity: &flow.Identity{By: flow.ByCertificate, User: "alice"},
		Rights:   []flow.Right{{Verb: "create", Decision: flow.Allowed, By: "RBAC"}},
		Calls: []flow.Call{
			{Kind: flow.WebhookCall, Name: "sidecar.example.com", By: "sidecars", Station: flow.Mutate,
				Host: "https://127.0.0.1:9443", Flow: &flow.Flow{
					Start: start.Add(time.Millisecond), Duration: time.Millisecond, Method: "POST", Path: "/mutate",
					Query: "timeout=10s", Status: 200,
					RequestHeader: http.Header{"Content-Type": {"application/json"}},
					RequestBody:   flow.Keep([]byte(`{"kind":"AdmissionReview"}`)), ResponseBody: flow.Keep([]byte(`{}`)),
				}},
			{Kind: flow.AggregatedCall, Name: "v1.fish", Shared: true, Host: "https://10.0.0.1",
				Flow: &flow.Flow{Start: start, Method: "GET", Path: "/apis", Message: "connection refused"}},
		}}
	log := mustWrite(t, options, f)
	if n := len(in(log, "entries").([]any)); n != 3 {
		t.Fatalf("%d entries", n)
	}
	for path, want := range map[string]any{
		"0 by": "client certificate", "1 url": "https://127.0.0.1:9443/mutate?timeout=10s",
		"1 text": `{"kind":"AdmissionReview"}`, "1 name": "sidecar.example.com",
		"1 comment": "webhook sidecar.example.com, called for request 7",
		"2 comment": "aggregated v1.fish, called for request 7; connection refused; its bodies are those of that " +
			"request",
	} {
		got := map[string]func() any{
			"0 by":      func() any { return in(log, "entries", 0, "_kubarium", "identity", "by") },
			"1 url":     func() any { return in(log, "entries", 1, "request", "url") },
			"1 text":    func() any { return in(log, "entries", 1, "request", "postData", "text") },
			"1 name":    func() any { return in(log, "entries", 1, "_kubarium", "call", "name") },
			"1 comment": func() any { return in(log, "entries", 1, "comment") },
			"2 comment": func() any { return in(log, "entries", 2, "comment") },
		}[path]()
		if got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
