package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/websocket"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/server"
	"kubarium/server/aggregate"
	"kubarium/server/gate"
	"kubarium/server/informers"
	"kubarium/server/registry"
)

// An aggregated is a Kubarium with an APIService that leads to a server behind it.
type aggregated struct {
	url, port  string // that of the server behind
	server     *server.Server
	registry   *registry.Registry
	log        *flow.Log
	gate       *gate.Gate
	aggregator *aggregate.Aggregator
	behind     *httptest.Server
}

// mustAggregate serves a handler by HTTPS behind the APIService v1.fish.example.com.
func mustAggregate(t *testing.T, behind http.HandlerFunc, change func(*aggregate.Options), more ...func(*server.Options)) aggregated {
	t.Helper()
	a := aggregated{behind: httptest.NewUnstartedServer(behind)}
	a.behind.EnableHTTP2 = true
	a.behind.StartTLS()
	t.Cleanup(a.behind.Close)
	a.gate = gate.New(gate.Options{})
	a.server, a.log = mustNew(t, func(o *server.Options) {
		a.registry = o.Registry
		o.Gate = a.gate
		f := informers.New(o.Registry, slog.New(slog.DiscardHandler))
		with := aggregate.Options{APIServices: f.InformerFor(&apiregistrationv1.APIService{}, nil), Resolver: o.Registry.WebhookServices()}
		if change != nil {
			change(&with)
		}
		var err error
		if a.aggregator, err = aggregate.New(with); err != nil {
			t.Fatal(err)
		}
		o.Aggregator = a.aggregator
		for _, m := range more {
			m(o)
		}
		f.StartWithContext(t.Context())
		f.WaitForCacheSyncWithContext(t.Context())
	})
	front := httptest.NewServer(a.server)
	t.Cleanup(func() {
		a.server.EndWatches()
		front.Close()
	})
	a.url = front.URL
	at, err := url.Parse(a.behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	a.port = at.Port()
	a.mustPost(t, "/api/v1/namespaces", `{"metadata": {"name": "sea"}}`)
	a.mustPost(t, "/api/v1/namespaces/sea/services", `{"metadata": {"name": "fish"}, "spec": {"type": "ExternalName", "externalName": "localhost"}}`)
	a.mustPost(t, "/apis/apiregistration.k8s.io/v1/apiservices", fmt.Sprintf(`{"metadata": {"name": "v1.fish.example.com"}, "spec": {"group": "fish.example.com",
		"version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15, "insecureSkipTLSVerify": true,
		"service": {"namespace": "sea", "name": "fish", "port": %s}}}`, a.port))
	a.available(t, "True")
	return a
}

func (a aggregated) mustPost(t *testing.T, path, body string) {
	t.Helper()
	if code, text := send(t, a.url, request{method: "POST", path: path, contentType: "application/json", body: body}); code >= 300 {
		t.Fatalf("%s: %d %s", path, code, text)
	}
}

// available sets the condition of the APIService, and waits until it is known.
func (a aggregated) available(t *testing.T, status string) {
	t.Helper()
	code, text := send(t, a.url, request{method: "PATCH", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com/status", contentType: "application/merge-patch+json",
		body: `{"status": {"conditions": [{"type": "Available", "status": "` + status + `", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`})
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	a.until(t, "available "+status, func(s *aggregate.Service) bool { return s != nil && s.Available == (status == "True") })
}

// until waits until the Service is as it should be.
func (a aggregated) until(t *testing.T, what string, is func(*aggregate.Service) bool) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		changed := a.aggregator.Changed()
		if is(a.aggregator.Find("/apis/fish.example.com/v1")) {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatal("not in time: " + what)
		}
	}
}

// What an APIService leads elsewhere is answered there, with the user's name, and as it was answered; the flow tells of it.
func TestServer_aggregated(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s %s %s %s", r.Proto, r.Method, r.RequestURI, body)
	}, nil)
	code, text := send(t, a.url, request{method: "POST", path: "/apis/fish.example.com/v1/namespaces/sea/fish?a=b&c", contentType: "x/y", body: "carp"})
	if want := "HTTP/2.0 POST /apis/fish.example.com/v1/namespaces/sea/fish?a=b&c= carp"; code != http.StatusOK || text != want {
		t.Errorf("%d %s\nwant %s", code, text, want)
	}
	f := a.last(t)
	if want := (flow.Target{Verb: "create", Group: "fish.example.com", Version: "v1", Resource: "fish", Namespace: "sea"}); f.Target != want {
		t.Errorf("%+v", f.Target)
	}
	if string(f.ResponseBody.Kept) != text || string(f.RequestBody.Kept) != "carp" || f.RequestBody.Total != 4 {
		t.Errorf("kept %q of %q", f.ResponseBody.Kept, f.RequestBody.Kept)
	}
	var way []string
	for _, s := range f.Stations {
		way = append(way, s.Name)
	}
	if !slices.Equal(way, flow.ProxiedStations) || f.Stations[4].Note != "localhost:"+a.port {
		t.Errorf("%v", f.Stations)
	}
	if c := f.Calls; len(c) != 1 || c[0].Kind != flow.AggregatedCall || c[0].Name != "v1.fish.example.com" || c[0].Station != flow.Proxy ||
		c[0].Flow.RequestHeader.Get("X-Remote-User") != "system:admin" || c[0].Flow.Status != http.StatusOK {
		t.Errorf("%+v", c)
	}
	if _, text = send(t, a.url, request{method: "GET", path: "/metrics"}); !strings.Contains(text, `group="fish.example.com",resource="fish"`) {
		t.Error("not counted")
	}
	send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1/%ff"})
	send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1/fish/carp/%ff/a"})
	if _, text = send(t, a.url, request{method: "GET", path: "/metrics"}); strings.Contains(text, "\xff") || strings.Contains(text, "apiserver_request_panics_total 1") {
		t.Error("what is no text is counted")
	}
}

// A browser shows the page of another server in a sandbox, where no script of it can use this server. Other clients
// get the answer as it is.
func TestServer_aggregatedPage(t *testing.T) {
	const page = "<script>fetch('/debug/flows')</script>"
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "img-src 'self'")
		if r.URL.Query().Has("type") {
			w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		}
		_, _ = io.WriteString(w, page)
	}, nil)
	for name, c := range map[string]struct {
		header http.Header
		boxed  bool
	}{
		"a link":         {http.Header{"Accept": {"text/html,*/*"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}, true},
		"the address":    {http.Header{"Accept": {"text/html,*/*"}, "Sec-Fetch-Site": {"none"}}, true},
		"an old browser": {http.Header{"Accept": {"text/html"}}, true},
		"a frame":        {http.Header{"Accept": {"*/*"}, "Sec-Fetch-Site": {"same-origin"}}, true},
		"kubectl":        {http.Header{"Accept": {"application/json, */*"}}, false},
	} {
		for _, path := range []string{"?type=text/html", "?type=image/svg%2bxml", ""} {
			req, err := http.NewRequest("GET", a.url+"/apis/fish.example.com/v1/page"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = c.header
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || string(text) != page {
				t.Errorf("%s: %v %d %s", name, err, resp.StatusCode, text)
			}
			boxed := slices.Contains(resp.Header["Content-Security-Policy"], "sandbox") && resp.Header.Get("X-Content-Type-Options") == "nosniff"
			if boxed != c.boxed || !slices.Contains(resp.Header["Content-Security-Policy"], "img-src 'self'") {
				t.Errorf("%s%s: %v", name, path, resp.Header)
			}
		}
	}
	// What comes out of the sandbox has no origin, and is refused.
	for path, header := range map[string]http.Header{
		"/debug/flows": {"Origin": {"null"}}, "/api/v1/secrets": {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}},
		"/debug/gate": {"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}},
	} {
		if code, text := send(t, a.url, request{method: "GET", path: path, header: header}); code != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// What the server is told of a request: who asks, and no lies of the client's (as recorded of kube-apiserver 1.37).
func TestServer_aggregatedHeaders(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		if r.Header.Get("Audit-Id") != r.URL.Query().Get("id") {
			t.Error(r.Header)
		}
		r.Header.Del("Audit-Id")
		r.Header.Write(w)
	}, nil)
	forwarded := func(user string) string {
		return "User-Agent: test\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: localhost:" + a.port +
			"\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Uri: /apis/fish.example.com/v1\r\n" + user
	}
	admin := "X-Remote-Group: system:masters\r\nX-Remote-Group: system:authenticated\r\nX-Remote-User: system:admin\r\n"
	for name, c := range map[string]struct {
		header http.Header
		want   string
	}{
		"none": {nil, forwarded(admin)},
		"lies": {http.Header{"X-Remote-User": {"eve"}, "X-Remote-Uid": {"1"}, "X-Remote-Group": {"g"}, "X-Remote-Extra-A": {"b"}}, forwarded(admin)},
		"as another": {http.Header{"Impersonate-User": {"jane"}, "Impersonate-Uid": {"7"}, "Impersonate-Group": {"g"}, "Impersonate-Extra-A%2fb": {"c", "d"}},
			forwarded("X-Remote-Extra-A%2fb: c\r\nX-Remote-Extra-A%2fb: d\r\nX-Remote-Group: g\r\nX-Remote-Group: system:authenticated\r\nX-Remote-Uid: 7\r\nX-Remote-User: jane\r\n")},
		"hops": {http.Header{"Connection": {"X-Hop"}, "X-Hop": {"1"}, "Te": {"x"}, "Keep-Alive": {"5"}, "X-Kept": {"2"}},
			strings.Replace(forwarded(admin), "X-Remote-Group", "X-Kept: 2\r\nX-Remote-Group", 1)},
	} {
		if c.header == nil {
			c.header = http.Header{}
		}
		c.header["User-Agent"], c.header["Audit-Id"] = []string{"test"}, []string{"of-mine"}
		_, text := send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1?id=of-mine", header: c.header})
		if got, want := lines(text), lines(c.want); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, want)
		}
	}
}

// lines are those of a header, in order.
func lines(text string) []string {
	all := strings.Split(text, "\r\n")
	slices.Sort(all)
	return all
}

// Every encoding goes through as it is, and so do the headers of the answer.
func TestServer_aggregatedEncodings(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Accept"))
		w.Header().Set("Warning", `299 - "old"`)
		if r.Header.Get("Accept-Encoding") == "br" {
			w.Header().Set("Content-Encoding", "br")
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("k8s\x00\xff\xd9\xd9\xf7"))
	}, nil)
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/cbor", "application/yaml", "x/y"} {
		r, err := http.NewRequest("GET", a.url+"/apis/fish.example.com/v1/fish", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Accept": {media}, "Accept-Encoding": {"br"}}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		h := resp.Header
		if err != nil || string(body) != "k8s\x00\xff\xd9\xd9\xf7" || resp.StatusCode != http.StatusCreated || h.Get("Content-Type") != media ||
			h.Get("Content-Encoding") != "br" || h.Get("Warning") == "" || h.Get("Cache-Control") != "no-cache, private" {
			t.Errorf("%s: %s %v %q, %v", media, resp.Status, h, body, err)
		}
	}
}

// A watch goes through frame by frame, is on the screen while it lasts, outlives the time of a request, and ends with the server.
func TestServer_aggregatedWatch(t *testing.T) {
	next := make(chan string)
	ended := make(chan struct{})
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case name := <-next:
				fmt.Fprintf(w, `{"type":"ADDED","object":{"metadata":{"name":%q,"resourceVersion":"9000"}}}`+"\n", name)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}, nil)
	resp, err := http.Get(a.url + "/apis/fish.example.com/v1/fish?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for _, name := range []string{"a", "b", "c"} {
		next <- name
		line, err := r.ReadString('\n')
		if err != nil || !strings.Contains(line, `"name":"`+name+`"`) {
			t.Fatalf("%q, %v", line, err)
		}
	}
	watches := a.log.Watches(time.Minute)
	if len(watches) != 1 || watches[0].Media != "application/json" || watches[0].Target.Resource != "fish" {
		t.Fatalf("%+v", watches)
	}
	a.eventually(t, "the frames", func() bool { return watches[0].State().Sent == 3 })
	if f := watches[0].Frames()[1]; f.Type != "ADDED" || f.Name != "b" || f.Revision != 0 {
		t.Errorf("%+v", f)
	}
	if _, text := send(t, a.url, request{method: "GET", path: "/metrics"}); !strings.Contains(text, `apiserver_longrunning_requests{verb="WATCH"} 1`) {
		t.Error("it is not counted as a long request")
	}
	a.server.EndWatches()
	if rest, _ := io.ReadAll(r); len(rest) != 0 {
		t.Errorf("%q", rest)
	}
	<-ended
	a.eventually(t, "the end", func() bool { return watches[0].State().Cause == "server is stopping" })
}

// A WebSocket goes through in both directions.
func TestServer_aggregatedWebSocket(t *testing.T) {
	var who atomic.Value
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		who.Store(r.Header.Get("X-Remote-User"))
		websocket.Handler(func(ws *websocket.Conn) { _, _ = io.Copy(ws, ws) }).ServeHTTP(w, r)
	}, nil)
	ws, err := websocket.Dial("ws"+strings.TrimPrefix(a.url, "http")+"/apis/fish.example.com/v1/namespaces/sea/fish/carp/exec", "", a.url)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := errors.Join(websocket.Message.Send(ws, "hello"), websocket.Message.Receive(ws, &got), ws.Close()); err != nil || got != "hello" || who.Load() != "system:admin" {
		t.Errorf("%q to %q, %v", got, who.Load(), err)
	}
	a.eventually(t, "the flow", func() bool {
		f := a.last(t)
		return f.Status == http.StatusSwitchingProtocols && f.Target.Subresource == "exec" && f.ResponseBody.Total > 0
	})
}

// Where nobody answers, clients are told in kube-apiserver's words (as recorded of 1.37).
func TestServer_aggregatedAway(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("do") {
		case "redirect":
			http.Redirect(w, r, "https://elsewhere.example.com/", http.StatusFound)
		case "break":
			panic(http.ErrAbortHandler)
		case "slow":
			<-r.Context().Done()
		case "refuse":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"no","code":409}`)
		}
	}, func(o *aggregate.Options) { o.RejectRedirects = true })
	const fish = "/apis/fish.example.com/v1"
	ask := func(name, path string, code int, text string) {
		t.Helper()
		got, said := send(t, a.url, request{method: "GET", path: path})
		if said = regexp.MustCompile(`stream ID \d+|127.0.0.1:\d+`).ReplaceAllString(said, "N"); got != code || said != text {
			t.Errorf("%s: %d %q, want %d %q", name, got, said, code, text)
		}
	}
	ask("redirected", fish+"?do=redirect", 502, "the backend attempted to redirect this request, which is not permitted")
	ask("broken off", fish+"/x?do=break", 503, "error trying to reach service: stream error: N; INTERNAL_ERROR; received from peer\n")
	ask("too late", fish+"/x?do=slow&timeout=1s", 504,
		`{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}`+"\n")
	ask("refused there", fish+"/x?do=refuse", 409, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"no","code":409}`)
	if f := a.last(t); f.Reason != "Conflict" || f.Message != "no" {
		t.Errorf("%s: %s", f.Reason, f.Message)
	}
	ask("another version", "/apis/fish.example.com/v2/x", 404, "404 page not found\n")
	ask("no group version", fish+"x", 404, "404 page not found\n")
	a.available(t, "False")
	ask("not available", fish, 503, "service unavailable\n")
	a.available(t, "True")
	ask("back", fish, 200, "")
	a.behind.CloseClientConnections()
	a.behind.Listener.Close()
	a.eventually(t, "the end of the connections", func() bool { // of which the other end hears a moment later
		_, text := send(t, a.url, request{method: "GET", path: fish})
		return strings.Contains(text, "refused")
	})
	ask("nobody listens", fish, 503, "error trying to reach service: dial tcp N: connect: connection refused\n")
	if code, text := send(t, a.url, request{method: "DELETE", path: "/api/v1/namespaces/sea/services/fish"}); code != http.StatusOK {
		t.Fatal(text)
	}
	ask("without its Service", fish, 503, "service unavailable\n")
	if f := a.last(t); !strings.Contains(f.Stations[4].Note, `"fish" not found`) || !f.Stations[4].Failed {
		t.Errorf("%+v", f.Stations[4])
	}
	if code, text := send(t, a.url, request{method: "DELETE", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com"}); code != http.StatusOK {
		t.Fatal(text)
	}
	a.until(t, "gone", func(s *aggregate.Service) bool { return s == nil })
	ask("without its APIService", fish+"/x", 404, "404 page not found\n")
}

// With --enable-aggregator-routing a name of DNS leads nowhere, and a redirect is handed on where that is allowed.
func TestServer_aggregatedOptions(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/x")
		w.WriteHeader(http.StatusFound)
	}, nil)
	resp, err := http.DefaultTransport.RoundTrip(httptest.NewRequest("GET", a.url+"/apis/fish.example.com/v1", nil))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if at := resp.Header.Get("Location"); resp.StatusCode != http.StatusFound || at != "https://localhost:"+a.port+"/x" {
		t.Errorf("%s to %s", resp.Status, at)
	}
	a.registry.EndpointsOnly = true
	if code, text := send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1"}); code != 503 || text != "service unavailable\n" {
		t.Errorf("%d %s", code, text)
	}
	if note := a.last(t).Stations[4].Note; note != `unsupported service type "ExternalName"` {
		t.Error(note)
	}
}

// An annotation leads to a URL, in the place of the Service's address or without one; what is no URL leads nowhere.
func TestServer_aggregatedURL(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "there") }, nil)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "here: ", r.Header.Get("X-Remote-User")) }))
	t.Cleanup(plain.Close)
	for _, c := range []struct{ url, want string }{
		{plain.URL, "here: system:admin"}, {a.behind.URL, "there"}, {"ftp://127.0.0.1", "service unavailable\n"}, {plain.URL + "/a/b", "service unavailable\n"},
		{":", "service unavailable\n"},
	} {
		code, text := send(t, a.url, request{method: "PATCH", path: "/apis/apiregistration.k8s.io/v1/apiservices/v1.fish.example.com", contentType: "application/merge-patch+json",
			body: fmt.Sprintf(`{"metadata": {"annotations": {%q: %q}}}`, aggregate.URLAnnotation, c.url)})
		if code != http.StatusOK {
			t.Fatal(text)
		}
		a.until(t, c.url, func(s *aggregate.Service) bool { return s.APIService.Annotations[aggregate.URLAnnotation] == c.url })
		if _, text := send(t, a.url, request{method: "GET", path: "/apis/fish.example.com/v1"}); text != c.want {
			t.Errorf("%s: %q", c.url, text)
		}
	}
}

// Fault rules stand in front of the other server, and in front of its answer.
func TestServer_aggregatedFaults(t *testing.T) {
	var asked atomic.Int64
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }, nil)
	for _, c := range []struct {
		rule  string
		code  int
		asked int64
	}{
		{"refuse 429 before proxy on res:fish", 429, 0}, {"cut before proxy on res:fish", 0, 0}, {"cut before encode on res:fish", 0, 1},
		{"refuse 503 before encode on res:fish", 503, 1},
	} {
		rules, err := rule.ParseSet(c.rule)
		if err == nil {
			_, err = a.gate.Replace(rules)
		}
		if err != nil {
			t.Fatal(err)
		}
		asked.Store(0)
		code := 0
		if resp, err := http.Post(a.url+"/apis/fish.example.com/v1/fish", "", nil); err == nil {
			code = resp.StatusCode
			resp.Body.Close()
		}
		if code != c.code || asked.Load() != c.asked {
			t.Errorf("%s: %d, asked %d times", c.rule, code, asked.Load())
		}
	}
}

// last is the newest flow of a request to the server behind.
func (a aggregated) last(t *testing.T) *flow.Flow {
	t.Helper()
	var last *flow.Flow
	a.eventually(t, "a flow", func() bool {
		a.log.Begin(nil).Settle(t.Context(), time.Second)
		all, _ := a.log.Since(0, 0)
		for _, f := range all {
			if f.Target.Group == "fish.example.com" || strings.HasPrefix(f.Path, "/apis/fish.example.com") {
				last = f
			}
		}
		return last != nil
	})
	return last
}

// eventually waits for a condition.
func (a aggregated) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 12000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("in vain: " + what)
}

// Requests to aggregated servers have half of the places: where these hang, others are answered.
func TestServer_aggregatedHangs(t *testing.T) {
	asked := make(chan bool, 10)
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("hang") != "" {
			asked <- true
			<-r.Context().Done()
		}
	}, nil, func(o *server.Options) { o.MaxInFlight = 4 })
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	const path = "/apis/fish.example.com/v1/namespaces/sea/cods"
	for range 2 {
		req, err := http.NewRequestWithContext(ctx, "GET", a.url+path+"?hang=yes", nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		}()
		<-asked
	}
	if code, text := send(t, a.url, request{method: "GET", path: path}); code != http.StatusTooManyRequests || !strings.Contains(text, `"retryAfterSeconds":1`) {
		t.Errorf("a third: %d %s", code, text)
	}
	if code, text := send(t, a.url, request{method: "GET", path: "/api/v1/namespaces"}); code != http.StatusOK {
		t.Errorf("another: %d %s", code, text)
	}
	leave()
	a.eventually(t, "an answer", func() bool {
		code, _ := send(t, a.url, request{method: "GET", path: path})
		return code == http.StatusOK
	})
}
