package port_test

import (
	"net"
	"testing"

	"kubarium/app/port"
)

func TestPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if _, err := net.Listen("tcp", address); !port.IsTaken(err) || port.IsClosed(err) {
		t.Errorf("a second listener: %v", err)
	}
	l.Close()
	if _, err := net.Dial("tcp", address); !port.IsClosed(err) || port.IsTaken(err) {
		t.Errorf("nobody listens: %v", err)
	}
}
