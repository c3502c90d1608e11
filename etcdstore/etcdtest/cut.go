package etcdtest

import (
	"context"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
)

// A wire is all that one member has to do with clients, or with the other members. Cluster.mu guards it.
type wire struct {
	cut   bool
	flows map[*flow]bool
}

// A flow is a connection with a client, or a request of one member to another, that goes through the test.
type flow struct{ end func() }

// Cut cuts the member off from clients and from the other members: what flows between them ends, and nothing new
// begins until Mend. The process lives.
func (m *Member) Cut() { m.cluster.cut(&m.clients, &m.peers) }

// Isolate cuts the member off from the other members alone: clients still ask it.
func (m *Member) Isolate() { m.cluster.cut(&m.peers) }

// Mend undoes Cut and Isolate.
func (m *Member) Mend() {
	m.cluster.mu.Lock()
	defer m.cluster.mu.Unlock()
	m.clients.cut, m.peers.cut = false, false
}

func (c *Cluster) cut(wires ...*wire) {
	c.mu.Lock()
	var all []*flow
	for _, w := range wires {
		w.cut = true
		all = slices.AppendSeq(all, maps.Keys(w.flows))
	}
	c.mu.Unlock()
	for _, f := range all {
		f.end()
	}
}

// begin lets a flow begin, if none of the wires that it goes by is cut; done is for its end.
func (c *Cluster) begin(f *flow, by ...*wire) (done func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range by {
		if w.cut {
			return nil, false
		}
	}
	for _, w := range by {
		w.flows[f] = true
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, w := range by {
			delete(w.flows, f)
		}
	}, true
}

// listen takes a port that the kernel gives, until the test ends. The member itself listens on sockets, so the port
// is never free for others until then.
func (m *Member) listen() net.Listener {
	m.cluster.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.cluster.t.Fatal(err)
	}
	m.cluster.t.Cleanup(func() { _ = l.Close() })
	return l
}

// serveClients carries bytes between clients and the member.
func (m *Member) serveClients() string {
	l := m.listen()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go m.carry(conn)
		}
	}()
	return httpURL(l.Addr().String())
}

func (m *Member) carry(client net.Conn) {
	defer client.Close()
	member, err := net.Dial("unix", filepath.Join(m.dir, clientSocket))
	if err != nil {
		return
	}
	end := func() { _, _ = client.Close(), member.Close() }
	defer end()
	done, ok := m.cluster.begin(&flow{end}, &m.clients)
	if !ok {
		return
	}
	defer done()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(member, client); end() })
	both.Go(func() { _, _ = io.Copy(client, member); end() })
	both.Wait()
}

// servePeers carries requests of other members to the member. A header says who sends them; those without it have no
// part in what the cluster agrees on.
func (m *Member) servePeers() string {
	quiet := log.New(io.Discard, "", 0)
	socket := filepath.Join(m.dir, peerSocket)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: m.name}) },
		Transport:     transport,
		FlushInterval: -1, // streams of messages never end
		ErrorLog:      quiet,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	l := m.listen()
	server := &http.Server{ErrorLog: quiet, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		done, ok := m.cluster.begin(&flow{cancel}, m.cluster.between(r, m)...)
		if !ok {
			panic(http.ErrAbortHandler)
		}
		defer done()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})}
	go func() { _ = server.Serve(l) }()
	m.cluster.t.Cleanup(func() {
		_ = server.Close()
		transport.CloseIdleConnections()
	})
	return httpURL(l.Addr().String())
}

// between are the wires that a request goes by, as far as its header says.
func (c *Cluster) between(r *http.Request, to *Member) []*wire {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from := c.byID[r.Header.Get("X-Server-From")]; from != nil {
		return []*wire{&from.peers, &to.peers}
	}
	return []*wire{&to.peers}
}
