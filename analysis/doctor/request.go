package doctor

import (
	"net/url"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A request is a flow with what more than one rule asks of it.
type request struct {
	*flow.Flow
	client   *client
	reported bool       // whether findings may be about it: it is neither history nor Kubarium's own
	ref      object.Ref // what it names; of a collection or a create without a name
	rhythm   *rhythm    // of a read; nil for none
	end      time.Time  // when its answer was complete; of a watch that opened, its headers

	query  url.Values
	parsed bool
}

// param is a parameter of the query; one that cannot be read is "".
func (r *request) param(name string) string {
	if r.Query == "" {
		return ""
	}
	if !r.parsed {
		r.query, _ = url.ParseQuery(r.Query)
		r.parsed = true
	}
	return r.query.Get(name)
}

// accepted reports whether the answer is a success, and the whole of it.
func (r *request) accepted() bool { return r.Status/100 == 2 && r.Phase == flow.Whole }

// changes reports whether it asks to change a stored object: an update, a patch or an apply.
func (r *request) changes() bool {
	switch r.Target.Verb {
	case "update", "patch", "apply":
		return !connects[r.Target.Subresource]
	}
	return false
}

// writes reports whether it asks to write: changes, create and delete.
func (r *request) writes() bool {
	switch r.Target.Verb {
	case "create", "delete", "deletecollection":
		return !connects[r.Target.Subresource]
	}
	return r.changes()
}

// connects are the subresources whose requests go on to another server.
var connects = map[string]bool{"proxy": true, "exec": true, "attach": true, "portforward": true, "log": true}

// dry reports whether it was to store nothing.
func (r *request) dry() bool { return strings.Contains(r.Query, "dryRun=") }

// lease reports whether it is about a Lease: candidates read, write and lose them by design, every few seconds.
func (r *request) lease() bool { return r.Target.Group == "coordination.k8s.io" }

// who names the client, with its field manager where that is another name than its program's.
func (r *request) who() string {
	manager := r.param("fieldManager")
	if manager == "" || manager == r.client.program {
		return r.client.name
	}
	return r.client.name + " as " + cut(manager)
}

// manager is the name under which the server notes the fields that it writes: the field manager, or else the program of
// the user agent.
func (r *request) manager() string {
	if m := r.param("fieldManager"); m != "" {
		return m
	}
	return r.client.program
}

// unchanged reports whether it was an accepted write that made no new revision. Only objects that are stored here have
// a revision in the answer: nothing is known of a resource of another server.
func (r *request) unchanged() bool {
	return r.accepted() && r.changes() && len(r.Effects) == 0 && r.Revision > 0 && !r.dry()
}

// An asking is a client at an object.
type asking struct {
	client string
	ref    object.Ref
}
