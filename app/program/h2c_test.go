package program_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// client-go speaks HTTP/2 by prior knowledge to the plain port: it writes, lists and watches, many watches at once on one
// connection, each of which is told of a change and ended by its time.
func TestProgram_h2c(t *testing.T) {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel() // both wait for the end of their watches
			p := programtest.MustStart(t, "normal")
			c, err := kubernetes.NewForConfig(&rest.Config{
				Host: p.URL, Transport: &http.Transport{Protocols: &protocols}, QPS: -1,
				ContentConfig: rest.ContentConfig{ContentType: contentType, AcceptContentTypes: contentType}, UserAgent: "h2c/" + contentType,
			})
			if err != nil {
				t.Fatal(err)
			}
			maps := c.CoreV1().ConfigMaps("default")
			created, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if l, err := maps.List(t.Context(), metav1.ListOptions{}); err != nil || len(l.Items) == 0 {
				t.Fatal(l, err)
			}
			seconds := int64(10)
			o := metav1.ListOptions{ResourceVersion: created.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
			var streams []func() (string, bool)
			for range 20 {
				w, err := maps.Watch(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				streams = append(streams, func() (string, bool) {
					e, ok := <-w.ResultChan()
					return string(e.Type), ok
				})
			}
			created.Data = map[string]string{"k": "v"}
			if _, err := maps.Update(t.Context(), created, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			for i, next := range streams {
				for _, want := range []string{"MODIFIED", "BOOKMARK", ""} {
					if got, ok := next(); got != want || ok != (want != "") {
						t.Errorf("watch %d has %q %v, want %q", i, got, ok, want)
					}
				}
			}
			oneConnection(t, p, "h2c/"+contentType)
		})
	}
}

// oneConnection checks that all that a client did went over one connection of HTTP/2.
func oneConnection(t *testing.T, p *program.Program, userAgent string) {
	t.Helper()
	flows, _ := p.Log.Since(1, 0)
	remotes, watches := map[string]bool{}, 0
	for _, f := range flows {
		if f.Client.UserAgent != userAgent {
			continue
		}
		if f.Proto != "HTTP/2.0" {
			t.Errorf("%s %s came over %s", f.Method, f.Path, f.Proto)
		}
		remotes[f.Client.Remote] = true
		if f.Phase == flow.WatchClosed && f.Message == "timeout" {
			watches++
		}
	}
	if len(remotes) != 1 || watches != 20 {
		t.Errorf("%d connections, %d watches", len(remotes), watches)
	}
}

// A WebSocket, which is no longer the HTTP server's, is closed with the program too.
func TestProgram_closesWebSockets(t *testing.T) {
	p, err := program.Start(t.Context(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"}, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.URL, "http")+"/api/v1/namespaces?watch=true", http.Header{"Origin": {p.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for range 4 {
		if _, _, err := ws.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	_ = ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the server ends with %v", err)
	}
}
