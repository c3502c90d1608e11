package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"time"

	certutil "k8s.io/client-go/util/cert"

	"kubarium/app/pki"
	"kubarium/app/port"
)

// rootOf is the certificate, as text, by which that of a server is checked: of the CA in a folder, if that has signed
// it or if no server answers; else, on the loopback interface, the last certificate that the server shows, which is
// the only source for a server in memory or with a foreign certificate.
func rootOf(server *url.URL, folder, where string) ([]byte, error) {
	var ca *pki.CA
	if folder != "" {
		var err error
		if ca, err = pki.ReadCA(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	shown, err := shownBy(server)
	switch {
	case err != nil && ca != nil:
		return ca.PEM(), nil
	case err != nil:
		return nil, fmt.Errorf("no server answers at %s, and there is no CA %s: %w", server, where, err)
	case ca != nil && ca.Signed(shown[0]):
		return ca.PEM(), nil
	case !port.IsLoopback(server.Hostname()):
		return nil, fmt.Errorf("no CA %s has signed the certificate of %s", where, server)
	}
	return certutil.EncodeCertificates(shown[len(shown)-1])
}

// shownBy are the certificates that a server shows. They are read and not believed.
func shownBy(server *url.URL) ([]*x509.Certificate, error) {
	address := server.Host
	if server.Port() == "" {
		address = net.JoinHostPort(server.Hostname(), "443")
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	conn, err := tls.DialWithDialer(dialer, "tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates, nil
}
