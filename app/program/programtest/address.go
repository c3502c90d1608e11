package programtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
)

// Ports are given from below those that a system gives to listeners that ask for any, each once in a process, from a
// place that is another one in each.
const firstPort, ports = 10_000, 20_000

var lastPort atomic.Uint32

func init() { lastPort.Store(rand.Uint32N(ports)) }

// FreeAddress returns an address of this machine, "127.0.0.1:12345", without a listener, for a program that is started
// later or more than once.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var err error
	for range 100 {
		address := fmt.Sprint("127.0.0.1:", firstPort+lastPort.Add(1)%ports)
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal(err)
	return ""
}
