package app

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/pflag"

	"kubarium/server/authz"
)

// A lenient value takes what is known, and drops what is not.
type lenient struct {
	pflag.Value
	known func(text string) (kept string, err error)
}

func (l *lenient) Set(text string) error {
	kept, err := l.known(text)
	if err != nil || kept == "" && text != "" {
		return err
	}
	return l.Value.Set(kept)
}

// drop notes what was asked for with a flag and is not here.
func (k *kubeAPIServer) drop(flag string, what ...string) {
	if len(what) > 0 {
		k.dropped = append(k.dropped, "--"+flag+"="+strings.Join(what, ","))
	}
}

func (k *kubeAPIServer) knownModes(text string) (string, error) {
	kept, missing := authz.Known(text)
	k.drop("authorization-mode", missing...)
	k.decision = k.decision || len(missing) > 0
	return kept, nil
}

// knownRange takes the range of IPv4 of up to two; an empty text is as good as none.
func (k *kubeAPIServer) knownRange(text string) (kept string, err error) {
	if text == "" {
		return defaultServices, nil
	}
	for cidr := range strings.SplitSeq(text, ",") {
		cidr = strings.TrimSpace(cidr)
		switch prefix, err := netip.ParsePrefix(cidr); {
		case err == nil && prefix.Addr().Is6():
			k.drop("service-cluster-ip-range", cidr)
		case kept == "":
			kept = cidr
		default:
			return "", fmt.Errorf("%q: two ranges are one of IPv4 and one of IPv6", text)
		}
	}
	return kept, nil
}

func (k *kubeAPIServer) knownGates(text string) (string, error) {
	kept, missing := k.Features.Known(text)
	k.drop("feature-gates", missing...)
	return kept, nil
}
