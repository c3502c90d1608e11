package port

import (
	"fmt"
	"net"
)

// Listen takes an address that a flag says. Its error is an InUse where something else has it.
func Listen(address, flag string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if IsTaken(err) {
		return nil, InUse{Address: address, flag: flag}
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// InUse is the error about an address that something else has.
type InUse struct {
	Address string
	flag    string
}

func (e InUse) Error() string {
	return fmt.Sprintf("port in use: something serves on %s already; say %s 127.0.0.1:0 for a free port", e.Address, e.flag)
}

// IsLoopback reports whether an address to listen on is this machine's alone.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
