package server_test

import (
	"bufio"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
)

// openWatch opens a watch of ConfigMaps with an Accept-Encoding of its own.
func openWatch(t *testing.T, url, query, encoding string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+configMaps+"?watch=true"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	return resp
}

const streamingList = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

// Which watches are compressed: streaming lists with their bookmark, for a client that says the very word.
func TestServer_watchCompressed(t *testing.T) {
	url := serveDefault(t)
	off := serveWith(t, "WatchListCompression=false")
	noAnswers := serveWith(t, "APIResponseCompression=false")
	for _, c := range []struct {
		name, url, query, encoding string
		want                       bool
	}{
		{"a streaming list", url, streamingList, "gzip", true},
		{"without other compression", noAnswers, streamingList, "gzip", true},
		{"one of several encodings", url, streamingList, "br,gzip", true},
		{"not asked", url, streamingList, "identity", false},
		{"with a quality", url, streamingList, "gzip;q=1", false},
		{"the gate is off", off, streamingList, "gzip", false},
		{"without a bookmark", url, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "gzip", false},
		{"without initial events", url, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "gzip", false},
		{"from anywhere", url, "&resourceVersion=0&allowWatchBookmarks=true", "gzip", true},
		{"from anywhere without bookmarks", url, "&resourceVersion=0", "gzip", false},
		{"from a version", url, "&resourceVersion=1&allowWatchBookmarks=true", "gzip", false},
	} {
		resp := openWatch(t, c.url, c.query, c.encoding)
		if got := resp.Header.Get("Content-Encoding") == "gzip"; got != c.want || got != (resp.Header.Get("Vary") == "Accept-Encoding") {
			t.Errorf("%s: %v", c.name, resp.Header)
		}
		resp.Body.Close()
	}
}

// Each event of a compressed watch arrives before the next one is there, in initial events and after them, and for each
// of two watchers that share its bytes. The record counts what the client reads, not what is on the wire.
func TestServer_watchCompressedArrives(t *testing.T) {
	url, log := mustServe(t, nil)
	create := func(path, body string) {
		if code, text := send(t, url, request{method: "POST", path: path, contentType: "application/json", body: body}); code != http.StatusCreated {
			t.Fatal(code, text)
		}
	}
	create("/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	create(configMaps, `{"metadata":{"name":"a"}}`)
	var lines []*bufio.Reader
	for range 2 {
		z, err := gzip.NewReader(openWatch(t, url, streamingList, "gzip").Body)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bufio.NewReader(z))
	}
	for _, want := range []string{`"name":"a"`, `k8s.io/initial-events-end`, `"name":"b"`, `"name":"c"`} {
		if name, ok := strings.CutPrefix(want, `"name":`); ok && name != `"a"` {
			create(configMaps, `{"metadata":{"name":`+name+`}}`)
		}
		for i, r := range lines {
			line, err := r.ReadString('\n')
			if err != nil || !strings.Contains(line, want) {
				t.Fatalf("watcher %d: %q %v, want %s", i, line, err, want)
			}
		}
	}
	for _, w := range log.Watches(0) {
		if s := w.State(); s.Sent != 3 || s.Bookmarks != 1 || s.Bytes < 600 {
			t.Errorf("%+v", s)
		}
	}
}
