package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"kubarium/app/port"
)

// storePath is the path at which an etcd of Kubarium's names its store to a kube-apiserver on the same machine.
const storePath = "/kubarium/v1/store"

// A Store is where the data of an etcd is.
type Store struct {
	Folder string `json:"dataDir"` // absolute, and there
	Sync   bool   `json:"sync"`    // whether what is written must be on the disk; false by --unsafe-no-fsync
}

// defaultPrefix is kube-apiserver's --etcd-prefix where nothing is said.
const defaultPrefix = "/registry"

// File is the database of a kube-apiserver by its --etcd-prefix. Each prefix has its own, so that several share one
// etcd.
func (s Store) File(prefix string) string {
	prefix = path.Join("/", prefix)
	if prefix == defaultPrefix {
		return filepath.Join(s.Folder, "kubarium.db")
	}
	return filepath.Join(s.Folder, "kubarium"+fileName(prefix)+".db")
}

// fileName writes a prefix in letters that any file system takes and distinguishes.
func fileName(prefix string) string {
	var b strings.Builder
	for _, c := range []byte(prefix) {
		switch {
		case c == '/':
			b.WriteByte('-')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}

// patience is how long Find waits for an etcd that does not listen yet, as one that was started a moment ago does.
const patience = 10 * time.Second

// errNotOurs says of an etcd that it is not Kubarium's.
var errNotOurs = errors.New("is not Kubarium's etcd")

// Find asks the servers of --etcd-servers in turn where the data is. It waits for one that does not listen yet.
func Find(ctx context.Context, servers []string) (Store, error) {
	deadline := time.Now().Add(patience)
	for {
		s, err := findNow(ctx, servers)
		if err == nil || !port.IsClosed(err) || time.Now().After(deadline) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// findNow asks each server once. The error is that of the last one, or of one that may listen in a moment.
func findNow(ctx context.Context, servers []string) (s Store, err error) {
	for _, server := range servers {
		s, e := ask(ctx, server)
		if e == nil {
			return s, nil
		}
		if !port.IsClosed(err) {
			err = fmt.Errorf("%s: %w", server, e)
		}
	}
	return s, err
}

func ask(ctx context.Context, server string) (s Store, err error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath(storePath).String(), nil)
	if err != nil {
		return s, err
	}
	transport := &http.Transport{DisableKeepAlives: true} // and no proxy: an etcd is on this machine
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<16)).Decode(&s) != nil {
		return Store{}, errNotOurs
	}
	if i, err := os.Stat(s.Folder); err != nil || !i.IsDir() || !filepath.IsAbs(s.Folder) {
		return Store{}, fmt.Errorf("its data directory %s is not on this machine: %w", s.Folder, fs.ErrNotExist)
	}
	return s, nil
}
