package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"kubarium/flow"
)

// listen takes the ports before anything else is touched.
func (p *Program) listen(c Config) (err error) {
	if p.listeners, err = openListeners(c); err != nil {
		return err
	}
	p.closers.push(func() error { p.listeners.close(); return nil })
	p.served = make(chan error, len(p.listeners.all()))
	p.URL, p.Secure = p.listeners.urls()
	if l := p.listeners.command; l != nil {
		p.CommandURL = "http://" + l.Addr().String()
	}
	return nil
}

// maxHeader bounds the headers of a request, in bytes: net/http's own default.
const maxHeader = 1 << 20

// serve begins to answer: on plain ports HTTP/1.1, and HTTP/2 by prior knowledge; by HTTPS what the client asks
// for (ALPN). The files of certificates are followed until ctx ends.
func (p *Program) serve(ctx context.Context) error {
	p.closers.push(p.finish)
	if p.listeners.secure != nil {
		config, err := p.certificate.config(ctx, p.frontProxy.believe.CA)
		if err != nil {
			return fmt.Errorf("serving certificate: %w", err)
		}
		s := p.newServer(p.handler())
		s.TLSConfig = config
		s.Protocols.SetHTTP2(true)
		go func() { p.served <- s.ServeTLS(p.listeners.secure, "", "") }()
	}
	if p.listeners.plain != nil {
		p.servePlain(p.listeners.plain, p.handler())
	}
	if p.listeners.command != nil {
		p.servePlain(p.listeners.command, p.api.Via(flow.ViaRun))
	}
	return nil
}

// servePlain serves HTTP/1.1, and HTTP/2 by prior knowledge.
func (p *Program) servePlain(l net.Listener, h http.Handler) {
	s := p.newServer(h)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { p.served <- s.Serve(l) }()
}

// newServer is a server of HTTP/1.1, one of the Program's.
func (p *Program) newServer(h http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	s := &http.Server{
		Handler: h, Protocols: &protocols, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 3 * time.Minute,
		ConnState: p.silent.changed,
		ErrorLog:  slog.NewLogLogger(p.logger.Handler(), slog.LevelDebug),
	}
	p.servers = append(p.servers, s)
	return s
}

// Wait returns when ctx ends, or when a port of the Program serves no longer.
func (p *Program) Wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case err := <-p.served:
		p.served <- err
	}
}

// shutdown ends all servers: what is under way may finish until ctx ends.
func (p *Program) shutdown(ctx context.Context) error {
	errs := make([]error, len(p.servers))
	var wg sync.WaitGroup
	for i, s := range p.servers {
		wg.Go(func() {
			errs[i] = s.Shutdown(ctx)
			if errors.Is(errs[i], context.DeadlineExceeded) {
				errs[i] = s.Close()
			}
		})
	}
	wg.Wait()
	for range p.servers {
		if err := <-p.served; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
