package server_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// mustServe is a server over a real store, with options changed by change.
func mustServe(t testing.TB, change func(*server.Options)) (url string, log *flow.Log) {
	t.Helper()
	s, log := mustNew(t, change)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.EndWatches()
		h.Close()
	})
	return h.URL, log
}

// mustNew makes a server on a database in memory.
func mustNew(t testing.TB, change func(*server.Options)) (*server.Server, *flow.Log) {
	t.Helper()
	store, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: ":memory:", History: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: store, Managers: managers.New(codecs.Scheme()), Now: time.Now}
	r.Cache, err = cache.New(store, cache.Options{Index: indexAsRead(t, r), Upcoming: r.Follow})
	if err != nil {
		t.Fatal(err)
	}
	log := flow.NewLog(flow.Limits{})
	o := server.Options{Registry: r, Log: log}
	if change != nil {
		change(&o)
	}
	t.Cleanup(func() {
		r.Cache.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.New(o), log
}

// indexAsRead is the index of a registry, checked: what a writer tells of a value is what is read out of it.
func indexAsRead(t testing.TB, r *registry.Registry) func(string, storage.Record, *storage.Summary) cache.Indexed {
	return func(resource string, rec storage.Record, s *storage.Summary) cache.Indexed {
		told := r.Index(resource, rec, s)
		if s == nil {
			return told
		}
		if read := r.Index(resource, rec, nil); !maps.Equal(told.Labels, read.Labels) || !maps.Equal(told.Fields, read.Fields) ||
			told.Marks != read.Marks || told.Err != nil || read.Err != nil {
			t.Errorf("%s: told %v, read %v", rec.Key, told, read)
		}
		return told
	}
}

type request struct {
	method, path, contentType, body string
	header                          http.Header
	host                            string
}

func send(t testing.TB, url string, q request) (int, string) {
	t.Helper()
	req, err := http.NewRequest(q.method, url+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range q.header {
		req.Header[k] = v
	}
	if q.contentType != "" {
		req.Header.Set("Content-Type", q.contentType)
	}
	req.Host = q.host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// Input without measure is refused with a Status, and changes nothing.
func TestServer_refuses(t *testing.T) {
	url, _ := mustServe(t, nil)
	const namespaces = "/api/v1/namespaces"
	aliases := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, c := range []string{"ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"} {
		aliases += c[1:] + ": &" + c[1:] + " [" + strings.Repeat("*"+c[:1]+",", 9) + "*" + c[:1] + "]\n"
	}
	for _, c := range []struct {
		name string
		q    request
		code int
		want string
	}{
		{"another host", request{method: "GET", path: namespaces, host: "kubarium.example.com"}, 403, "Host header"},
		{"another origin", request{method: "GET", path: namespaces, header: http.Header{"Origin": {"https://example.com"}}}, 403, "other origins"},
		{"a long path", request{method: "GET", path: namespaces + "?x=" + strings.Repeat("y", 20<<10)}, 414, "too long"},
		{"a large body", request{method: "POST", path: namespaces, contentType: "application/json", body: strings.Repeat(" ", 4<<20)}, 413, "limit is 3145728"},
		{"a deep body", request{method: "POST", path: namespaces, contentType: "application/json", body: strings.Repeat(`{"a":`, 20000)}, 400, "max depth"},
		{"many aliases", request{method: "POST", path: namespaces, contentType: "application/yaml", body: aliases}, 400, "aliasing"},
		{"no object", request{method: "POST", path: namespaces, contentType: "application/json", body: "7"}, 400, "cannot unmarshal"},
		{"a wrong type", request{method: "POST", path: namespaces, contentType: "application/json", body: `{"metadata":{"name":5}}`}, 400, "cannot be handled as a Namespace"},
		{"another kind", request{method: "POST", path: namespaces, contentType: "application/json", body: `{"kind":"Pod","apiVersion":"v1"}`}, 400, "cannot be handled as a Namespace"},
		{"a number without end", request{method: "POST", path: namespaces, contentType: "application/json", body: `{"metadata":{"name":"a","generation":` + strings.Repeat("9", 400) + `}}`}, 400, "Namespace"},
		{"another type of body", request{method: "POST", path: namespaces, contentType: "text/html", body: "<p>"}, 415, "accepted media types"},
	} {
		code, body := send(t, url, c.q)
		if code != c.code || !strings.Contains(body, c.want) || !strings.Contains(body, `"kind":"Status"`) {
			t.Errorf("%s: %d %.300s; want %d with %q", c.name, code, body, c.code, c.want)
		}
	}
	if _, body := send(t, url, request{method: "GET", path: namespaces}); !strings.Contains(body, `"items":[]`) {
		t.Errorf("something was stored: %s", body)
	}
}

// An answer that breaks off is not taken for a whole one.
func TestServer_abort(t *testing.T) {
	url, _ := mustServe(t, func(o *server.Options) {
		o.Debug = map[string]http.Handler{"/debug/half": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 100_000))
			panic(http.ErrAbortHandler)
		})}
	})
	resp, err := http.Get(url + "/debug/half")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes and %v", n, err)
	}
}

// A panic in a handler is a 500 Status, a marked flow and a running server.
func TestServer_panic(t *testing.T) {
	url, log := mustServe(t, func(o *server.Options) {
		o.Debug = map[string]http.Handler{"/debug/panic": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("out of water") })}
	})
	code, body := send(t, url, request{method: "GET", path: "/debug/panic"})
	if code != 500 || !strings.Contains(body, `"kind":"Status"`) {
		t.Fatalf("%d %s", code, body)
	}
	flows, _ := log.Since(0, 0)
	if f := flows[len(flows)-1]; !strings.Contains(f.Panic, "out of water") || f.Status != 500 {
		t.Fatalf("%+v", f)
	}
	if code, body := send(t, url, request{method: "GET", path: "/api/v1/namespaces"}); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
}

// Too many requests at once are answered 429 with Retry-After; watches are counted apart.
func TestServer_inFlight(t *testing.T) {
	held, free := make(chan struct{}), make(chan struct{})
	url, _ := mustServe(t, func(o *server.Options) {
		o.MaxInFlight, o.MaxWatches = 1, 1
		o.Debug = map[string]http.Handler{"/debug/hold": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(held); <-free })}
	})
	go func() {
		if resp, err := http.Get(url + "/debug/hold"); err == nil {
			resp.Body.Close()
		}
	}()
	<-held
	if code, body := send(t, url, request{method: "GET", path: "/api/v1/pods"}); code != 429 || !strings.Contains(body, `"retryAfterSeconds":1`) {
		t.Fatalf("%d %s", code, body)
	}
	resp, err := http.Get(url + "/api/v1/pods?watch=true")
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	defer resp.Body.Close()
	close(free)
	if code, body := send(t, url, request{method: "GET", path: "/api/v1/pods?watch=true"}); code != 429 {
		t.Fatalf("%d %s", code, body)
	}
}

// The flow of a request tells what it asked for, which stations it passed, what it changed, and what it was answered.
func TestServer_flow(t *testing.T) {
	url, log := mustServe(t, nil)
	body := `{"metadata":{"name":"a","labels":{"x":"y"}}}`
	code, answer := send(t, url, request{method: "POST", path: "/api/v1/namespaces?fieldManager=me", contentType: "application/json", body: body, header: http.Header{"User-Agent": {"kubectl/v1"}}})
	if code != 201 {
		t.Fatal(answer)
	}
	flows, _ := log.Since(0, 0)
	f := flows[len(flows)-1]
	var stations []string
	for _, s := range f.Stations {
		if s.Failed {
			t.Errorf("station %s failed", s.Name)
		}
		stations = append(stations, s.Name)
	}
	want := "filters route authenticate authorize negotiate decode default mutate validate store encode respond"
	if got := strings.Join(stations, " "); got != want {
		t.Errorf("stations %s, want %s", got, want)
	}
	if !slices.IsSortedFunc(stations, func(a, b string) int { return slices.Index(flow.Stations, a) - slices.Index(flow.Stations, b) }) || slices.Index(flow.Stations, stations[0]) != 0 {
		t.Errorf("stations %v are not in the order of %v", stations, flow.Stations)
	}
	if f.Target != (flow.Target{Verb: "create", Version: "v1", Resource: "namespaces"}) || f.Client.Tag != "k1" || f.Status != 201 {
		t.Errorf("%+v %+v %d", f.Target, f.Client, f.Status)
	}
	if string(f.RequestBody.Kept) != body || string(f.ResponseBody.Kept) != answer {
		t.Errorf("kept %s and %s", f.RequestBody.Kept, f.ResponseBody.Kept)
	}
	if len(f.Effects) != 1 || f.Effects[0].Commit.Name != "a" || f.Revision != f.Effects[0].Commit.Revision || len(f.Statements) == 0 || f.Batch == nil {
		t.Errorf("effects %+v, statements %d, batch %+v", f.Effects, len(f.Statements), f.Batch)
	}
	send(t, url, request{method: "PUT", path: "/api/v1/namespaces/a", contentType: "application/json", body: `{"metadata":{"name":"a","resourceVersion":"999"}}`})
	flows, _ = log.Since(f.Seq, 0)
	if f := flows[0]; f.Status != 409 || f.Reason != "Conflict" || f.SentRevision != 999 || f.Conflict == nil || f.Conflict.Kind != flow.StaleRevision || f.Effects != nil {
		t.Errorf("%+v", f)
	}
}

// A path that ends where a resource should begin is refused before it is known who asks, by a plain text.
func TestServer_unreadablePath(t *testing.T) {
	url, _ := mustServe(t, nil)
	resp, err := http.Get(url + "/api/v1/watch")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	const want = `Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch` + "\n"
	if err != nil || resp.StatusCode != 500 || string(body) != want || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "" {
		t.Errorf("%d %v %q, %v", resp.StatusCode, resp.Header, body, err)
	}
}

// What serves a path is looked for when it is known who asks: of a path that nobody serves, too, the way leads through
// authorize, and ends behind it.
func TestServer_flowOfNothing(t *testing.T) {
	url, log := mustServe(t, nil)
	for _, c := range []struct {
		method, path string
		code         int
		target       flow.Target
	}{
		{"GET", "/nope", 404, flow.Target{Verb: "get"}},
		{"GET", "/api/v1/nope?watch=1", 404, flow.Target{Verb: "watch", Version: "v1", Resource: "nope"}},
		{"POST", "/api/v1/namespaces/a", 405, flow.Target{Verb: "create", Version: "v1", Resource: "namespaces", Name: "a"}},
		{"BREW", "/apis/apps/v1/deployments", 405, flow.Target{Verb: "brew", Group: "apps", Version: "v1", Resource: "deployments"}},
	} {
		if code, body := send(t, url, request{method: c.method, path: c.path}); code != c.code {
			t.Errorf("%s: %d %s", c.path, code, body)
		}
		flows, _ := log.Since(0, 0)
		f := flows[len(flows)-1]
		var stations []string
		for _, s := range f.Stations[:5] {
			stations = append(stations, s.Name)
			if failed := len(stations) == 5; s.Failed != failed {
				t.Errorf("%s: station %s failed: %v", c.path, s.Name, s.Failed)
			}
		}
		if got := strings.Join(stations, " "); got != "filters route authenticate authorize route" || f.Target != c.target {
			t.Errorf("%s: stations %s, target %+v", c.path, got, f.Target)
		}
	}
}

// A watch leaves two flows and a record that counts what was written to the socket.
func TestServer_flowOfWatch(t *testing.T) {
	url, log := mustServe(t, nil)
	send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"a"}}`})
	code, body := send(t, url, request{method: "GET", path: "/api/v1/namespaces?watch=true&timeoutSeconds=1&allowWatchBookmarks=true"})
	if code != 200 || strings.Count(body, `"type":"ADDED"`) != 1 || !strings.Contains(body, `"type":"BOOKMARK"`) {
		t.Fatalf("%d %s", code, body)
	}
	flows, _ := log.Since(1, 0)
	if len(flows) != 2 || flows[0].Phase != flow.WatchOpened || flows[1].Phase != flow.WatchClosed || flows[0].Watch != flows[1].Watch {
		t.Fatalf("%d flows", len(flows))
	}
	s := flows[1].Watch.State()
	if s.Sent != 1 || s.Bookmarks != uint64(strings.Count(body, "BOOKMARK")) || s.Bytes != uint64(len(body)) || s.Cause != "timeout" || s.Ended.IsZero() {
		t.Errorf("%+v", s)
	}
}
