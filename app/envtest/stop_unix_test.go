//go:build unix

package envtest_test

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// SIGTERM ends a kube-apiserver while watches are open and requests are under way, and nothing comes back into its folders.
func TestPlane_stopWithWatches(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.start()
	for range 3 {
		user := p.admin()
		for range 30 {
			r := must[*http.Request](t)(http.NewRequestWithContext(context.Background(), "GET", p.url+configMaps+"?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan", nil))
			resp, err := user.Do(r)
			if err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
			defer resp.Body.Close()
			if _, err := bufio.NewReader(resp.Body).ReadBytes('\n'); err != nil { // the watch is open
				t.Fatal(err)
			}
		}
	}
	hanging := p.admin()
	go func() { // a get that waits for a version that will not come
		resp, err := hanging.Get(p.url + configMaps + "?resourceVersion=1000000")
		if err == nil {
			resp.Body.Close()
		}
	}()
	t.Log("kube-apiserver:", p.api.stop(), "etcd:", p.etcd.stop())
	for _, dir := range []string{p.data, p.certs} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond) // for whoever would write after its end
	for _, dir := range []string{p.data, p.certs} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s came back", dir)
		}
	}
}

// SIGTERM at any moment of a start ends it, and the next start on the same data works.
func TestPlane_stopWhileItStarts(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	for _, after := range []time.Duration{0, 20, 40, 60, 80, 120, 180, 300} {
		p.prepare()
		api := begin(t, "kube-apiserver", p.args()...)
		time.Sleep(after * time.Millisecond)
		api.stopEarly()
	}
	p.prepare()
	p.start()
	p.expect(200, p.admin(), "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:public-info-viewer", "")
	p.stop()
}

// SIGTERM ends a kube-apiserver that still waits for its etcd, and it touches nothing then.
func TestPlane_stopWithoutEtcd(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	p.etcd.stop()
	before, err := os.ReadDir(p.certs)
	if err != nil {
		t.Fatal(err)
	}
	api := begin(t, "kube-apiserver", p.args()...)
	time.Sleep(300 * time.Millisecond) // on most machines it waits by now
	api.stopEarly()
	after, err := os.ReadDir(p.certs)
	if err != nil || len(after) != len(before) {
		t.Errorf("%v %v", after, err)
	}
	home, err := os.ReadDir(api.cmd.Dir)
	if err != nil || len(home) != 0 {
		t.Errorf("it wrote into %s: %v %v", filepath.Base(api.cmd.Dir), home, err)
	}
}
