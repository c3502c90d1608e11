//go:build unix

package envtest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	certutil "k8s.io/client-go/util/cert"
)

// An authority signs certificates as envtest's does.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newCert signs a certificate by a, or by itself if that is nil.
func newCert(t *testing.T, a *authority, c x509.Certificate) *authority {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now(), time.Now().Add(7*24*time.Hour)
	if a == nil {
		a = &authority{&c, key}
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, &c, a.cert, key.Public(), a.key))
	return &authority{must[*x509.Certificate](t)(x509.ParseCertificate(der)), key}
}

func newAuthority(t *testing.T) *authority {
	return newCert(t, nil, x509.Certificate{
		Subject: pkix.Name{CommonName: "envtest-environment", Organization: []string{"envtest"}}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageCertSign,
	})
}

func (a *authority) pem() (cert, key []byte) {
	der, _ := x509.MarshalPKCS8PrivateKey(a.key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// write keeps the certificate, and the key if a file is named for it.
func (a *authority) write(t *testing.T, certFile, keyFile string) {
	t.Helper()
	cert, key := a.pem()
	for file, text := range map[string][]byte{certFile: cert, keyFile: key} {
		if filepath.Base(file) == "-" {
			continue
		}
		if err := os.WriteFile(file, text, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

// mustReadLastCert is the last certificate in a file: that of the CA, where it comes along.
func mustReadLastCert(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	certs, err := certutil.CertsFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return certs[len(certs)-1]
}
