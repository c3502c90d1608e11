package program

import (
	"net"
	"net/http"
	"sync"
)

// silent are the connections on which nothing was ever sent. http.Server.Shutdown waits five seconds for each of them
// to speak; a client that dialled one too many must not delay the end.
type silent struct {
	mu    sync.Mutex // guards conns
	conns map[net.Conn]bool
}

// changed is the hook of http.Server.ConnState.
func (s *silent) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != http.StateNew {
		delete(s.conns, c)
		return
	}
	if s.conns == nil {
		s.conns = map[net.Conn]bool{}
	}
	s.conns[c] = true
}

// close closes them all.
func (s *silent) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}
