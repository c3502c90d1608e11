package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kubarium/app/cli"
)

// An Etcd says in which etcd cluster the objects are, instead of a file.
type Etcd struct {
	URL                       string // "etcd://h1:2379,h2:2379/prefix"; "" for none
	CAFile, CertFile, KeyFile string // TLS, by kube-apiserver's names; plain connections without
	Shared                    bool   // compact a cluster that others use too
	Flag                      string // that says the URL; "" for --store

	db *pflag.Flag // --db, where the command has both; nil otherwise
}

func (e *Etcd) Flags(f *pflag.FlagSet) {
	e.db = f.Lookup("db")
	f.StringVar(&e.URL, "store", "", "etcd cluster that keeps the objects instead of --db, such as etcd://10.0.0.1:2379,10.0.0.2:2379/kubarium; several servers can use the same")
	e.ConnectionFlags(f)
}

// ConnectionFlags are the flags of TLS.
func (e *Etcd) ConnectionFlags(f *pflag.FlagSet) {
	f.StringVar(&e.CAFile, "etcd-cafile", "", "CA certificates by which those of etcd are checked; with it, or a certificate, connections to etcd are TLS")
	f.StringVar(&e.CertFile, "etcd-certfile", "", "client certificate for etcd")
	f.StringVar(&e.KeyFile, "etcd-keyfile", "", "private key of --etcd-certfile")
}

// etcdScheme begins the URL of a store in etcd.
const etcdScheme = "etcd://"

// defaultPrefix is where the keys of a store are that names no prefix.
const defaultPrefix = "/kubarium"

// parse reads the addresses of the members and the prefix of all keys, which has no "/" at its end.
func (e *Etcd) parse() (members []string, prefix string, err error) {
	form := cmp.Or(e.Flag, "--store") + " must be etcd://HOST:PORT,HOST:PORT/PREFIX"
	rest, ok := strings.CutPrefix(e.URL, etcdScheme)
	if !ok {
		return nil, "", cli.Misuse(fmt.Errorf("%s, not %q", form, e.URL))
	}
	hosts, prefix, _ := strings.Cut(rest, "/")
	for host := range strings.SplitSeq(hosts, ",") {
		if name, port, err := net.SplitHostPort(host); err != nil || name == "" || port == "" {
			return nil, "", cli.Misuse(fmt.Errorf("%s: %q is not a host and a port", form, host))
		}
		members = append(members, host)
	}
	if strings.ContainsAny(prefix, "?#\\") {
		return nil, "", cli.Misuse(fmt.Errorf("%s, and not more: %q", form, prefix))
	}
	if prefix = path.Join("/", prefix); prefix == "/" {
		prefix = defaultPrefix
	}
	return members, prefix, nil
}

// whole is the URL with the prefix that the keys begin with, said or not.
func (e *Etcd) whole(prefix string) string {
	hosts, _, _ := strings.Cut(strings.TrimPrefix(e.URL, etcdScheme), "/")
	return etcdScheme + hosts + prefix
}

// Check refuses flags that make no sense.
func (e *Etcd) Check() error {
	if e.URL == "" {
		if e.CAFile != "" || e.CertFile != "" || e.KeyFile != "" || e.Shared {
			return errors.New("--etcd-cafile, --etcd-certfile, --etcd-keyfile and --etcd-compact-shared are for --store etcd://…")
		}
		return nil
	}
	if e.db != nil && e.db.Changed {
		return errors.New("--store and --db exclude each other: the objects are in one of them")
	}
	if (e.CertFile == "") != (e.KeyFile == "") {
		return errors.New("--etcd-certfile and --etcd-keyfile must be set together")
	}
	_, _, err := e.parse()
	return err
}

// etcdPatience is how long the first connection to etcd may take.
const etcdPatience = 10 * time.Second

// Connect makes a client of the cluster that has answered once, with the times of kube-apiserver's.
func (e *Etcd) Connect(ctx context.Context) (*clientv3.Client, string, error) {
	members, prefix, err := e.parse()
	if err != nil {
		return nil, "", err
	}
	c := clientv3.Config{
		Endpoints: members, DialTimeout: 20 * time.Second, DialKeepAliveTime: 30 * time.Second, DialKeepAliveTimeout: 10 * time.Second,
		Logger: zap.NewNop(), // errors are reported where they matter
	}
	if e.CAFile != "" || e.CertFile != "" {
		t := transport.TLSInfo{TrustedCAFile: e.CAFile, CertFile: e.CertFile, KeyFile: e.KeyFile}
		if c.TLS, err = t.ClientConfig(); err != nil {
			return nil, "", fmt.Errorf("the certificates for etcd: %w", err)
		}
	}
	client, err := clientv3.New(c)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", e.URL, err)
	}
	ctx, cancel := context.WithTimeout(ctx, etcdPatience)
	defer cancel()
	if _, err := client.Get(ctx, prefix, clientv3.WithCountOnly()); err != nil {
		return nil, "", errors.Join(fmt.Errorf("no answer from %s within %s: %w", e.URL, etcdPatience, err), client.Close())
	}
	return client, prefix, nil
}
