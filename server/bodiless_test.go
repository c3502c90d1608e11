package server_test

import (
	"net/http"
	"testing"
)

// Answers without a body have no type: the log of a pod that no node runs, and the refusal of a WebSocket that does not say
// from where it comes.
func TestServer_noContentType(t *testing.T) {
	url := mustDemo(t)
	mustMake(t, url, inDemo+"pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	socket := map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
	for _, c := range []struct {
		path   string
		header map[string]string
		code   int
	}{
		{inDemo + "pods/a/log", nil, http.StatusNoContent}, {inDemo + "pods?watch=1", socket, http.StatusForbidden},
	} {
		answer, body := mustAsk(t, "GET", url+c.path, c.header)
		if answer.StatusCode != c.code || len(body) > 0 || answer.Header["Content-Type"] != nil {
			t.Errorf("%s: %d %v %q", c.path, answer.StatusCode, answer.Header, body)
		}
	}
}
