package controllers

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/kubernetes/cmd/kube-controller-manager/names"

	"kubarium/server/nearest"
)

// A List says which controllers run, as kube-controller-manager's flag of this name does: "*" is all, a name is one of
// them, and "-" before a name turns that one off. An entry with a name overrides "*". The zero List is none. It is the
// value of a flag (github.com/spf13/pflag); a flag that is given again adds to it.
type List struct {
	entries []string // as they were given, with the current names
	said    bool     // whether a flag has replaced the default
}

// All is the List of all controllers.
func All() List { return List{entries: []string{everything}} }

const everything = "*"

// aliases are the names that controllers had before (kube-controller-manager's ControllerDescriptors).
var aliases = map[string]string{
	"garbagecollector":        names.GarbageCollectorController,
	"namespace":               names.NamespaceController,
	"serviceaccount":          names.ServiceAccountController,
	"root-ca-cert-publisher":  names.RootCACertificatePublisherController,
	"clusterrole-aggregation": names.ClusterRoleAggregationController,
	"podgc":                   names.PodGarbageCollectorController,
	"resourcequota":           names.ResourceQuotaController,
}

// Enabled reports whether a controller runs: the first entry that names it decides.
func (l List) Enabled(name string) bool {
	for _, e := range l.entries {
		switch e {
		case name:
			return true
		case "-" + name:
			return false
		}
	}
	return slices.Contains(l.entries, everything)
}

// Set adds a list of entries, parted by commas. "true" is all controllers and "false" is none.
func (l *List) Set(text string) error {
	var entries []string
	for e := range strings.SplitSeq(text, ",") {
		switch e = strings.TrimSpace(e); e {
		case "", "false":
			continue
		case "true", everything:
			entries = append(entries, everything)
			continue
		}
		name, off := strings.CutPrefix(e, "-")
		if today := aliases[name]; today != "" {
			name = today
		}
		if !slices.Contains(Names(), name) {
			said := strings.TrimPrefix(e, "-")
			return fmt.Errorf("%q is not in the list of known controllers: %s%s", said, strings.Join(Names(), ", "), nearest.Hint(said, Names()))
		}
		if off {
			name = "-" + name
		}
		entries = append(entries, name)
	}
	if !l.said {
		*l = List{said: true}
	}
	l.entries = append(l.entries, entries...)
	return nil
}

// Any reports whether any controller runs.
func (l List) Any() bool {
	return slices.ContainsFunc(known, func(c controller) bool { return l.Enabled(c.name) })
}

// String is what Set would read.
func (l List) String() string {
	if len(l.entries) == 0 {
		return "false"
	}
	return strings.Join(l.entries, ",")
}

// Type names the value in a flag's help.
func (l List) Type() string { return "strings" }

// Names are the names of all controllers, sorted.
func Names() []string {
	all := make([]string, len(known))
	for i, c := range known {
		all[i] = c.name
	}
	slices.Sort(all)
	return all
}

// Usage is the help of the flag.
func Usage() string {
	return `controllers to run: "*" is all of them, NAME is one, -NAME is all but one; false is none, as with envtest. They are ` +
		strings.Join(Names(), ", ")
}
