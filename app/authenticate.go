package app

import (
	"crypto/rand"
	"fmt"
	"net"

	"kubarium/server/audit"
	"kubarium/server/authn"
	"kubarium/server/loopback"
	"kubarium/server/registry"
)

// read reads the files of keys, certificates, tokens, plugins and audit, before the database is touched.
func (p *Program) read(c Config) (err error) {
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
	p.audit, err = audit.Open(c.Audit.orNone())
	return elsewhere(err, "say --audit-log-path FILE for one that can be written")
}

// authenticate makes what is missing of keys and certificates, now that the database is ours, and says who is believed.
func (p *Program) authenticate(c Config, r *registry.Registry) (*authn.Station, error) {
	if err := p.credentials.complete(); err != nil {
		return nil, c.elsewhere(fmt.Errorf("keep the key of tokens: %w", err))
	}
	if err := p.frontProxy.complete(p.credentials.folder); err != nil {
		return nil, c.elsewhere(err)
	}
	o := authn.Options{Authorizer: r.Authorizer, RequestHeaders: p.frontProxy.believe, StaticTokens: p.credentials.tokens, Anonymous: c.Authn.Anonymous,
		Restored: func() int64 { return int64(r.Cache.Restored()) }}
	server := p.URL
	if p.Secure != "" {
		if err := p.certificate.complete(p.credentials.folder, c.hosts(p.listeners.secure.Addr()), p.credentials.clientCA); err != nil {
			return nil, c.elsewhere(err)
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
	if p.listeners.plain == nil {
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
