package clients

import (
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// connects are the subresources whose requests go on to another server.
var connects = map[string]bool{"proxy": true, "exec": true, "attach": true, "portforward": true, "log": true}

// A class says what a request does to its object.
type class byte

const (
	other    class = iota
	reads          // get, list, watch
	writes         // create, update, patch, apply
	removals       // delete, deletecollection
)

func classOf(t *flow.Target) class {
	if connects[t.Subresource] {
		return other
	}
	switch t.Verb {
	case "get", "list", "watch":
		return reads
	case "create", "update", "patch", "apply":
		return writes
	case "delete", "deletecollection":
		return removals
	}
	return other
}

// dry reports whether a request was to store nothing.
func dry(f *flow.Flow) bool { return strings.Contains(f.Query, "dryRun=") }

// refOf is the object that a request is about. A create has its name only in its body, or in what it made; Events are
// taken together.
func refOf(f *flow.Flow) object.Ref {
	ref := object.RefOfTarget(f.Target)
	switch {
	case f.Target.Verb != "create":
	case f.Target.Resource == "events":
		ref.Name = ""
	case ref.Name != "":
	case len(f.Effects) > 0:
		ref.Name = f.Effects[0].Commit.Name
	case f.Status >= 400:
		ref.Name = nameIn(f)
	}
	ref.Namespace, ref.Name = cut(ref.Namespace), cut(ref.Name)
	return ref
}

// nameIn is the name in the body of a create that was refused; "" if it is not known.
func nameIn(f *flow.Flow) string {
	body := f.RequestBody.Kept
	if len(body) > 0 && body[0] == '{' {
		return strings.Trim(string(object.Member(object.Member(body, "metadata"), "name")), `"`)
	}
	const most = 64 << 10 // another encoding is decoded as a whole
	if len(body) > most {
		return ""
	}
	return object.TextIn(object.Sent(f), "metadata", "name")
}

// cut bounds a name. It does not keep the memory of the request that the name is part of.
func cut(s string) string { return s[:min(len(s), maxName)] }

// touch notes what a request did to its object.
func (c *client) touch(f *flow.Flow, ref object.Ref, end time.Time) {
	k := classOf(&f.Target)
	if k == other || f.Status == 0 || dry(f) || k == reads && (f.Status >= 400 || f.Target.Verb == "watch") {
		return
	}
	o := c.objects.has(ref)
	if o == nil {
		ref = object.Ref{
			Resource: ref.Resource, Namespace: strings.Clone(ref.Namespace), Name: strings.Clone(ref.Name),
		}
	}
	o = c.objects.use(ref)
	o.Resource, o.Namespace, o.Name = ref.Resource, ref.Namespace, ref.Name
	if k == reads {
		o.Read, o.ReadAt, o.ReadRevision = f.Seq, end, f.Revision
		return
	}
	o.Wrote, o.WroteAt, o.Status, o.WroteRevision = f.Seq, end, f.Status, 0
	o.Writes++
	if f.Status >= 400 {
		return
	}
	o.WroteRevision = f.Revision
	if n := len(f.Effects); n > 0 {
		o.WroteRevision = f.Effects[n-1].Commit.Revision
	}
	if !c.lease && f.Target.Resource != "events" {
		c.wrote = end
	}
}

// manage notes the name under which a write owns its fields.
func (c *client) manage(f *flow.Flow) {
	if classOf(&f.Target) != writes || len(c.managers) >= maxManagers {
		return
	}
	name, _, _ := strings.Cut(f.Client.UserAgent, "/")
	if _, rest, ok := strings.Cut(f.Query, "fieldManager="); ok {
		name, _, _ = strings.Cut(rest, "&")
	}
	if !c.owns(name) {
		c.managers = append(c.managers, strings.Clone(cut(name)))
	}
}

// owns reports whether the client has written under the name of a field manager.
func (c *client) owns(manager string) bool {
	for _, m := range c.managers {
		if m == manager {
			return true
		}
	}
	return false
}
