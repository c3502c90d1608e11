package filter

import (
	"slices"

	"kubarium/flow"
)

// Seen are the values of a field of guards in a flow, for completion: "user", "plugin" or "webhook"; nil for any other field.
func Seen(f *flow.Flow, field string) (values []string) {
	read := guards[field]
	if read == nil {
		return nil
	}
	read(f, func(value string) bool {
		if value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
		return false
	})
	return values
}

// guards call is with each value of a field until it returns true, and return whether it did.
var guards = map[string]func(f *flow.Flow, is func(string) bool) bool{
	"user":    usersOf,
	"plugin":  pluginsOf,
	"webhook": calledOf,
}

func matchGuard(field string) func(*flow.Flow, *Env, *value) bool {
	read := guards[field]
	return func(f *flow.Flow, _ *Env, v *value) bool { return read(f, v.is) }
}

func usersOf(f *flow.Flow, is func(string) bool) bool {
	return is(f.Client.User) || f.Client.Impersonator != "" && is(f.Client.Impersonator)
}

// pluginsOf are the plugins that said something to the request, and the policies that did. One that merely looked at the object is told by
// its name as well, as on the screen.
func pluginsOf(f *flow.Flow, is func(string) bool) bool {
	for i := range f.Plugins {
		m := &f.Plugins[i]
		if is(m.Plugin) {
			return true
		}
		for j := range m.Opinions {
			if o := &m.Opinions[j]; o.Kind == flow.PolicyPart && is(o.Name) {
				return true
			}
		}
	}
	return false
}

// calledOf are those whom the server called for the request, by their own name and by that of their configuration.
func calledOf(f *flow.Flow, is func(string) bool) bool {
	for i := range f.Calls {
		if c := &f.Calls[i]; is(c.Name) || c.By != "" && is(c.By) {
			return true
		}
	}
	return false
}
