package program

import (
	"context"
	"errors"
	"net"
	"sync"
)

// An inProcess is a listener that only this process can reach.
type inProcess struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func newInProcess() *inProcess {
	return &inProcess{connections: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *inProcess) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.connections <- server:
		return client, nil
	case <-l.closed:
	case <-ctx.Done():
	}
	return nil, errors.Join(net.ErrClosed, client.Close(), server.Close())
}

// Accept implements net.Listener.
func (l *inProcess) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *inProcess) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener. It is an address of the loopback interface, which is what is believed.
func (l *inProcess) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
