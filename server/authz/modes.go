package authz

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/kubernetes/pkg/kubeapiserver/authorizer/modes"

	"kubarium/server/nearest"
)

// The modes that Kubarium knows, by kube-apiserver's names.
const (
	ModeAlwaysAllow = modes.ModeAlwaysAllow
	ModeAlwaysDeny  = modes.ModeAlwaysDeny
	ModeRBAC        = modes.ModeRBAC
)

// known are they in the order of kube-apiserver's help.
var known = []string{ModeAlwaysAllow, ModeAlwaysDeny, ModeRBAC}

// Names are the modes that there are, in the order of kube-apiserver's help.
func Names() []string { return slices.Clone(known) }

// Modes say who decides, in turn. The zero Modes are AlwaysAllow, as without the flag. It is the value of a flag
// (github.com/spf13/pflag); a flag that is given again adds to it.
type Modes []string

// Usage is the help of the flag.
const Usage = "who decides what is allowed, in turn, with commas: AlwaysAllow, RBAC or AlwaysDeny (default AlwaysAllow)"

// Set adds modes, parted by commas. An error changes nothing.
func (m *Modes) Set(text string) error {
	all := slices.Clone(*m)
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case name == "" && text == "":
			return fmt.Errorf("at least one authorization-mode must be passed")
		case slices.Contains(known, name):
		case modes.IsValidAuthorizationMode(name):
			return fmt.Errorf("authorization-mode %s is not supported by Kubarium; say %s", name, list(known))
		default:
			return fmt.Errorf("authorization-mode %q is not a valid mode; say %s%s", name, list(known), nearest.Hint(name, known))
		}
		if slices.Contains(all, name) {
			return fmt.Errorf("authorization-mode %q has mode specified more than once", append(all, name))
		}
		all = append(all, name)
	}
	*m = all
	return nil
}

// Known parts the modes of a flag's value into those that are here, in the form that Set reads, and those that
// kube-apiserver alone has. Set refuses the rest.
func Known(text string) (kept string, missing []string) {
	var all []string
	for name := range strings.SplitSeq(text, ",") {
		if modes.IsValidAuthorizationMode(name) && !slices.Contains(known, name) {
			missing = append(missing, name)
			continue
		}
		all = append(all, name)
	}
	return strings.Join(all, ","), missing
}

// String is what Set would read.
func (m *Modes) String() string { return strings.Join(*m, ",") }

// Type names the value in a flag's help.
func (m *Modes) Type() string { return "MODE,…" }

// Has reports whether a mode is among them.
func (m Modes) Has(mode string) bool { return slices.Contains(m.orDefault(), mode) }

// orDefault is m, or what kube-apiserver takes without the flag.
func (m Modes) orDefault() []string {
	if len(m) == 0 {
		return []string{ModeAlwaysAllow}
	}
	return m
}

// list is "a, b or c".
func list(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
