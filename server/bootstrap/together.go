package bootstrap

import (
	"context"
	"net"
	"slices"
	"strconv"
	"time"
)

// serversEvery is how often a server looks which others serve the same store: as often as kube-apiserver does.
const serversEvery = 10 * time.Second

// together are the servers of a store as the official reconciler wants to know them. Endpoints have one list of ports
// for all addresses: if servers use several ports, those with the first one's are listed, and every server finds the
// same first one.
type together struct {
	ips  []string
	port int32
}

// findTogether returns the servers besides our own.
func findTogether(ctx context.Context, servers Servers, own string) (*together, error) {
	all, err := servers.Servers(ctx)
	if err != nil {
		return nil, err
	}
	t := new(together)
	all = append(all, own)
	slices.Sort(all)
	for _, address := range all {
		ip, text, _ := net.SplitHostPort(address)
		port, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			continue
		}
		if t.port == 0 {
			t.port = int32(port)
		}
		if t.port == int32(port) && !slices.Contains(t.ips, ip) {
			t.ips = append(t.ips, ip)
		}
	}
	return t, nil
}

// ListLeases fulfils reconcilers.Leases.
func (t *together) ListLeases() ([]string, error) { return t.ips, nil }

// UpdateLease fulfils reconcilers.Leases. That a server is there it says by Servers.Attend.
func (t *together) UpdateLease(string) error { return nil }

// RemoveLease fulfils reconcilers.Leases.
func (t *together) RemoveLease(string) error { return nil }

// Destroy fulfils reconcilers.Leases.
func (t *together) Destroy() {}
