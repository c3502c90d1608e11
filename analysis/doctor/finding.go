package doctor

import (
	"fmt"
	"regexp"
	"time"
)

// A Report is what was found in a run.
type Report struct {
	From     time.Time `json:"from"` // the first request that is reported; zero if there was none
	To       time.Time `json:"to"`   // the end of the last one
	Flows    int       `json:"flows"`
	Missed   uint64    `json:"missed,omitzero"` // flows that are not known
	Clients  []Client  `json:"clients"`         // who asked most first
	Findings []Finding `json:"findings"`        // the gravest and dearest first
}

// A Finding is what one rule says of one client and one object, several, or a resource.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Client   string   `json:"client"` // its user agent or tag, and its field manager where that is another name
	Object   string   `json:"object"` // "deployments.apps default/web", a resource, or "several resources"
	// Objects are the first of the objects, at most 10, where the finding speaks for several; else nil.
	Objects []string  `json:"objects,omitempty"`
	What    string    `json:"what"`           // one sentence, and a second one on the other objects
	Count   int       `json:"count"`          // how often
	Cost    string    `json:"cost,omitempty"` // "14 requests, 3.2 s"; "" if the rule knows none
	Records []uint64  `json:"records"`        // numbers of flows, the most important ones first, at most 50
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`

	resource string        // of the object
	apart    string        // of findings that are not merged with others of the rule: what the merged object ends with
	objects  int           // that it speaks for; 0 for one
	one      string        // what it says of the first of several; "" for What
	server   int           // of several, from 1 on
	requests int           // the cost
	waited   time.Duration // the cost
}

// finish fills what all findings have alike.
func (f *Finding) finish() {
	switch {
	case f.requests > 0 && f.waited > 0:
		f.Cost = fmt.Sprintf("%s, %s", Plural(f.requests, "request"), brief(f.waited))
	case f.requests > 0:
		f.Cost = Plural(f.requests, "request")
	case f.waited > 0:
		f.Cost = brief(f.waited)
	}
	if len(f.Records) > maxRecords {
		f.Records = f.Records[:maxRecords]
	}
	f.What = build.ReplaceAllString(f.What, "")
}

// build is the part of client-go's user agents about the machine and the commit, "kubectl/v1.37.0 (linux/amd64)
// kubernetes/0f1e2d3": in a sentence it is in the way. A component's name, which may follow it, stays.
var build = regexp.MustCompile(` \([a-z0-9]+/[a-z0-9]+\) kubernetes/[^/\s,;:.]+`)

// maxRecords is how many flows a finding names: more than a reader opens.
const maxRecords = 50
