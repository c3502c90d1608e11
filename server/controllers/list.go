package controllers

import (
	"fmt"
	"slices"
	"strings"

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

// nameOf is the current name of a controller that is known by an older one.
func nameOf(name string) string {
	for _, c := range known {
		if c.alias != "" && c.alias == name {
			return c.name
		}
	}
	return name
}

// Enabled reports whether a controller runs: the first entry that names it decides. "*" means those of workloads, the
// scheduler among them, only where there are simulated nodes.
func (l List) Enabled(name string, nodes bool) bool {
	for _, e := range l.entries {
		switch e {
		case name:
			return true
		case "-" + name:
			return false
		}
	}
	i := slices.IndexFunc(known, func(c controller) bool { return c.name == name })
	return slices.Contains(l.entries, everything) && (nodes || i >= 0 && !known[i].workload)
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
		name = nameOf(name)
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

// Any reports whether any controller runs, where there are simulated nodes or none.
func (l List) Any(nodes bool) bool {
	return slices.ContainsFunc(known, func(c controller) bool { return l.Enabled(c.name, nodes) })
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
	return `controllers to run: "*" is all of them, those of workloads only with --nodes; NAME is one, -NAME is all except one; false is none, as with envtest. They are ` +
		strings.Join(Names(), ", ")
}
