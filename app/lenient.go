package app

import (
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
	return kept, nil
}

func (k *kubeAPIServer) knownGates(text string) (string, error) {
	kept, missing := k.Features.Known(text)
	k.drop("feature-gates", missing...)
	return kept, nil
}
