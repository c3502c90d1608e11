package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/server"
)

// A watch of one object gets its bookmarks in time, also while others of its kind change all the time: without them
// its version would grow old and expire.
func TestServer_bookmarkWhileBusy(t *testing.T) {
	url, _ := mustServe(t, func(o *server.Options) { o.BookmarkEvery = 200 * time.Millisecond })
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
				send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, i)})
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	resp, err := http.Get(url + "/api/v1/namespaces?watch=true&allowWatchBookmarks=true&timeoutSeconds=2&resourceVersion=1&fieldSelector=metadata.name%3Dother")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	bookmarks := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if !strings.Contains(lines.Text(), `"type":"BOOKMARK"`) {
			t.Errorf("got %s", lines.Text())
		}
		bookmarks++
	}
	if bookmarks < 4 { // nine are due, and one comes at the end in any case
		t.Errorf("%d bookmarks in two seconds", bookmarks)
	}
}
