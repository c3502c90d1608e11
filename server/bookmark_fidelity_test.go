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
	resp, err := http.Get(url + "/api/v1/namespaces?watch=true&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=1&fieldSelector=metadata.name%3Dother")
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
	if bookmarks < 10 { // 24 are due, and one comes at the end in any case
		t.Errorf("%d bookmarks in five seconds", bookmarks)
	}
}

// The empty objects of bookmarks have what kube-apiserver's have, in the forms that show it; a form for lists has none, and
// ends the watch.
func TestServer_bookmarkObjects(t *testing.T) {
	url := serveDefault(t)
	const metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	for _, c := range []struct{ path, accept, want string }{
		{"/apis/apps/v1/deployments", "", `"spec":{"replicas":0,`},
		{"/apis/apps/v1/replicasets", "", `"spec":{"replicas":0,`},
		{"/apis/apps/v1/statefulsets", "", `"spec":{"replicas":0,`},
		{"/apis/apps/v1/daemonsets", "", `"annotations":{"deprecated.daemonset.template.generation":"0","k8s.io/initial-events-end":"true"}`},
		{"/apis/apps/v1/daemonsets", metadata, `"annotations":{"deprecated.daemonset.template.generation":"0","k8s.io/initial-events-end":"true"}`},
		{"/apis/apps/v1/deployments", metadata, `"annotations":{"k8s.io/initial-events-end":"true"}}}}`},
		{"/api/v1/replicationcontrollers", "", `"spec":{},`},
		{"/api/v1/namespaces", strings.Replace(metadata, "Metadata;", "MetadataList;", 1), ""},
		{"/api/v1/configmaps", strings.Replace(metadata, "Metadata;", "MetadataList;", 1), ""},
	} {
		seconds := 1
		if c.want == "" {
			seconds = 60
		}
		query := fmt.Sprintf("?watch=1&timeoutSeconds=%d&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", seconds)
		begun := time.Now()
		resp, body := mustAsk(t, "GET", url+c.path+query, map[string]string{"Accept": c.accept})
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), c.want) || c.want == "" && len(body) > 0 {
			t.Errorf("%s as %s: %d %s; want %s", c.path, c.accept, resp.StatusCode, body, c.want)
		}
		if took := time.Since(begun); c.want == "" && took > 30*time.Second {
			t.Errorf("%s as %s goes on for %v", c.path, c.accept, took)
		}
	}
}
