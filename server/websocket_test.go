package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"kubarium/codecs"
	"kubarium/flow"
)

// dialWatch opens a watch of ConfigMaps as a WebSocket. url begins with http://.
func dialWatch(url, query string, h http.Header) (*websocket.Conn, *http.Response, error) {
	d := websocket.Dialer{HandshakeTimeout: 10 * time.Second}
	return d.Dial("ws"+strings.TrimPrefix(url, "http")+configMaps+query, h)
}

// decodeMessage reads the event of a message and the ConfigMap in it.
func decodeMessage(t *testing.T, c *codecs.Codec, message []byte) (string, *corev1.ConfigMap) {
	t.Helper()
	var event metav1.WatchEvent
	var err error
	switch c {
	case codecs.JSON:
		err = json.Unmarshal(message, &event)
	case codecs.CBOR:
		err = direct.Unmarshal(message, &event)
	default:
		err = event.Unmarshal(message)
	}
	if err != nil {
		t.Fatalf("%v\n%q", err, message)
	}
	m := &corev1.ConfigMap{}
	if _, _, _, err := c.Decode(event.Object.Raw, schema.GroupVersionKind{}, m, codecs.Ignore); err != nil {
		t.Fatalf("%v\n%q", err, event.Object.Raw)
	}
	return event.Type, m
}

// A watch over a WebSocket has one event a message, as text in JSON and as bytes else, with bookmarks, until its time is
// over and the server closes; and it is on the flow as any other watch.
func TestServer_webSocket(t *testing.T) {
	for _, c := range []*codecs.Codec{codecs.JSON, codecs.Protobuf, codecs.CBOR} {
		url, log := mustServe(t, nil)
		send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"default"}}`})
		create := func(name string) {
			if code, text := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: `{"metadata":{"name":"` + name + `"}}`}); code != http.StatusCreated {
				t.Error(code, text)
			}
		}
		create("a")
		ws, resp, err := dialWatch(url, "?watch=true&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=2",
			http.Header{"Origin": {url}, "Accept": {c.MediaType}, "Sec-Websocket-Protocol": {"base64.binary.k8s.io"}})
		if err != nil {
			t.Fatalf("%s: %v %v", c.Name, err, resp)
		}
		if got := resp.Header.Get("Sec-Websocket-Protocol"); got != "base64.binary.k8s.io" {
			t.Errorf("%s: subprotocol %q", c.Name, got)
		}
		for i, want := range []string{"ADDED a", "BOOKMARK ", "ADDED b", "BOOKMARK "} {
			kind, message, err := ws.ReadMessage()
			if err != nil {
				t.Fatalf("%s: %v; want %s", c.Name, err, want)
			}
			if text := kind == websocket.TextMessage; text != c.IsText() {
				t.Errorf("%s: a message of type %d", c.Name, kind)
			}
			if event, m := decodeMessage(t, c, message); event+" "+m.Name != want || m.ResourceVersion == "" {
				t.Errorf("%s: %s %s at %q, want %s", c.Name, event, m.Name, m.ResourceVersion, want)
			}
			if i == 1 {
				create("b")
			}
		}
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			t.Errorf("%s: the server ends with %v", c.Name, err)
		}
		ws.Close()
		f := await(t, log, closedWatch)
		if s := f.Watch.State(); f.Status != http.StatusSwitchingProtocols || s.Sent != 2 || s.Bookmarks != 2 || s.Cause != "timeout" {
			t.Errorf("%s: the flow says %d, %+v", c.Name, f.Status, s)
		}
		if f := await(t, log, func(f *flow.Flow) bool { return f.Phase == flow.WatchOpened }); f.Status != http.StatusSwitchingProtocols {
			t.Errorf("%s: the flow of its beginning says %d", c.Name, f.Status)
		}
	}
}

// closedWatch is the flow of a watch that has ended.
func closedWatch(f *flow.Flow) bool { return f.Phase == flow.WatchClosed }

// await waits for a flow.
func await(t *testing.T, log *flow.Log, is func(*flow.Flow) bool) *flow.Flow {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		flows, _ := log.Since(1, 0)
		for _, f := range flows {
			if is(f) {
				return f
			}
		}
	}
	t.Fatal("no such flow")
	return nil
}

// A client that closes ends its watch.
func TestServer_webSocketClientCloses(t *testing.T) {
	url, log := mustServe(t, nil)
	ws, _, err := dialWatch(url, "?watch=true", http.Header{"Origin": {url}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMessage(websocket.TextMessage, []byte("nobody listens to this")); err != nil {
		t.Fatal(err)
	}
	ws.Close()
	f := await(t, log, closedWatch)
	if f.Message != "client went away" {
		t.Errorf("the watch ended with %q", f.Message)
	}
}

// What is refused is refused before the connection is no longer HTTP.
func TestServer_webSocketRefused(t *testing.T) {
	url, _ := mustServe(t, nil)
	for _, c := range []struct {
		name, query string
		h           http.Header
		code        int
	}{
		{"no origin", "?watch=true", http.Header{}, 403},
		{"another origin", "?watch=true", http.Header{"Origin": {"http://example.com"}}, 403},
		{"several subprotocols", "?watch=true", http.Header{"Origin": {url}, "Sec-Websocket-Protocol": {"a, b"}}, 400},
		{"invalid options", "?watch=true&sendInitialEvents=true", http.Header{"Origin": {url}}, 422},
		{"YAML, which has no streams", "?watch=true", http.Header{"Origin": {url}, "Accept": {"application/yaml"}}, 406},
		{"a list", "", http.Header{"Origin": {url}}, 200},
	} {
		ws, resp, err := dialWatch(url, c.query, c.h)
		if err == nil {
			ws.Close()
		}
		if resp == nil || resp.StatusCode != c.code {
			t.Errorf("%s: %v %v, want %d", c.name, resp, err, c.code)
		}
	}
}
