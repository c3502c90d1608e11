package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/server/stream"
	"kubarium/sqlitestore"
)

// mustStream serves a watch of ConfigMaps on every path, with bookmarks ten times a second. closing ends it; create writes one.
func mustStream(t *testing.T, o metainternal.ListOptions) (url string, log *flow.Log, closing context.CancelFunc, create func(name string)) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	if r.Cache, err = cache.New(store, cache.Options{Index: r.Index, Upcoming: r.Follow}); err != nil {
		t.Fatal(err)
	}
	kind := r.Catalogue.Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	log = flow.NewLog(flow.Limits{})
	ctx, closing := context.WithCancel(t.Context())
	streams := &stream.Streams{
		Answers: &answer.Writer{Budget: budget.New()}, Log: log, Now: time.Now, Closing: ctx, MinWatch: time.Minute, BookmarkEvery: time.Second / 10,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r2 *http.Request) {
		rec := log.Begin(time.Now)
		c := &answer.Client{Request: r2, Query: r2.URL.Query(), Media: codecs.Media{Codec: codecs.JSON}}
		watch, err := r.Watch(r2.Context(), registry.Target{Kind: kind}, o)
		if err != nil {
			t.Error(err)
			return
		}
		a, err := streams.Open(c, kind, watch, o)
		if err != nil {
			streams.Answers.Fail(answer.NewResponse(w, rec), c, err)
			return
		}
		streams.Answers.Respond(answer.NewResponse(w, rec), c, a)
	}))
	t.Cleanup(func() {
		closing()
		server.Close()
		r.Cache.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL, log, closing, func(name string) {
		t.Helper()
		value := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"d"}}`
		w := storage.Write{Op: storage.OpCreate, Key: storage.NewKey(kind.StorageResource(), "d", name), Value: []byte(value)}
		if _, err := store.Write(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
}

// A watch tells an event when it comes, bookmarks where nothing does, and ends with the server; its record says why.
func TestStreams_Open(t *testing.T) {
	url, log, closing, create := mustStream(t, metainternal.ListOptions{AllowWatchBookmarks: true})
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	next := func(want string) {
		t.Helper()
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("%q %v, want %s", line, err, want)
		}
	}
	create("a")
	for line := ""; !strings.HasPrefix(line, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"`); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	next(`{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":`)
	next(`{"type":"BOOKMARK"`)
	closing()
	for err == nil {
		_, err = lines.ReadString('\n')
	}
	if err != io.EOF {
		t.Errorf("the stream ends with %v", err)
	}
	opened, _ := log.Since(0, 0)
	if w := opened[0].Watch.State(); w.Cause != "server is stopping" || w.Sent != 1 || w.Bookmarks < 2 {
		t.Errorf("%+v", w)
	}
}

// Who asks for a WebSocket and cannot have one is told while there is still HTTP, and the watch is stopped.
func TestStreams_Open_refused(t *testing.T) {
	url, _, _, _ := mustStream(t, metainternal.ListOptions{})
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Key": "eA==", "Sec-Websocket-Version": "12"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "a WebSocket of version 13") {
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
}

// A streaming list that its client reads too late for its time ends in the middle, and no bookmark claims more than it has told.
func TestStreams_Open_timeout(t *testing.T) {
	yes, second := true, int64(1)
	url, log, _, create := mustStream(t, metainternal.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, TimeoutSeconds: &second})
	for i := range 3000 { // 15 MB, more than sockets hold
		create(fmt.Sprintf("%05d%s", i, strings.Repeat("x", 5000)))
	}
	plain := &http.Transport{DisableCompression: true}
	defer plain.CloseIdleConnections()
	resp, err := (&http.Client{Transport: plain}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	time.Sleep(1500 * time.Millisecond)
	body, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(body, []byte(`"BOOKMARK"`)) {
		t.Errorf("%d bytes with %d bookmarks, %v", len(body), bytes.Count(body, []byte(`"BOOKMARK"`)), err)
	}
	opened, _ := log.Since(0, 0)
	w := opened[0].Watch.State()
	if n := bytes.Count(body, []byte(`{"type":"ADDED"`)); w.Cause != "timeout" || int(w.Sent) != n || n == 3000 {
		t.Errorf("%d events, %+v", n, w)
	}
}
