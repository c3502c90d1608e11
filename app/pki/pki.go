// Package pki makes and reads the keys and certificates next to a database: the CA that signs the serving certificate
// and client certificates, and the key of tokens. The files have the names that kubeadm gives them, and are for their
// owner alone. It knows nothing of who serves or asks with them.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// The files of a folder.
const (
	caName     = "ca"
	accountKey = "sa.key"

	frontProxyCA     = "front-proxy-ca"
	frontProxyClient = "front-proxy-client"

	certExt, keyExt = ".crt", ".key"
)

// Folder is where the keys and certificates of a database are, "" for one that is gone at the end.
func Folder(db string) string {
	if db == ":memory:" {
		return ""
	}
	return db + ".pki"
}

// validFor is how long a signed certificate is good: as long as those of kubeadm. The CA is good for ten years.
const validFor = 365 * 24 * time.Hour

// skew is how much earlier than now certificates begin, for clients whose clocks are late.
const skew = time.Hour

// A CA signs certificates.
type CA struct {
	Certificate *x509.Certificate
	key         crypto.Signer
}

// NewCA makes a CA.
func NewCA() (*CA, error) { return newCA("kubarium-ca") }

func newCA(name string) (*CA, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	cert, err := certutil.NewSelfSignedCACert(certutil.Config{CommonName: name, NotBefore: time.Now().Add(-skew)}, key)
	if err != nil {
		return nil, err
	}
	return &CA{cert, key}, nil
}

// ReadCA reads the CA in a folder. It is fs.ErrNotExist where there is none.
func ReadCA(folder string) (*CA, error) { return readCA(folder, caName) }

func readCA(folder, name string) (*CA, error) {
	certFile, keyFile := filepath.Join(folder, name+certExt), filepath.Join(folder, name+keyExt)
	certs, err := certutil.CertsFromFile(certFile)
	if err != nil {
		return nil, err
	}
	key, err := readKey(keyFile)
	if err != nil {
		return nil, fmt.Errorf("the key of %s: %v", certFile, err) // there is a CA, so this is not fs.ErrNotExist
	}
	switch cert := certs[0]; {
	case !cert.IsCA:
		return nil, fmt.Errorf("%s is not the certificate of a CA", certFile)
	case !samePublic(cert.PublicKey, key.Public()):
		return nil, fmt.Errorf("%s is not the key of %s", keyFile, certFile)
	}
	return &CA{certs[0], key}, nil
}

// Write keeps the CA in a folder.
func (a *CA) Write(folder string) error { return a.write(folder, caName) }

func (a *CA) write(folder, name string) error {
	key, err := keyutil.MarshalPrivateKeyToPEM(a.key)
	if err != nil {
		return err
	}
	return writePair(folder, name, a.PEM(), key)
}

// writePair keeps a certificate and its key in a folder.
func writePair(folder, name string, cert, key []byte) error {
	if err := WriteFile(filepath.Join(folder, name+keyExt), key); err != nil {
		return err
	}
	return WriteFile(filepath.Join(folder, name+certExt), cert)
}

// PEM is the certificate as text.
func (a *CA) PEM() []byte { return certPEM(a.Certificate.Raw) }

// Serve signs a certificate for a server with these names and addresses. The CA's comes after it, so that clients can
// be shown by whom it was signed.
func (a *CA) Serve(names []string, ips []net.IP) (cert, key []byte, err error) {
	cert, key, err = a.sign(x509.Certificate{
		Subject: pkix.Name{CommonName: "kubarium"}, DNSNames: names, IPAddresses: ips,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return append(cert, a.PEM()...), key, err
}

// Client signs a certificate by which a user is known, with groups.
func (a *CA) Client(user string, groups []string) (cert, key []byte, err error) {
	return a.sign(x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// sign makes a key and completes and signs its certificate.
func (a *CA) sign(c x509.Certificate) (cert, key []byte, err error) {
	private, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	if c.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 63)); err != nil {
		return nil, nil, err
	}
	c.SerialNumber.Add(c.SerialNumber, big.NewInt(1))
	c.NotBefore, c.NotAfter = time.Now().Add(-skew), time.Now().Add(validFor)
	c.KeyUsage, c.BasicConstraintsValid = x509.KeyUsageDigitalSignature, true
	der, err := x509.CreateCertificate(rand.Reader, &c, a.Certificate, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	key, err = keyutil.MarshalPrivateKeyToPEM(private)
	return certPEM(der), key, err
}

// Signed reports whether a certificate is one of this CA's.
func (a *CA) Signed(c *x509.Certificate) bool { return c.CheckSignatureFrom(a.Certificate) == nil }

// ReadAccountKey reads the key of tokens in a folder. It is fs.ErrNotExist where there is none.
func ReadAccountKey(folder string) (crypto.Signer, error) {
	return readKey(filepath.Join(folder, accountKey))
}

// NewAccountKey makes a key of tokens, and keeps it in a folder unless that is "".
func NewAccountKey(folder string) (crypto.Signer, error) {
	key, err := newKey()
	if err != nil || folder == "" {
		return key, err
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, err
	}
	return key, WriteFile(filepath.Join(folder, accountKey), text)
}

// newKey makes a key of P-256, which takes a tenth of a millisecond; one of RSA takes a hundred.
func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func readKey(file string) (crypto.Signer, error) {
	key, err := keyutil.PrivateKeyFromFile(file)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: a %T does not sign", file, key)
	}
	return signer, nil
}

func samePublic(a, b crypto.PublicKey) bool {
	key, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && key.Equal(b)
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certutil.CertificateBlockType, Bytes: der})
}

// WriteFile writes a file for its owner alone, whole or not at all.
func WriteFile(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".kubarium-*") // with 0600
	if err != nil {                                              // whose name means nothing to a reader
		return &fs.PathError{Op: "open", Path: file, Err: errors.Unwrap(err)}
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
