package page

import (
	"kubarium/flow"
	"kubarium/tui/client"
)

// A Seeker is a page that selects what a lesson is about. It reports whether it has found it.
type Seeker interface{ Seek(s Sought) bool }

// A Sought is what a step of a lesson is about.
type Sought struct {
	Flow    *flow.Flow // the step's own request; nil for none, and while it has not come
	Subject            // the object that the step shows, or the collection if Name is ""; without a Resource, Flow is meant
	Tab     string     // of its details, in small letters; "" for any
	Detail  bool       // its details are shown, not the list
}

// Names reports whether a request was for the object, or within the collection.
func (s *Sought) Names(t flow.Target) bool {
	resource := client.Resource{Group: t.Group, Name: t.Resource}
	return resource.ID() == s.Resource && t.Namespace == s.Namespace && (s.Name == "" || t.Name == s.Name)
}
