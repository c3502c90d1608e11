package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/aggregate/documents"
)

// A logged is a log that a test reads while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// has returns part once the log contains it.
func (l *logged) has(part string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(l.text.String(), part) {
		return ""
	}
	return part
}

// Documents of an aggregated server that are too large, or that official code panics at, are left out with a word
// in the log; the server itself is served all the same, and what Kubarium publishes stays.
func TestServer_aggregatedDocumentsTooLarge(t *testing.T) {
	tooLong := strings.Repeat("a", 9<<20)
	const fish = "/apis/fish.example.com/v1/fish"
	const ofDiscovery = `discovery documents of an aggregated server" apiservice=v1.fish.example.com error="` + tooLarge
	withoutResponses := `{"swagger":"2.0","info":{"title":"fish","version":"v1"},"paths":{"` + fish + `":{"get":{}}}}`
	for name, c := range map[string]struct {
		documents map[string]string // by path; all else is not found
		log       string
	}{
		"discovery":         {map[string]string{"/apis": tooLong}, ofDiscovery},
		"older discovery":   {map[string]string{"/apis/fish.example.com/v1": tooLong}, ofDiscovery},
		"index":             {map[string]string{"/openapi/v3": tooLong}, "get /openapi/v3: " + tooLarge},
		"swagger":           {map[string]string{"/openapi/v2": tooLong}, "get /openapi/v2: " + tooLarge},
		"without responses": {map[string]string{"/openapi/v2": withoutResponses}, "read /openapi/v2: runtime error"},
	} {
		t.Run(name, func(t *testing.T) {
			log := &logged{}
			a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == fish {
					_, _ = io.WriteString(w, "fish")
					return
				}
				if text := c.documents[r.URL.Path]; text != "" {
					_, _ = io.WriteString(w, text)
					return
				}
				http.NotFound(w, r)
			}, nil, func(o *server.Options) {
				o.Documents = documents.New(o.Aggregator, slog.New(slog.NewTextHandler(log, nil)))
				var running sync.WaitGroup
				running.Go(func() { o.Documents.Run(t.Context()) })
				t.Cleanup(running.Wait)
			})
			eventually(t, c.log, func() string { return log.has(c.log) })
			if code, text := send(t, a.url, request{method: "GET", path: fish}); code != http.StatusOK || text != "fish" {
				t.Errorf("%d %s", code, text)
			}
			asJSON := http.Header{"Accept": {"application/json"}}
			code, _ := send(t, a.url, request{method: "GET", path: "/openapi/v2", header: asJSON})
			if code != http.StatusOK {
				t.Errorf("/openapi/v2: %d", code)
			}
		})
	}
}

// What is handed through is not bounded, and an informational status does not count as that of the answer.
func TestServer_aggregatedPassesMore(t *testing.T) {
	const mebibytes = 10
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		for range mebibytes {
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1<<20))
		}
	}, nil)
	code, text := send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1/fish"})
	if code != http.StatusOK || len(text) != mebibytes<<20 {
		t.Errorf("%d, %d bytes", code, len(text))
	}
	flows, _ := a.log.Since(0, 1000)
	if f := flows[len(flows)-1]; f.Status != http.StatusOK || f.ResponseBody.Total != mebibytes<<20 {
		t.Errorf("on the flow: %d, %d bytes", f.Status, f.ResponseBody.Total)
	}
}

// Of Kubarium's own controllers, which read answers whole, an answer has an end, unpacked too. The call on the flow
// names the limit.
func TestServer_aggregatedOwn(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		out := io.Writer(w)
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			out = z
		}
		for chunk, sent := make([]byte, 1<<20), 0; sent < 40; sent++ {
			if _, err := out.Write(chunk); err != nil {
				return
			}
		}
	}, nil)
	read := func(agent string) (int, error) {
		r, err := http.NewRequest(http.MethodGet, a.url+"/apis/fish.example.com/v1/fish", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", agent)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		n, err := io.Copy(io.Discard, resp.Body)
		return int(n), err
	}
	if n, err := read("kubarium-controller/garbage-collector-controller"); err == nil || n > 32<<20 {
		t.Errorf("a controller got %d bytes, %v", n, err)
	}
	if n, err := read("kubectl/v1"); err != nil || n != 40<<20 {
		t.Errorf("a client got %d bytes, %v", n, err)
	}
	flows, _ := a.log.Since(0, 1000)
	if !slices.ContainsFunc(flows, func(f *flow.Flow) bool {
		return f.Client.Own() && len(f.Calls) == 1 && strings.Contains(f.Calls[0].Flow.Message, "limit is 33554432 bytes")
	}) {
		t.Error("no call names the limit")
	}
}
