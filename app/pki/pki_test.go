package pki_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	certutil "k8s.io/client-go/util/cert"

	"kubarium/app/pki"
)

func mustCA(t *testing.T) *pki.CA {
	t.Helper()
	ca, err := pki.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// What a CA signs is believed by whoever believes the CA, for its use and its names alone; and a CA that was kept is the same.
func TestCA(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "k.db.pki")
	ca := mustCA(t)
	if err := ca.Write(folder); err != nil {
		t.Fatal(err)
	}
	ca, err := pki.ReadCA(folder)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM())
	serving, key, err := ca.Serve([]string{"kubernetes.default"}, []net.IP{net.IPv4(192, 0, 2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(serving, key); err != nil {
		t.Error(err)
	}
	chain, err := certutil.ParseCertsPEM(serving)
	if err != nil || len(chain) != 2 || !chain[1].IsCA || !ca.Signed(chain[0]) || mustCA(t).Signed(chain[0]) {
		t.Fatalf("%d certificates, %v", len(chain), err)
	}
	for _, name := range []string{"kubernetes.default", "192.0.2.1"} {
		if _, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Error(err)
		}
	}
	if _, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "example.com"}); err == nil {
		t.Error("the certificate is for everybody")
	}
	client, _, err := ca.Client("alice", []string{"dev", "ops"})
	if err != nil {
		t.Fatal(err)
	}
	certs, err := certutil.ParseCertsPEM(client)
	if err != nil || certs[0].Subject.String() != "CN=alice,O=dev+O=ops" {
		t.Fatalf("%v %v", certs, err)
	}
	if _, err := certs[0].Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		t.Error(err)
	}
	if _, err := certs[0].Verify(x509.VerifyOptions{Roots: roots}); err == nil {
		t.Error("a client's certificate serves")
	}
}

// Files are for their owner alone; what is missing is told apart from what is broken.
func TestRead(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "k.db.pki")
	_, noCA := pki.ReadCA(folder)
	_, noKey := pki.ReadAccountKey(folder)
	if !errors.Is(noCA, fs.ErrNotExist) || !errors.Is(noKey, fs.ErrNotExist) {
		t.Errorf("%v, %v", noCA, noKey)
	}
	key, err := pki.NewAccountKey(folder)
	if err != nil {
		t.Fatal(err)
	}
	again, err := pki.ReadAccountKey(folder)
	if err != nil || !reflect.DeepEqual(key, again) {
		t.Errorf("another key: %v", err)
	}
	if err := mustCA(t).Write(folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 && runtime.GOOS != "windows" { // where modes are made up
			t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
		}
	}
	other := mustCA(t)
	if err := os.WriteFile(filepath.Join(folder, "ca.crt"), other.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pki.ReadCA(folder); err == nil {
		t.Error("a CA has the key of another")
	}
	if err := os.Remove(filepath.Join(folder, "ca.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := pki.ReadCA(folder); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a CA without its key: %v", err)
	}
}

func TestFolder(t *testing.T) {
	if pki.Folder(":memory:") != "" || pki.Folder("a/k.db") != "a/k.db.pki" {
		t.Error(pki.Folder(":memory:"), pki.Folder("a/k.db"))
	}
}
