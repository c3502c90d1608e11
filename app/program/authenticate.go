package program

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"kubarium/app/remedy"
	"kubarium/server/audit"
	"kubarium/server/authn"
	"kubarium/server/loopback"
	"kubarium/server/registry"
)

// read reads the files of keys, certificates, tokens, plugins and audit, before the database is touched.
func (p *Program) read(c Config) (err error) {
	p.config = c
	p.closers.push(p.endFiles)
	folder := c.folder()
	if p.credentials, err = c.Authn.read(folder); err != nil {
		return c.beside(err)
	}
	if p.certificate, err = c.Secure.read(folder); err != nil {
		return c.beside(err)
	}
	if p.frontProxy, err = c.FrontProxy.read(); err != nil {
		return c.beside(err)
	}
	p.inherit(c.origin)
	if err := c.Admission.Read(); err != nil {
		return err
	}
	if p.audit, err = audit.Open(c.Audit.orNone()); err != nil {
		return remedy.Add(err, "say --audit-log-path FILE for one that can be written")
	}
	p.closers.push(p.audit.Close)
	return nil
}

// endFiles ends what follows the files. A queue of theirs ends with Run alone, also where Run was never called.
func (p *Program) endFiles() error {
	ended, end := context.WithCancel(context.Background())
	end()
	var all []any
	if p.credentials != nil {
		all = append(all, p.credentials.clientCA)
	}
	if p.certificate != nil {
		all = append(all, p.certificate.serving)
	}
	if p.frontProxy != nil {
		all = append(all, p.frontProxy.client, p.frontProxy.given)
	}
	for _, files := range all {
		if runner, ok := files.(dynamiccertificates.ControllerRunner); ok {
			runner.Run(ended, 1)
		}
	}
	return nil
}

// authenticate makes what is missing of keys and certificates, now that the database is ours, and says who is believed.
func (p *Program) authenticate(c Config, r *registry.Registry) (*authn.Station, error) {
	if err := p.credentials.complete(); err != nil {
		return nil, c.Advise(fmt.Errorf("keep the key of tokens: %w", err))
	}
	if err := p.frontProxy.complete(p.credentials.folder); err != nil {
		return nil, c.Advise(err)
	}
	o := authn.Options{Authorizer: r.Authorizer, RequestHeaders: p.frontProxy.believe, StaticTokens: p.credentials.tokens, Anonymous: c.Authn.Anonymous,
		Restored: func() int64 { return int64(r.Cache.Restored()) }}
	server := p.URL
	if p.Secure != "" {
		if err := p.certificate.complete(p.credentials.folder, c.hosts(p.listeners.secure.Addr()), p.credentials.clientCA); err != nil {
			return nil, c.Advise(err)
		}
		o.ClientCA, o.Loopback = p.certificate.clientCA, p.credentials.loopback
		if c.Announce != "" && p.listeners.plain == nil {
			p.credentials.admin = rand.Text()
		}
		o.Admin = p.credentials.admin
		p.CA = p.certificate.root()
		server = "https://" + advertised(p.listeners.secure.Addr())
	}
	self := loopback.To(p.self()).As("tokens", "kube-apiserver")
	var err error
	if o.Tokens, err = c.Authn.newTokens(p.credentials, registry.TokenObjects{Registry: r}, &self, server); err != nil {
		return nil, err
	}
	return authn.New(o)
}

// self is the server as its own loops ask it.
func (p *Program) self() loopback.Server {
	s := loopback.Server{URL: p.URL, RootCA: p.CA}
	switch l := p.listeners.plain.(type) {
	case *inProcess:
		s.Dial = l.dial
	case nil:
		s.TLS, s.Token = p.certificate.ownClient(), p.credentials.loopback
	}
	return s
}

// address is where pods would look for the server; as is said, if something is.
func (p *Program) address(said net.IP) string {
	if said != nil && !said.IsUnspecified() {
		_, port, _ := net.SplitHostPort(p.address(nil))
		return net.JoinHostPort(said.String(), port)
	}
	if p.listeners.secure != nil {
		return p.listeners.secure.Addr().String()
	}
	return p.listeners.plain.Addr().String()
}

// NewClient makes a certificate of a user and its key, as text, which HTTPS believes.
func (p *Program) NewClient(user string, groups []string) (cert, key []byte, err error) {
	return p.certificate.ca.Client(user, groups)
}

// ClientAs is a client of the server for a part of this process; its writes belong to a field manager unless they
// name one.
func (p *Program) ClientAs(name, manager string) loopback.Client {
	return p.guards.dialer.As(name, manager)
}

// inherit gives a fork the keys of a parent that keeps them in memory.
func (p *Program) inherit(o *origin) {
	if o == nil || p.credentials.folder != "" {
		return
	}
	if p.credentials.signingKey == nil {
		p.credentials.signingKey, p.credentials.keys = o.credentials.signingKey, o.credentials.keys
	}
	if p.certificate.ca == nil {
		p.certificate.ca = o.certificate.ca
	}
}
