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
	"syscall"
	"time"
)

// etcdVersion is the etcd that kube-apiserver 1.37 is released with.
const etcdVersion = "3.7.3"

// ErrUsage is what is wrong with a command line.
type ErrUsage struct{ error }

func (e ErrUsage) Unwrap() error { return e.error }

// etcdHelp lists the flags that are acted on; envtest looks for the last one at the beginning of a line.
const etcdHelp = `Usage: etcd [flags]

Kubarium in the place of etcd. It keeps nothing itself: kube-apiserver, which is Kubarium too, asks it for the data directory, and
keeps its database there. All flags of etcd are known; these are acted on:

  --name 'default'
      Name of this member, and of its data directory.
  --data-dir '${name}.etcd'
      Path to the data directory.
  --listen-client-urls 'http://localhost:2379'
      URLs to listen on, with commas.
  --listen-client-http-urls ''
      More of them.
  --unsafe-no-fsync 'false'
      Do not wait for the disk: what was written last may be lost in a power cut.
  --version 'false'
      Print the version and exit.
`

// etcdOptions are the flags of etcd that are acted on.
type etcdOptions struct {
	name, dataDir       string
	clientURLs, httpURL string
	noSync, version     bool
}

// readEtcd reads a command line of etcd in the form of Go's own flags, with one dash or two, and then the environment.
func readEtcd(args []string, errs io.Writer) (o etcdOptions, err error) {
	f := flag.NewFlagSet(Etcd, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.name, "name", "default", "")
	f.StringVar(&o.dataDir, "data-dir", "", "")
	f.StringVar(&o.clientURLs, "listen-client-urls", "http://localhost:2379", "")
	f.StringVar(&o.httpURL, "listen-client-http-urls", "", "")
	f.BoolVar(&o.noSync, "unsafe-no-fsync", false, "")
	f.BoolVar(&o.version, "version", false, "")
	var unheeded []string
	for _, k := range etcdFlags() {
		heed := func(value string) error {
			if k.asks(value) {
				unheeded = append(unheeded, "--"+k.name+"="+value)
			}
			return nil
		}
		switch {
		case f.Lookup(k.name) != nil:
		case k.kind == "bool":
			f.BoolFunc(k.name, "", heed)
		default:
			f.Func(k.name, "", heed)
		}
	}
	if err := f.Parse(args); err != nil {
		return o, etcdComplaint(err)
	}
	for _, arg := range f.Args() {
		if arg != "" {
			return o, ErrUsage{fmt.Errorf("%q is not a valid flag", arg)}
		}
	}
	if len(unheeded) > 0 {
		fmt.Fprintf(errs, "kubarium: etcd: not acted on: %s\n", strings.Join(unheeded, " "))
	}
	return o, readEtcdEnvironment(f)
}

// etcdComplaint is what Go's flags say of a command line, in the words of kube-apiserver's.
func etcdComplaint(err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return ErrUsage{fmt.Errorf("unknown flag: --%s", name)}
	}
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return ErrUsage{err}
}

// readEtcdEnvironment gives the flags that are acted on and were not given the values of etcd's variables.
func readEtcdEnvironment(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(flag *flag.Flag) { given[flag.Name] = true })
	for _, k := range etcdFlags() {
		name := "ETCD_" + strings.ToUpper(strings.ReplaceAll(k.name, "-", "_"))
		value := os.Getenv(name)
		if k.word != "acts" || given[k.name] || value == "" {
			continue
		}
		if err := f.Set(k.name, value); err != nil {
			return ErrUsage{fmt.Errorf("%s=%s: %w", name, value, err)}
		}
	}
	return nil
}

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
		if errors.Is(err, syscall.EADDRINUSE) {
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

// serveEtcd answers what is asked of an etcd before and beside its data: whether it is healthy, and which version it is.
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

// localAlone answers those on this machine. Others are not told where its files are.
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
