// Package flow records the way of each request through Kubarium, and keeps a bounded log of such records.
//
// A Flow is the immutable record of one request: who sent it, what it asked for in Kubernetes' words, the bytes on the
// wire, the stations that it passed with their timings, the SQL that ran for it, and the answer. While the request is
// under way its one Recorder collects these facts; Publish turns them into a Flow and publishes it to the Log. A watch
// publishes two flows, an opening and a closing one; between them its counters and last frames live in a Watch.
//
// The package imports nothing of Kubarium and knows nobody who looks: the terminal UI, lessons, export and tests read
// the Log; the server only writes to it, and never waits for a reader.
package flow

import (
	"bytes"
	"net/http"
	"time"
)

// A Flow is the finished record of one request. Nobody changes a Flow after it was published.
type Flow struct {
	Seq  uint64 `json:"seq"` // position in the Log, from 1; each published one has the next
	held int64  // bytes, as they were estimated when it was published; beside Seq, as the Log looks at both when it ages out
	own  bool   // whether Kubarium sent it for itself, as was seen then

	Phase    Phase         `json:"phase"`    // what part of its request this flow records; beside own, in the same word
	Start    time.Time     `json:"start"`    // when the request's headers had been read
	Duration time.Duration `json:"duration"` // from Start to the last byte of the answer; for WatchOpened, to the headers of the answer

	Client Client `json:"client,omitzero"` // who sent it

	// The request line, as sent but for the path, of which %2F and the like are read.
	Method string `json:"method,omitzero"`
	Path   string `json:"path,omitzero"`  // without the query
	Query  string `json:"query,omitzero"` // raw, without the question mark
	Proto  string `json:"proto,omitzero"` // "HTTP/1.1", "HTTP/2.0"

	Target Target `json:"target,omitzero"` // what the request asked for, in Kubernetes' words

	RequestHeader  http.Header `json:"requestHeader,omitzero"`
	RequestBody    Body        `json:"requestBody,omitzero"`
	Status         int         `json:"status"` // HTTP status code; 0 if the client went away before there was one
	ResponseHeader http.Header `json:"responseHeader,omitzero"`
	ResponseBody   Body        `json:"responseBody,omitzero"`
	Reason         string      `json:"reason,omitzero"`  // metav1.Status reason of an answer that is an error: "Conflict", "NotFound"
	Message        string      `json:"message,omitzero"` // metav1.Status message of an answer that is an error

	Identity    *Identity         `json:"identity,omitzero"`    // who they are, and how they proved it; nil if that was not asked
	Rights      []Right           `json:"rights,omitzero"`      // what authorizers were asked and said, in order; nil where everything is allowed to everybody
	Calls       []Call            `json:"calls,omitzero"`       // what the server asked others for it, in the order in which that began
	MoreCalls   int               `json:"moreCalls,omitzero"`   // calls that are not in Calls, of which a flow keeps so many and no more
	Stations    []Station         `json:"stations,omitzero"`    // in the order they were passed
	Plugins     []PluginMark      `json:"plugins,omitzero"`     // what the admission plugins said, in the order they were asked; nil for reads
	Faults      []FaultMark       `json:"faults,omitzero"`      // what fault rules did to the request; nil for nearly all
	Annotations map[string]string `json:"annotations,omitzero"` // of plugins and guards, as an audit log would have them; nil if there are none
	Statements  []Statement       `json:"statements,omitzero"`  // what the store was asked, in that order
	Batch       *Batch            `json:"batch,omitzero"`       // the store's transaction that this request's write shared; nil if it committed nothing

	// SentRevision is the resourceVersion that the body or the query named, 0 if none (or if it was not a number).
	SentRevision int64 `json:"sentRevision,omitzero"`
	// Revision is the resourceVersion of the answer: of the object, or of the list. 0 if the answer has none.
	Revision int64 `json:"revision,omitzero"`
	// Effects are the changes that this request committed, in order; nil for reads and for what was refused.
	Effects []Effect `json:"effects,omitzero"`
	// Conflict is set when the request was refused because of what is stored.
	Conflict *Conflict `json:"conflict,omitzero"`
	// Unavailable is set when a read named a revision that cannot be read, or a watch could not go on from where it was.
	Unavailable *Unavailable `json:"unavailable,omitzero"`
	// Page says what part of which snapshot a list answered with; nil for what is no list.
	Page *Page `json:"page,omitzero"`

	Watch *Watch   `json:"watch,omitzero"` // the live record of the watch that this flow opened or closed; nil for other requests
	Panic string   `json:"panic,omitzero"` // the panic's value and its stack, if the handler panicked
	Notes []string `json:"notes,omitzero"`
}

// A Phase says what part of its request a Flow records.
type Phase int8

const (
	Whole       Phase = iota // a request from its first byte to its last
	WatchOpened              // a watch whose headers have been sent; its Watch is open
	WatchClosed              // a watch that has ended
)

// A Client is who sent a request, as far as its headers tell.
type Client struct {
	Tag       string `json:"tag,omitzero"` // short and stable in this run: "k1" for the first kubectl run, "A" for a lesson's actor, "ui"
	UserAgent string `json:"userAgent,omitzero"`
	Remote    string `json:"remote,omitzero"` // address and port
	User      string `json:"user,omitzero"`   // who acts, and whose rights count: "system:admin"
	// Impersonator is who has proved to be there and acts as User; "" for somebody who acts for themselves.
	Impersonator string `json:"impersonator,omitzero"`
	Session      string `json:"session,omitzero"` // the Kubectl-Session header: one value for each kubectl run
	Command      string `json:"command,omitzero"` // the Kubectl-Command header: "kubectl apply"
}

// A Target is what a request asks for, as the Kubernetes documentation's "Request attributes" name it. For a path that
// is no resource (such as /version), only Verb is set, to the method in lower case.
type Target struct {
	Verb        string `json:"verb,omitzero"`  // get list watch create update patch apply delete deletecollection, or the method in lower case
	Group       string `json:"group,omitzero"` // "" for the core group
	Version     string `json:"version,omitzero"`
	Resource    string `json:"resource,omitzero"` // plural, "deployments"
	Subresource string `json:"subresource,omitzero"`
	Namespace   string `json:"namespace,omitzero"`
	Name        string `json:"name,omitzero"`
}

// APIVersion is the group and the version as an object of the resource has them in apiVersion.
func (t *Target) APIVersion() string {
	if t.Group == "" {
		return t.Version
	}
	return t.Group + "/" + t.Version
}

// A Body is the bytes of a request or an answer as they were on the wire, cut at MaxBody.
type Body struct {
	Kept  Bytes `json:"kept,omitzero"`  // the first bytes, at most MaxBody; not to be changed
	Total int64 `json:"total,omitzero"` // bytes on the wire
	Cut   bool  `json:"cut,omitzero"`   // whether Kept is less than all of it
}

// MaxBody is the most bytes that a flow keeps of one body.
const MaxBody = 256 << 10

// maxOwnBody is the same for what Kubarium sends itself: a controller that reads all there is, a long page at a time,
// would fill the log with that, and push out what people came to see.
const maxOwnBody = 16 << 10

// first is the body with so many bytes kept at most.
func (b Body) first(most int) Body {
	if len(b.Kept) <= most {
		return b
	}
	return Body{Kept: bytes.Clone(b.Kept[:most]), Total: b.Total, Cut: true}
}

// A Station is one named step of a request's way. Steps of one request follow each other; those inside another
// (Depth 1 and more) name parts of it.
type Station struct {
	Name   string        `json:"name,omitzero"`  // one of Stations, or a part of one
	Start  time.Duration `json:"start,omitzero"` // since the flow's Start
	Length time.Duration `json:"length,omitzero"`
	Note   string        `json:"note,omitzero"`   // short: "412 B", "4171≠4176"
	Failed bool          `json:"failed,omitzero"` // whether the request ended here with an error
	Depth  int           `json:"depth,omitzero"`
}

// A Batch is a transaction of the store with the writes of one or more requests in it (group commit).
type Batch struct {
	ID      uint64        `json:"id,omitzero"`     // counts the store's transactions of this run
	Writes  int           `json:"writes,omitzero"` // how many requests' writes it held
	Commit  time.Duration `json:"commit,omitzero"`
	Waited  time.Duration `json:"waited,omitzero"`  // between handing the write to the store and the begin of its transaction
	Outcome string        `json:"outcome,omitzero"` // "committed", "precondition lost"
}

// An Effect is one change of the store that a request made, with the object before and after it as JSON text.
type Effect struct {
	Commit Commit `json:"commit,omitzero"`
	Before Bytes  `json:"before,omitzero"` // nil if the change created the object
	After  Bytes  `json:"after,omitzero"`  // nil if the change deleted it
}

// A Conflict says which of the kinds of refusal a 409 was, and the versions it was about.
type Conflict struct {
	Kind   ConflictKind `json:"kind,omitzero"`
	Sent   int64        `json:"sent,omitzero"`   // the revision that the request named
	Stored int64        `json:"stored,omitzero"` // the revision that it met
	Base   Bytes        `json:"base,omitzero"`   // the object at Sent, if still retained
	Object Bytes        `json:"object,omitzero"` // the object at Stored; nil if none of that name is stored
	// The uid that the request demanded and the stored one, for a Precondition on the uid; "" otherwise.
	SentUID   string  `json:"sentUID,omitzero"`
	StoredUID string  `json:"storedUID,omitzero"`
	Causes    []Cause `json:"causes,omitzero"` // for FieldOwnership: which fields, and whose they are
}

// A Cause is one field that an apply may not set without force.
type Cause struct {
	Field   string `json:"field,omitzero"`   // ".spec.replicas", ".spec.containers[name=\"web\"].image"
	Message string `json:"message,omitzero"` // who owns it, in the answer's words: `conflict with "hpa" using apps/v1`
}

// Unavailable says why a revision could not be read, or watched from (API Concepts, "410 Gone responses" and "Unavailable
// resource versions").
type Unavailable struct {
	Asked  int64 `json:"asked,omitzero"`  // the revision that the request named, or that its continue token holds, or that its watch had reached
	Oldest int64 `json:"oldest,omitzero"` // the oldest one that would have done; 0 if Asked lies in the future
	Newest int64 `json:"newest,omitzero"` // the newest one there is, where Asked lies in the future; 0 otherwise
}

// A Page is what one list answered with: the objects of a snapshot, or a chunk of them (API Concepts, "Retrieving
// large results sets in chunks").
type Page struct {
	Source    string `json:"source,omitzero"`   // "cache": the snapshot in memory; "history": the store, at an older revision
	Snapshot  int64  `json:"snapshot,omitzero"` // the revision of the snapshot; 0 if there was none to read
	Items     int    `json:"items,omitzero"`
	Limit     int64  `json:"limit,omitzero"`     // the most items asked for; 0 means all
	Token     string `json:"token,omitzero"`     // the continue token that the request brought, "" for a first page
	Next      string `json:"next,omitzero"`      // the token that goes on behind this page, "" if it is the last; of a 410, the one that goes on inconsistently
	Remaining int64  `json:"remaining,omitzero"` // items behind this page; -1 if a selector hides their number
	Expired   bool   `json:"expired,omitzero"`   // whether the list was refused because its snapshot is compacted
}

// A ConflictKind tells the four kinds of 409 apart.
type ConflictKind string

const (
	AlreadyExists  ConflictKind = "already exists"
	StaleRevision  ConflictKind = "stale resourceVersion"
	Precondition   ConflictKind = "uid precondition"
	FieldOwnership ConflictKind = "field manager conflict"
)

// A Commit is one change of the store as a timeline shows it.
type Commit struct {
	Revision  int64      `json:"revision,omitzero"`
	Type      ChangeType `json:"type,omitzero"`
	Resource  string     `json:"resource,omitzero"` // storage resource: "configmaps", "deployments.apps"
	Namespace string     `json:"namespace,omitzero"`
	Name      string     `json:"name,omitzero"`
	At        time.Time  `json:"at,omitzero"`
	Outside   bool       `json:"outside,omitzero"` // made by another process: with plain SQL, or in the same etcd
}

// A ChangeType is how a commit changed its object.
type ChangeType byte

const (
	Created ChangeType = 'C'
	Updated ChangeType = 'U'
	Deleted ChangeType = 'D'
)

// What the parts of a flow take, in bytes, with the rounding up of the allocator (Go's size classes, 64-bit).
const (
	sizeFlow   = 896 // with the Recorder around it
	sizeHeader = 448 // a map of up to eight headers
	sizeValue  = 64  // one header's value, and its part of a larger map
	sizePart   = 64  // a station
	sizeSQL    = 88  // a statement
	sizeEffect = 144
	sizeWatch  = 400
	sizeFault  = 192
	sizeFrame  = 120 // with a head of its own, as if no other stream had had the event
)

// size estimates the memory that a flow holds, in bytes.
func (f *Flow) size() int64 {
	n := sizeFlow + len(f.Path) + len(f.Query) + len(f.Message) + len(f.Panic)
	n += cap(f.RequestBody.Kept) + cap(f.ResponseBody.Kept)
	n += headerSize(f.RequestHeader) + headerSize(f.ResponseHeader)
	n += sizePart*cap(f.Stations) + sizeSQL*cap(f.Statements)
	for i := range f.Stations {
		n += len(f.Stations[i].Note)
	}
	n += sizeFault * cap(f.Faults)
	n += f.Identity.size()
	n += sizeRight * cap(f.Rights)
	for i := range f.Rights {
		n += f.Rights[i].size()
	}
	n += sizePlugin * cap(f.Plugins)
	for i := range f.Plugins {
		n += f.Plugins[i].size()
	}
	n += sizeCall * cap(f.Calls)
	for i := range f.Calls {
		n += int(f.Calls[i].Flow.size())
	}
	n += pairsSize(f.Annotations)
	for _, s := range f.Statements {
		for _, a := range s.Args {
			n += 16 + len(a)
		}
	}
	for _, e := range f.Effects {
		n += sizeEffect + cap(e.Before) + cap(e.After)
	}
	if f.Phase == WatchClosed && f.Watch != nil {
		n += f.Watch.size()
	}
	if f.Unavailable != nil {
		n += sizePart
	}
	if f.Conflict != nil {
		n += sizePart + cap(f.Conflict.Base) + cap(f.Conflict.Object)
	}
	return int64(n)
}

func headerSize(h http.Header) int {
	if h == nil {
		return 0
	}
	n := sizeHeader + sizeValue*len(h)
	for name, values := range h {
		n += len(name)
		for _, v := range values {
			n += len(v)
		}
	}
	return n
}
