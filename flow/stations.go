package flow

import (
	"maps"
	"slices"
)

// The names of the stations of a write that the admission plugins stand at.
const (
	Mutate = "mutate" // mutating admission
	Admit  = "admit"  // validating admission
)

// Proxy is the station at which another server is asked. What it is asked passes none of those behind it but the last.
const Proxy = "proxy"

// A StationDoc says what a station is for.
type StationDoc struct {
	Name string
	Does string // a sentence's predicate: "says who asks"
}

// Line is the way of every request: the stations that it may pass, in the order in which it passes them. The server marks
// them on its flow; documents and the screen tell of them by this table, so that they can also name those that a request
// did not reach. A read ends its way at the cache, and a write that another one was faster than goes back to "patch".
var Line = []StationDoc{
	{"filters", "refuses foreign pages and request lines without measure"},
	{"route", "reads method and path"},
	{"authenticate", "says who asks"},
	{"authorize", "says whether they may"},
	{Proxy, "hands it on to the server that an APIService names, and the answer back"},
	{"negotiate", "picks the form of the answer"},
	{"decode", "makes an object of the body"},
	{"default", "fills what the API documents as defaults"},
	{"patch", "makes the new object of the old one"},
	{Mutate, "asks the mutating admission plugins, which may change the object"},
	{"rv check", "compares the resourceVersion that the client sent with the stored one"},
	{"validate", "prepares the object and checks it by its kind's rules"},
	{Admit, "asks the validating admission plugins, which may refuse it"},
	{"cache", "reads what is newest"},
	{"history", "reads an older revision"},
	{"store", "writes the change, on the condition that nobody was faster"},
	{"encode", "makes the answer's bytes"},
	{"respond", "sends them"},
}

// Stations are the names in Line.
var Stations = func() (names []string) {
	for _, s := range Line {
		names = append(names, s.Name)
	}
	return names
}()

// before and after are the stations of every request for a resource, passed before and after those of its verb.
var (
	before = []string{"filters", "route", "authenticate", "authorize", "negotiate"}
	after  = []string{"encode", "respond"}
)

// ProxiedStations are those of a request that another server answers.
var ProxiedStations = []string{"filters", "route", "authenticate", "authorize", Proxy}

// ofVerb are the stations that belong to a verb alone.
var ofVerb = map[string][]string{
	"get":              {"cache"},
	"list":             {"cache", "history"},
	"watch":            {},
	"create":           {"decode", "default", Mutate, "validate", Admit, "store"},
	"update":           {"decode", "default", Mutate, "rv check", "validate", Admit, "store"},
	"patch":            {"decode", "patch", Mutate, "rv check", "validate", Admit, "store"},
	"apply":            {"decode", "patch", Mutate, "rv check", "validate", Admit, "store"},
	"delete":           {Mutate, Admit, "store"},
	"deletecollection": {Mutate, Admit, "cache", "store"},
}

// StationsOf returns the stations that a request for a target may pass, in the order of Line: those of its verb, so that a read
// names none of a write. One that it does not reach is still one of them.
func StationsOf(t Target) (names []string) {
	own := ofVerb[t.Verb]
	if t.Resource == "" {
		own = nil
	}
	for _, s := range Line {
		subresource := t.Subresource != "" && t.Verb == "create" && s.Name == "rv check" // such as an eviction, which changes its pod
		if slices.Contains(before, s.Name) || slices.Contains(after, s.Name) || slices.Contains(own, s.Name) || subresource {
			names = append(names, s.Name)
		}
	}
	return names
}

// Again says that the request begins again: what it has met so far counts no more, but for its stations.
func (r *Recorder) Again() {
	if r == nil {
		return
	}
	f := &r.Flow
	f.Identity, f.Rights, f.Plugins, f.Conflict, f.Unavailable, f.Page, f.Revision = nil, nil, nil, nil, nil, nil, 0
	r.forgetCalls()
}

// Annotate notes what plugins say about the request, by keys such as "pod-security.kubernetes.io/enforce-policy".
func (r *Recorder) Annotate(all map[string]string) {
	if r == nil || len(all) == 0 {
		return
	}
	if r.Flow.Annotations == nil {
		r.Flow.Annotations = map[string]string{}
	}
	maps.Copy(r.Flow.Annotations, all)
}
