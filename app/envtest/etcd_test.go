package envtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app/envtest"
	"kubarium/app/program/programtest"
)

// freeURL is the URL of a port without a listener.
func freeURL(t *testing.T) string { return "http://" + programtest.FreeAddress(t) }

// serveEtcd runs an etcd in this process to the end of the test, with a data directory of its own.
func serveEtcd(t *testing.T, ctx context.Context, args ...string) (url string) {
	t.Helper()
	url = freeURL(t)
	ctx, end := context.WithCancel(ctx)
	ended := make(chan error)
	var errs bytes.Buffer
	args = append([]string{"--data-dir", filepath.Join(t.TempDir(), "data"), "--listen-client-urls", url}, args...)
	go func() { ended <- envtest.RunEtcd(ctx, args, io.Discard, &errs) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil || errs.Len() > 0 {
			t.Errorf("%v %s", err, errs.String())
		}
	})
	if _, err := envtest.Find(ctx, []string{url}); err != nil {
		t.Fatal(err)
	}
	return url
}

// An etcd says on all its URLs that it is healthy, and which version it is, and to this machine where its data are.
func TestEtcd(t *testing.T) {
	second, third := freeURL(t), freeURL(t)
	first := serveEtcd(t, context.Background(), "-wal-dir", "w", "--listen-client-http-urls="+second+","+third, "--name=x", "-unsafe-no-fsync")
	for _, url := range []string{first, second, third} {
		for path, want := range map[string]string{
			"/health": `{"health":"true","reason":""}`, "/version": `{"etcdserver":"3.7.3","etcdcluster":"3.7.0","storage":"3.7.0"}`, "/readyz": "ok\n",
		} {
			resp, err := http.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || string(text) != want {
				t.Errorf("%s: %d %s %v", path, resp.StatusCode, text, err)
			}
		}
		s, err := envtest.Find(t.Context(), []string{url})
		if err != nil || !filepath.IsAbs(s.Folder) || s.Sync {
			t.Errorf("%+v %v", s, err)
		}
	}
}

// The data directory and the wish not to wait for the disk may come from the environment, and the command line goes before it.
func TestEtcd_environment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ETCD_DATA_DIR", dir)
	t.Setenv("ETCD_UNSAFE_NO_FSYNC", "true")
	url := serveEtcd(t, context.Background())
	if s, err := envtest.Find(t.Context(), []string{url}); err != nil || s.Sync || s.Folder == dir {
		t.Errorf("%+v %v", s, err)
	}
	t.Setenv("ETCD_UNSAFE_NO_FSYNC", "perhaps")
	if code, _, errs := run(t, "etcd", "--data-dir", dir); code != 2 || !strings.Contains(errs, "ETCD_UNSAFE_NO_FSYNC=perhaps") {
		t.Errorf("%d %s", code, errs)
	}
}

// An etcd that is not Kubarium's is told from one that does not listen yet, and one on another machine from one on this.
func TestFind(t *testing.T) {
	other := func(answer string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() { s.Close() })
		return "http://" + l.Addr().String()
	}
	relative, err := json.Marshal(envtest.Store{Folder: "."})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"404 page not found", `{}`, `{"dataDir":"/no/such/folder"}`, string(relative)} {
		if s, err := envtest.Find(t.Context(), []string{other(answer)}); err == nil {
			t.Errorf("%s: %+v", answer, s)
		}
	}
	ours := serveEtcd(t, context.Background())
	if s, err := envtest.Find(t.Context(), []string{other("x"), strings.TrimPrefix(ours, "http://")}); err != nil || !s.Sync {
		t.Errorf("%+v %v", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := envtest.Find(ctx, []string{freeURL(t)}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Each prefix has a database of its own, whatever the file system.
func TestStore_File(t *testing.T) {
	s := envtest.Store{Folder: string(os.PathSeparator) + "d"}
	for prefix, want := range map[string]string{
		"/registry": "kubarium.db", "registry/": "kubarium.db", "/a": "kubarium-a.db", "/a/b": "kubarium-a-b.db", "/a-b": "kubarium-a_2db.db",
		"/A": "kubarium-_41.db", "/../x": "kubarium-x.db", "/a_b": "kubarium-a_5fb.db", "": "kubarium-.db",
	} {
		if got := filepath.Base(s.File(prefix)); got != want {
			t.Errorf("%q: %s, not %s", prefix, got, want)
		}
	}
}
