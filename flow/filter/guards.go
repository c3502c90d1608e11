package filter

import (
	"slices"

	"kubarium/flow"
)

// Seen returns the values that a field has in a flow, for completion. Only "user", "plugin" and "webhook" have values;
// for any other field it is nil.
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

// guards has a function for each of these fields. It calls is with each value until is returns true, and reports
// whether it did.
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

// pluginsOf passes the admission plugins in the record and the policies that had an opinion. A plugin that only looked
// at the object counts too, as on the screen.
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

// calledOf passes the names of the servers called for the request, and of their configurations.
func calledOf(f *flow.Flow, is func(string) bool) bool {
	for i := range f.Calls {
		if c := &f.Calls[i]; is(c.Name) || c.By != "" && is(c.By) {
			return true
		}
	}
	return false
}
