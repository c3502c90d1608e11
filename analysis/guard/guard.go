// Package guard says which of the guards refused a request: authentication, authorization, or an admission plugin with
// the webhooks and policies that it asks. A conflict is not a refusal by a guard.
package guard

import (
	"net/http"
	"slices"

	"kubarium/flow"
)

// A Refusal is a guard's no.
type Refusal struct {
	// Guard is "authentication", "authorization", an admission plugin, or "policy NAME" or "webhook NAME" that one asked.
	Guard   string
	Station string // at which the request ended, one of flow.Stations
	Why     string // in the guard's own words; "" if it gave none
}

// Refusals that are not those of an admission plugin.
const (
	Authentication = "authentication"
	Authorization  = "authorization"
)

// Refused says which guard refused a request, if one did.
func Refused(f *flow.Flow) (Refusal, bool) {
	if f.Status < 400 || f.Conflict != nil {
		return Refusal{}, false
	}
	if n := len(f.Plugins); n > 0 && f.Plugins[n-1].Refusal != "" {
		m := &f.Plugins[n-1]
		who := m.Plugin
		if o := Denying(m); o != nil {
			who = o.Kind + " " + o.Name
		}
		return Refusal{who, m.Station, m.Refusal}, true
	}
	i := slices.IndexFunc(f.Stations, func(s flow.Station) bool { return s.Failed })
	if i < 0 {
		return Refusal{}, false
	}
	switch s := &f.Stations[i]; {
	case s.Name == "authenticate" && f.Status == http.StatusUnauthorized:
		return Refusal{Authentication, s.Name, s.Note}, true
	case (s.Name == "authorize" || s.Name == "authenticate") && f.Status == http.StatusForbidden:
		return Refusal{Authorization, s.Name, f.Message}, true
	}
	return Refusal{}, false
}

// Denying is the policy or the webhook by which a plugin refused a request; nil if it was none.
func Denying(m *flow.PluginMark) *flow.Opinion {
	for i := range m.Opinions {
		if o := &m.Opinions[i]; m.Refusal != "" && (o.Said == flow.SaidDenied || o.Said == flow.SaidFailed) {
			return o
		}
	}
	return nil
}
