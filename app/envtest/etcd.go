package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kubarium/app/port"
)

// etcdVersion is the etcd that kube-apiserver 1.37 is released with.
const etcdVersion = "3.7.3"

// RunEtcd is the program etcd, until ctx ends.
func RunEtcd(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := readEtcd(args, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(out, etcdHelp)
		return err
	case err != nil:
		return err
	case o.version:
		_, err := fmt.Fprintf(out, "etcd Version: %s\n", etcdVersion)
		return err
	}
	if o.dataDir == "" {
		o.dataDir = o.name + ".etcd"
	}
	if o.dataDir, err = filepath.Abs(o.dataDir); err != nil {
		return err
	}
	listeners, err := listenEtcd(o.clientURLs + "," + o.httpURL)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dataDir, 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return serveEtcd(ctx, listeners, Store{Folder: o.dataDir, Sync: !o.noSync})
}

// listenEtcd takes the ports of all URLs, or none.
func listenEtcd(urls string) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			closeAll(all)
		}
	}()
	for text := range strings.SplitSeq(urls, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" || u.Port() == "" {
			return all, ErrUsage{fmt.Errorf("--listen-client-urls must be http://HOST:PORT, not %q", text)}
		}
		l, err := net.Listen("tcp", u.Host)
		if port.IsTaken(err) {
			return all, fmt.Errorf("port in use: something serves on %s already", u.Host)
		}
		if err != nil {
			return all, fmt.Errorf("listen: %w", err)
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, ErrUsage{errors.New("--listen-client-urls must name a URL")}
	}
	return all, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

// serveEtcd answers requests to an etcd that are not about its data: whether it is healthy, and which version it is.
func serveEtcd(ctx context.Context, listeners []net.Listener, s Store) error {
	mux := http.NewServeMux()
	answer := func(value any) http.HandlerFunc {
		text, err := json.Marshal(value)
		return func(w http.ResponseWriter, _ *http.Request) {
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(text)
		}
	}
	mux.Handle("GET /health", answer(struct {
		Health string `json:"health"`
		Reason string `json:"reason"`
	}{"true", ""}))
	mux.Handle("GET /version", answer(struct {
		Server  string `json:"etcdserver"`
		Cluster string `json:"etcdcluster"`
		Storage string `json:"storage"`
	}{etcdVersion, "3.7.0", "3.7.0"}))
	for _, path := range []string{"GET /livez", "GET /readyz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	mux.Handle("GET "+storePath, localAlone(answer(s)))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- server.Serve(l) }()
	}
	select {
	case <-ctx.Done():
		return server.Close()
	case err := <-ended:
		return errors.Join(err, server.Close())
	}
}

// localAlone answers those on this machine. Others do not learn where its files are.
func localAlone(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		ip := net.ParseIP(host)
		at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if ip == nil || !ip.IsLoopback() && (at == nil || !at.IP.Equal(ip)) {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
