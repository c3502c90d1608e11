package deletion

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

// Options are what a DELETE asked for. As the server does, they are read from the body if there is one, else from the
// query.
type Options struct {
	GracePeriodSeconds *int64   `json:"gracePeriodSeconds"`
	PropagationPolicy  string   `json:"propagationPolicy"` // Orphan, Background or Foreground; "" if it said nothing
	OrphanDependents   *bool    `json:"orphanDependents"`  // the older way to say it
	DryRun             []string `json:"dryRun"`
	Preconditions      *struct {
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"preconditions"`
}

// OptionsOf returns the options of a DELETE, and whether they could be read.
func OptionsOf(f *flow.Flow) (o Options, ok bool) {
	if f.RequestBody.Total > 0 || len(f.RequestBody.Kept) > 0 {
		return o, json.Unmarshal(bodies.JSON(f.RequestBody), &o) == nil
	}
	q, err := url.ParseQuery(f.Query)
	if err != nil {
		return o, false
	}
	if n, err := strconv.ParseInt(q.Get("gracePeriodSeconds"), 10, 64); err == nil {
		o.GracePeriodSeconds = &n
	}
	if orphan, err := strconv.ParseBool(q.Get("orphanDependents")); err == nil {
		o.OrphanDependents = &orphan
	}
	o.PropagationPolicy, o.DryRun = q.Get("propagationPolicy"), q["dryRun"]
	return o, true
}

// Policy is the propagation policy that the options name, in either way; "" if they name none.
func (o *Options) Policy() string {
	switch {
	case o.OrphanDependents == nil:
		return o.PropagationPolicy
	case *o.OrphanDependents:
		return "Orphan"
	}
	return "Background"
}

// A Source says why a deletion had the propagation that it had.
type Source string

const (
	Asked     Source = "asked"     // the DELETE named it
	Finalizer Source = "finalizer" // the object had the finalizer of it already
	Default   Source = "default"   // the kind's, since nothing was said
	Unread    Source = ""          // the DELETE's body could not be read
)

// The finalizers by which the garbage collector knows what is to become of dependents.
const (
	orphan     = "orphan"
	foreground = "foregroundDeletion"
)

// A Propagation is what was to become of an object's dependents.
type Propagation struct {
	Policy string   // Orphan, Background or Foreground; "" if that is not known
	Source Source   // why
	Added  []string // the finalizers that the DELETE gave the object
}

// PropagationOf returns what a DELETE said of the dependents of an object that it changed or removed. ok is false for
// any other request. Of a DELETE without an effect, such as a refused one, it is what was asked.
func PropagationOf(f *flow.Flow, e flow.Effect) (p Propagation, ok bool) {
	if f.Target.Verb != "delete" && f.Target.Verb != "deletecollection" {
		return p, false
	}
	o, read := OptionsOf(f)
	before, after := remainsOf(e.Before).Metadata.Finalizers, remainsOf(e.After).Metadata.Finalizers
	for _, name := range after {
		if !slices.Contains(before, name) {
			p.Added = append(p.Added, name)
		}
	}
	switch asked := o.Policy(); {
	case read && asked != "":
		p.Policy, p.Source = asked, Asked
		return p, true
	case e.Before == nil:
		return p, true
	}
	switch {
	case slices.Contains(after, orphan):
		p.Policy = "Orphan"
	case slices.Contains(after, foreground):
		p.Policy = "Foreground"
	default:
		p.Policy = "Background"
	}
	switch {
	case !read:
	case p.Policy != "Background" && !slices.Contains(p.Added, orphan) && !slices.Contains(p.Added, foreground):
		p.Source = Finalizer
	default:
		p.Source = Default
	}
	return p, true
}
