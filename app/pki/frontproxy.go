package pki

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FrontProxyName is the user of the certificate by which servers behind an APIService know that it is Kubarium who
// asks, as kubeadm names it.
const FrontProxyName = frontProxyClient

// A FrontProxy is that certificate with its key, and the CA that has signed it, all as text.
type FrontProxy struct {
	CA        []byte
	Cert, Key []byte
}

// NewFrontProxy reads the front proxy's CA and certificate in a folder, and makes and keeps what is missing or nearly
// over there; for "" nothing is kept.
func NewFrontProxy(folder string) (*FrontProxy, error) {
	ca, err := ReadFrontProxyCA(folder)
	if err != nil {
		return nil, err
	}
	if ca == nil {
		if ca, err = newCA("kubarium-front-proxy-ca"); err != nil {
			return nil, err
		}
		if err := keep(folder, func() error { return ca.write(folder, frontProxyCA) }); err != nil {
			return nil, err
		}
	}
	p := &FrontProxy{CA: ca.PEM()}
	if p.read(folder, ca) {
		return p, nil
	}
	if p.Cert, p.Key, err = ca.Client(FrontProxyName, nil); err != nil {
		return nil, err
	}
	return p, keep(folder, func() error { return writePair(folder, frontProxyClient, p.Cert, p.Key) })
}

// ReadFrontProxyCA reads the CA in a folder, nil where there is none.
func ReadFrontProxyCA(folder string) (*CA, error) {
	if folder == "" {
		return nil, nil
	}
	ca, err := readCA(folder, frontProxyCA)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ca, err
}

// keep writes where there is a folder to write to.
func keep(folder string, write func() error) error {
	if folder == "" {
		return nil
	}
	if err := write(); err != nil {
		return fmt.Errorf("keep the certificate of the front proxy: %w", err)
	}
	return nil
}

// NearlyOver is how long before its end a certificate of ours is made again.
const NearlyOver = 30 * 24 * time.Hour

// read reads the certificate in a folder, if there is one that is good.
func (p *FrontProxy) read(folder string, ca *CA) bool {
	if folder == "" {
		return false
	}
	cert, err := os.ReadFile(filepath.Join(folder, frontProxyClient+certExt))
	if err != nil {
		return false
	}
	key, err := os.ReadFile(filepath.Join(folder, frontProxyClient+keyExt))
	if err != nil {
		return false
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return false
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil || !ca.Signed(leaf) || time.Until(leaf.NotAfter) < NearlyOver {
		return false
	}
	p.Cert, p.Key = cert, key
	return true
}
