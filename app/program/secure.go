package program

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	certutil "k8s.io/client-go/util/cert"

	"kubarium/app/pki"
	"kubarium/app/port"
)

// A Secure says where HTTPS is served, and by which certificate.
type Secure struct {
	Listen   string // address and port; "" for none
	CertFile string // the serving certificate; "" for one in CertDir
	KeyFile  string
	CertDir  string // where apiserver.crt and apiserver.key are, or are made; "" for the folder next to the database
}

// flags declares the flags.
func (s *Secure) flags(f *pflag.FlagSet) {
	f.StringVar(&s.Listen, "secure-listen", "", "address to serve HTTPS on, such as 127.0.0.1:6443; port 0 picks a free one")
	f.StringVar(&s.CertFile, "tls-cert-file", "", "serving certificate, followed by that of its CA (default: one signed by the CA next to the database)")
	f.StringVar(&s.KeyFile, "tls-private-key-file", "", "private key of --tls-cert-file")
	f.StringVar(&s.CertDir, "cert-dir", "", "folder of apiserver.crt and apiserver.key, which are created if they are missing; --tls-cert-file takes precedence (default: the folder next to the database)")
}

// check refuses what cannot be served. everybodyMay says that everything is allowed to everybody.
func (s *Secure) check(everybodyMay bool) error {
	if (s.CertFile == "") != (s.KeyFile == "") {
		return errors.New("--tls-cert-file and --tls-private-key-file must be set together")
	}
	if s.Listen == "" {
		if s.CertFile != "" || s.CertDir != "" {
			return errors.New("--tls-cert-file and --cert-dir need --secure-listen ADDRESS")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return fmt.Errorf("--secure-listen must be HOST:PORT, not %q", s.Listen)
	}
	if everybodyMay && !port.IsLoopback(host) {
		return fmt.Errorf("--secure-listen %s is beyond the loopback interface, and --authorization-mode AlwaysAllow would let everybody do everything there", s.Listen)
	}
	return nil
}

// A certificate is what HTTPS shows, and whom it believes.
type certificate struct {
	ca       *pki.CA // nil until it is made
	files    [2]string
	serving  dynamiccertificates.CertKeyContentProvider    // nil until it is made
	own      dynamiccertificates.SNICertKeyContentProvider // shown to Kubarium's own loops, whatever the others are shown
	clientCA dynamiccertificates.CAContentProvider
	hosts    hosts
}

// read reads the files that are there, and makes none.
func (s *Secure) read(folder string) (*certificate, error) {
	c := &certificate{}
	if s.Listen == "" {
		return c, nil
	}
	var err error
	if folder != "" {
		if c.ca, err = pki.ReadCA(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	switch dir := s.CertDir; {
	case s.CertFile != "":
		c.serving, err = dynamiccertificates.NewDynamicServingContentFromFiles("serving-cert", s.CertFile, s.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert-file: %w", err)
		}
		return c, nil
	case dir != "":
		folder = dir
	}
	if folder == "" {
		return c, nil
	}
	c.files = [2]string{filepath.Join(folder, "apiserver.crt"), filepath.Join(folder, "apiserver.key")}
	there, err := certutil.CanReadCertAndKey(c.files[0], c.files[1])
	if err == nil && there {
		c.serving, err = dynamiccertificates.NewDynamicServingContentFromFiles("serving-cert", c.files[0], c.files[1])
	}
	if err != nil {
		return nil, fmt.Errorf("serving certificate: %w", err)
	}
	return c, nil
}

// complete makes what is missing for a server that is found under these names: the CA, and a serving certificate. One
// that the CA has signed is made again when its time is nearly over or it lacks an address. folder is where the CA is
// kept, "" for nowhere.
func (c *certificate) complete(folder string, found hosts, given dynamiccertificates.CAContentProvider) (err error) {
	if c.ca == nil {
		if c.ca, err = pki.NewCA(); err != nil {
			return err
		}
		if folder != "" {
			if err := c.ca.Write(folder); err != nil {
				return fmt.Errorf("keep the CA: %w", err)
			}
		}
	}
	if c.clientCA, err = dynamiccertificates.NewStaticCAContent("kubarium-ca", c.ca.PEM()); err != nil {
		return err
	}
	if given != nil {
		c.clientCA = dynamiccertificates.NewUnionCAContentProvider(c.clientCA, given)
	}
	cert, key, err := c.ca.Serve([]string{ownName}, nil)
	if err != nil {
		return err
	}
	if c.own, err = dynamiccertificates.NewStaticSNICertKeyContent("loopback", cert, key, ownName); err != nil {
		return err
	}
	c.hosts = found
	if c.serving != nil && !c.isStale() {
		return nil
	}
	if cert, key, err = c.ca.Serve(c.hosts.names, c.hosts.ips); err != nil {
		return err
	}
	if c.files[0] == "" {
		c.serving, err = dynamiccertificates.NewStaticCertKeyContent("serving-cert", cert, key)
		return err
	}
	for i, text := range [][]byte{cert, key} {
		if err := pki.WriteFile(c.files[i], text); err != nil {
			return fmt.Errorf("keep the serving certificate: %w", err)
		}
	}
	c.serving, err = dynamiccertificates.NewDynamicServingContentFromFiles("serving-cert", c.files[0], c.files[1])
	return err
}

// ownName is the name under which Kubarium's own loops ask for the server, as kube-apiserver's own do.
const ownName = "apiserver-loopback-client"

// ownClient is how Kubarium's own loops know the server.
func (c *certificate) ownClient() *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(c.ca.Certificate)
	return &tls.Config{RootCAs: roots, ServerName: ownName, MinVersion: tls.VersionTLS12}
}

// root is the certificate by which the serving certificate is checked: that of the CA, or the last of those that are
// shown.
func (c *certificate) root() []byte {
	text, _ := c.serving.CurrentCertKeyContent()
	certs, err := certutil.ParseCertsPEM(text)
	if err != nil || c.ca.Signed(certs[0]) {
		return c.ca.PEM()
	}
	last, err := certutil.EncodeCertificates(certs[len(certs)-1])
	if err != nil {
		return c.ca.PEM()
	}
	return last
}

// isStale reports whether the serving certificate is one of ours that no longer fits.
func (c *certificate) isStale() bool {
	text, _ := c.serving.CurrentCertKeyContent()
	certs, err := certutil.ParseCertsPEM(text)
	if err != nil || c.files[0] == "" || certs[0].Subject.CommonName != "kubarium" {
		return false
	}
	return !c.ca.Signed(certs[0]) || time.Until(certs[0].NotAfter) < pki.NearlyOver || !c.hosts.all(certs[0])
}

// A hosts is all names and addresses under which a server is found.
type hosts struct {
	names []string
	ips   []net.IP
}

func (h *hosts) add(ip net.IP) {
	if !slices.ContainsFunc(h.ips, ip.Equal) {
		h.ips = append(h.ips, ip)
	}
}

// all reports whether a certificate is for all of them.
func (h hosts) all(c *x509.Certificate) bool {
	for _, name := range h.names {
		if c.VerifyHostname(name) != nil {
			return false
		}
	}
	for _, ip := range h.ips {
		if c.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	return true
}

// config is the official configuration of TLS, which follows changes of the files until ctx ends. Client certificates
// are asked for and not demanded: who brings a wrong one gets an answer, 401.
func (c *certificate) config(ctx context.Context, proxies dynamiccertificates.CAContentProvider) (*tls.Config, error) {
	asked := dynamiccertificates.NewUnionCAContentProvider(c.clientCA, proxies) // those whose certificates a client is asked for
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, ClientAuth: tls.RequestClientCert}
	follower := dynamiccertificates.NewDynamicServingCertificateController(config, asked, c.serving,
		[]dynamiccertificates.SNICertKeyContentProvider{c.own}, nil)
	asked.AddListener(follower)
	for _, files := range []any{c.clientCA, c.serving} {
		if runner, ok := files.(dynamiccertificates.ControllerRunner); ok {
			go runner.Run(ctx, 1)
		}
	}
	c.serving.(dynamiccertificates.Notifier).AddListener(follower)
	if err := follower.RunOnce(); err != nil {
		return nil, err
	}
	go follower.Run(1, ctx.Done())
	config.GetConfigForClient = follower.GetConfigForClient
	return config, nil
}

// reachable is the address of a listener as a URL's host: on all interfaces it is found on the loopback interface.
func reachable(listen net.Addr) string {
	a := *listen.(*net.TCPAddr)
	if a.IP.IsUnspecified() {
		a.IP = net.IPv4(127, 0, 0, 1)
	}
	return a.String()
}

// advertised is the address of a listener as other machines know it, chosen as kube-apiserver does.
func advertised(listen net.Addr) string {
	a := *listen.(*net.TCPAddr)
	if a.IP.IsUnspecified() {
		if ip, err := utilnet.ResolveBindAddress(a.IP); err == nil {
			a.IP = ip
		}
	}
	return a.String()
}
