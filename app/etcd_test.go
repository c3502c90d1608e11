package app_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/etcdstore/etcdtest"
)

// What cannot be a store is told in one line, before anything is reached.
func TestStore_flags(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--store", "http://127.0.0.1:2379"}, "--store must be etcd://HOST:PORT,HOST:PORT/PREFIX, not"},
		{[]string{"--store", "etcd://"}, `"" is not a host and a port`},
		{[]string{"--store", "etcd://a:2379,b/k"}, `"b" is not a host and a port`},
		{[]string{"--store", "etcd://a:2379/k?x=y"}, "and not more"},
		{[]string{"--etcd-cafile", "ca.crt"}, "are for --store"},
		{[]string{"--etcd-compact-shared"}, "are for --store"},
		{[]string{"--store", "etcd://a:2379", "--etcd-certfile", "c.crt"}, "must be set together"},
		{[]string{"--store", "etcd://a:2379", "--etcd-cafile", "nothing.crt"}, "nothing.crt"},
		{[]string{"--store", "etcd://a:2379", "--db", "k.db"}, "--store and --db exclude each other"},
	} {
		code, out, errs := run(append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
		if code == 0 || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %q, %q; want %q", c.args, code, out, errs, c.want)
		}
	}
}

// With TLS etcd and Kubarium know each other by their certificates; and who has none is not let in.
func TestStore_TLS(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	dir := t.TempDir()
	ca, err := pki.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	serving, servingKey, err := ca.Serve(nil, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := ca.Client("kubarium", nil)
	if err != nil {
		t.Fatal(err)
	}
	address := frontOf(t, strings.TrimPrefix(cluster.Endpoints()[0], "http://"), ca, serving, servingKey)
	c := program.Config{Listen: "127.0.0.1:0", Secure: program.Secure{Listen: "127.0.0.1:0"}, History: 5 * time.Minute, Sync: "full", Store: program.Etcd{URL: "etcd://" + address + "/tls",
		CAFile: write("ca.crt", ca.PEM()), CertFile: write("c.crt", cert), KeyFile: write("c.key", key)}}
	c.Admission.Disable = []string{"ServiceAccount"}
	p := programtest.MustStartConfig(t, c)
	programtest.Send(t, programtest.NewClient(), "POST", p.URL+killedPath, []byte(`{"metadata":{"name":"a"}}`))
	code, out, errs := run("kubeconfig", "--server", p.Secure, "--user", "ann", "--store", c.Store.URL, "--etcd-cafile", c.Store.CAFile, "--etcd-certfile", c.Store.CertFile, "--etcd-keyfile", c.Store.KeyFile)
	if code != 0 || !strings.Contains(out, "client-certificate-data") {
		t.Errorf("kubeconfig: %d %s%s", code, out, errs)
	}
	if testing.Short() {
		return
	}
	code, out, errs = run("kubeconfig", "--server", p.Secure, "--user", "ann", "--store", c.Store.URL, "--etcd-cafile", c.Store.CAFile)
	if code != 1 || out != "" || !strings.Contains(errs, "no answer from etcd://") {
		t.Errorf("without a certificate: %d %s%s", code, out, errs)
	}
}

// frontOf leads to a member of etcd by TLS, for those alone whose certificate the CA has signed.
func frontOf(t *testing.T, member string, ca *pki.CA, cert, key []byte) string {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(ca.Certificate)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: known, ClientAuth: tls.RequireAndVerifyClientCert, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer from.Close()
				to, err := net.Dial("tcp", member)
				if err != nil {
					return
				}
				defer to.Close()
				go func() { _, _ = io.Copy(to, from); to.Close() }()
				_, _ = io.Copy(from, to)
			}()
		}
	}()
	return l.Addr().String()
}
