package server_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tooLarge names the limit of answers that are read whole.
const tooLarge = "the answer is too large: limit is 8388608 bytes"

// A converter's answer that is too large is an error that names the limit, and the next one is taken.
func TestServer_conversionTooLarge(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	mustSend(t, url, 201, post(boxesV1, `{"apiVersion":"boxes.example.com/v1","kind":"Box","metadata":{"name":"a"}}`))
	hook.spoilWith(func(r *review) {
		r.Response.ConvertedObjects = []*unstructured.Unstructured{{Object: map[string]any{"a": strings.Repeat("a", 9<<20)}}}
	})
	code, text := send(t, url, request{method: "GET", path: boxesV2 + "/a"})
	if code != http.StatusInternalServerError || !strings.Contains(text, tooLarge) {
		t.Errorf("%d %s", code, text)
	}
	hook.spoilWith(nil)
	if code, text := send(t, url, request{method: "GET", path: boxesV2 + "/a"}); code != http.StatusOK {
		t.Errorf("%d %s", code, text)
	}
}

// A converter that does not answer is waited for as long as the request may take.
func TestServer_conversionSlow(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	mustSend(t, url, 201, post(boxesV1, `{"apiVersion":"boxes.example.com/v1","kind":"Box","metadata":{"name":"a"}}`))
	silent := make(chan struct{})
	hook.spoilWith(func(*review) { <-silent })
	defer close(silent)
	began := time.Now()
	code, text := send(t, url, request{method: "GET", path: boxesV2 + "/a?timeout=1s"})
	const most = 20 * time.Second // the official client gives up after 30
	if took := time.Since(began); code != http.StatusGatewayTimeout || took > most {
		t.Errorf("after %s: %d %s", took, code, text)
	}
}

// Large bodies that wait for a converter that hangs leave their turn to others.
func TestServer_conversionOutOfTurn(t *testing.T) {
	url, hook := serveBoxes(t, nil)
	asked, silent := make(chan struct{}), make(chan struct{})
	said := sync.OnceFunc(func() { close(asked) })
	hook.spoilWith(func(*review) { said(); <-silent })
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer close(silent)
	for i := range 4 * runtime.GOMAXPROCS(0) {
		body := fmt.Sprintf(`{"apiVersion":"boxes.example.com/v2","kind":"Box","metadata":{"name":"b%d","annotations":{"a":%q}}}`, i, strings.Repeat("a", 100_000))
		waiting.Go(func() {
			if resp, err := http.Post(url+boxesV2+"?timeout=20s", "application/json", strings.NewReader(body)); err == nil {
				resp.Body.Close()
			}
		})
	}
	<-asked
	other := fmt.Sprintf(`{"metadata":{"name":"a"},"data":{"a":%q}}`, strings.Repeat("a", 40_000))
	mustSend(t, url, 201, post("/api/v1/namespaces/default/configmaps?timeout=10s", other))
}
