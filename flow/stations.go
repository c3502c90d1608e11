package flow

import (
	"maps"
	"slices"
)

// The stations of a write at which admission plugins run.
const (
	Mutate = "mutate" // mutating admission
	Admit  = "admit"  // validating admission
)

// Proxy is the station at which another server answers. After it, such a request passes only the last station.
const Proxy = "proxy"

// A StationDoc describes a station.
type StationDoc struct {
	Name string
	Does string // a sentence's predicate: "identifies the client"
}

// Line is the way of every request: the stations that it may pass, in order. The server marks them on its flow;
// documents and the screen use this table, so that they can also name stations that a request did not reach. A read
// ends at the cache, and a write that loses against another one goes back to "patch".
var Line = []StationDoc{
	{"filters", "refuses requests from foreign web pages, and overlong request lines"},
	{"route", "reads method and path"},
	{"authenticate", "identifies the client"},
	{"authorize", "checks whether the client may do this"},
	{Proxy, "passes the request to the server that an APIService names, and returns its answer"},
	{"negotiate", "picks the format of the answer"},
	{"decode", "decodes the body into an object"},
	{"default", "sets the API's documented defaults"},
	{"patch", "makes the new object from the old one"},
	{Mutate, "runs mutating admission plugins, which may change the object"},
	{"rv check", "compares the client's resourceVersion with the stored one"},
	{"validate", "prepares the object and checks it by its kind's rules"},
	{Admit, "runs validating admission plugins, which may refuse the object"},
	{"cache", "reads the newest state"},
	{"history", "reads an older revision"},
	{"store", "writes the change, unless another write came first"},
	{"encode", "encodes the answer"},
	{"respond", "sends the answer"},
}

// InsideServer is the station of a request through the glass that the server alone sees into.
const InsideServer = "server"

// GlassLine is the way of a request through the glass, to a server whose own stations are not known.
var GlassLine = []StationDoc{
	{"client", "reads what the client asks, and finds with which credentials it is handed on"},
	{"connection", "gets a connection to the server"},
	{InsideServer, "waits for the first byte of the answer; what the server does until then is inside it"},
	{"body", "hands the answer on as it comes"},
}

// GatedStations are those of GlassLine with the places at which the gate of the glass acts.
var GatedStations = []string{"client", "negotiate", "connection", InsideServer, "encode", "body"}

// Behind reports whether the flow is of a request through the glass.
func (f *Flow) Behind() bool { return len(f.Stations) > 0 && f.Stations[0].Name == GlassLine[0].Name }

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

// ProxiedStations are the stations of a request that another server answers.
var ProxiedStations = []string{"filters", "route", "authenticate", "authorize", Proxy}

// ofVerb are the stations that only this verb has.
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

// StationsOf returns the stations that a request for a target may pass, in the order of Line: only those of its verb,
// but including those that it does not reach.
func StationsOf(t Target) (names []string) {
	own := ofVerb[t.Verb]
	if t.Resource == "" {
		own = nil
	}
	for _, s := range Line {
		// A create of a subresource, such as an eviction, changes another object.
		changes := t.Subresource != "" && t.Verb == "create" && s.Name == "rv check"
		shared := slices.Contains(before, s.Name) || slices.Contains(after, s.Name)
		if shared || slices.Contains(own, s.Name) || changes {
			names = append(names, s.Name)
		}
	}
	return names
}

// Again says that the request starts again: facts recorded so far are dropped, except its stations.
func (r *Recorder) Again() {
	if r == nil {
		return
	}
	r.unknown()
	f := &r.Flow
	f.Identity, f.Rights, f.Plugins, f.Conflict, f.Unavailable, f.Page, f.Revision = nil, nil, nil, nil, nil, nil, 0
	r.forgetCalls()
}

// Annotate adds audit annotations of the request, with keys such as "pod-security.kubernetes.io/enforce-policy".
func (r *Recorder) Annotate(all map[string]string) {
	if r == nil || len(all) == 0 {
		return
	}
	if r.Flow.Annotations == nil {
		r.Flow.Annotations = map[string]string{}
	}
	maps.Copy(r.Flow.Annotations, all)
}
