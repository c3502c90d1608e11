package kinds

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// A ServiceRange is the range of the cluster IPs of Services, one of IPv4. The zero value is kubeadm's own, 10.96.0.0/16. It is the
// value of a flag (github.com/spf13/pflag).
type ServiceRange struct{ prefix netip.Prefix }

// defaultServiceRange is kubeadm's.
var defaultServiceRange = netip.MustParsePrefix("10.96.0.0/16")

// The widest range of kube-apiserver, and the narrowest, which has eight addresses.
const (
	widestServiceRange    = 12
	narrowestServiceRange = 29
)

// Set reads a range, such as 10.96.0.0/16. An error changes nothing.
func (r *ServiceRange) Set(text string) error {
	prefix, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a range such as %s", text, defaultServiceRange)
	case !prefix.Addr().Is4():
		return fmt.Errorf("%s is not a range of IPv4", prefix)
	case prefix.Bits() < widestServiceRange:
		return errors.New("specified service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= 12")
	case prefix.Bits() > narrowestServiceRange:
		return fmt.Errorf("the service cluster IP range must be at least %d IP addresses", 1<<(32-narrowestServiceRange))
	}
	r.prefix = prefix.Masked()
	return nil
}

// String is what Set would read.
func (r *ServiceRange) String() string { return r.orDefault().String() }

// Type names the value in the help.
func (r *ServiceRange) Type() string { return "CIDR" }

// First is the address of the Service kubernetes in the namespace default, always.
func (r ServiceRange) First() string { return r.at(0) }

func (r ServiceRange) orDefault() netip.Prefix {
	if !r.prefix.IsValid() {
		return defaultServiceRange
	}
	return r.prefix
}

// size is how many addresses can be given out, without the network's own and the broadcast.
func (r ServiceRange) size() int { return 1<<(32-r.orDefault().Bits()) - 2 }

// static is how many at the low end are drawn last, as Kubernetes computes it from the size.
func (r ServiceRange) static() int {
	all := r.size() + 2
	if all < 16 {
		return 0
	}
	return min(max(all/16, 16), 256)
}

// at is the address with a number, counted from the first.
func (r ServiceRange) at(n int) string {
	b := r.orDefault().Addr().As4()
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(n)+1)
	return netip.AddrFrom4(b).String()
}

// number gives the number of an address, or says that it is out of range.
func (r ServiceRange) number(text string) (int, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return 0, err
	}
	n := -1
	if prefix := r.orDefault(); prefix.Contains(addr) {
		a, first := addr.As4(), prefix.Addr().As4()
		n = int(binary.BigEndian.Uint32(a[:])-binary.BigEndian.Uint32(first[:])) - 1
	}
	if n < 0 || n >= r.size() {
		return 0, fmt.Errorf("the provided IP (%s) is not in the valid range. The range of valid IPs is %s", text, r.orDefault())
	}
	return n, nil
}
