package flow

import (
	"bytes"
	"net/http"
	"time"
)

// A Flow is the finished record of one request. It does not change after it was published.
type Flow struct {
	Seq   uint64 `json:"seq"` // position in the Log, from 1; each published flow has the next
	held  int64  // estimated bytes, from when it was published; next to Seq, as ageing reads both
	class class  // how early it ages out, from when it was published

	Phase    Phase         `json:"phase"`    // which part of its request this flow records; in the same word as class
	Start    time.Time     `json:"start"`    // when the request's headers had been read
	Duration time.Duration `json:"duration"` // until the last byte of the answer; for WatchOpened, until its headers

	Client Client `json:"client,omitzero"` // who sent it

	// The request line as it was sent, except that %2F and the like are decoded in the path.
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
	// Reason and Message are those of the metav1.Status of an answer that is an error: "Conflict", "NotFound".
	Reason  string `json:"reason,omitzero"`
	Message string `json:"message,omitzero"`

	Identity *Identity `json:"identity,omitzero"` // the client's identity and its proof; nil if it was not needed
	// Rights are the questions to authorizers and their answers, in order; nil where everything is allowed.
	Rights []Right `json:"rights,omitzero"`
	// Calls are the requests that the server sent to others for this one, in the order in which they began.
	Calls     []Call       `json:"calls,omitzero"`
	MoreCalls int          `json:"moreCalls,omitzero"` // calls beyond the number that a flow keeps
	Stations  []Station    `json:"stations,omitzero"`  // in the order they were passed
	Plugins   []PluginMark `json:"plugins,omitzero"`   // what admission plugins said, in order; nil for reads
	Faults    []FaultMark  `json:"faults,omitzero"`    // what fault rules did to the request; nil for nearly all
	// Annotations of plugins and of authentication and authorization, as in an audit log; nil if there are none.
	Annotations map[string]string `json:"annotations,omitzero"`
	Statements  []Statement       `json:"statements,omitzero"` // the statements to the store, in their order
	// Batch is the store's transaction with this request's write; nil if it committed nothing.
	Batch *Batch `json:"batch,omitzero"`

	// SentRevision is the resourceVersion in the body or the query; 0 if there was none or it was not a number.
	SentRevision int64 `json:"sentRevision,omitzero"`
	// Revision is the resourceVersion of the answer: of the object, or of the list. 0 if the answer has none.
	Revision int64 `json:"revision,omitzero"`
	// Effects are the changes that this request committed, in order; nil for reads and for refused requests.
	Effects []Effect `json:"effects,omitzero"`
	// Conflict is set when the request was refused because of what is stored.
	Conflict *Conflict `json:"conflict,omitzero"`
	// Unavailable is set when a read named a revision that cannot be read, or a watch could not go on.
	Unavailable *Unavailable `json:"unavailable,omitzero"`
	// Page describes the part of a snapshot that a list returned; nil for other requests.
	Page *Page `json:"page,omitzero"`

	Watch *Watch   `json:"watch,omitzero"` // the live record of the watch that this flow opened or closed; else nil
	Chain *Chain   `json:"chain,omitzero"` // what led to a write, where that was noted as the run went on; else nil
	Panic string   `json:"panic,omitzero"` // the panic's value and its stack, if the handler panicked
	Notes []string `json:"notes,omitzero"`
}

// A Phase is the part of a request that a Flow records.
type Phase int8

// The phases.
const (
	Whole       Phase = iota // a request from its first byte to its last
	WatchOpened              // a watch whose headers have been sent; its Watch is open
	WatchClosed              // a watch that has ended
)

// A Client is the sender of a request, as its headers describe it.
type Client struct {
	// Tag is short and stable in this run: "k1" for the first kubectl run, "A" for a lesson's actor, "ui".
	Tag       string `json:"tag,omitzero"`
	UserAgent string `json:"userAgent,omitzero"`
	Remote    string `json:"remote,omitzero"` // address and port
	User      string `json:"user,omitzero"`   // the acting user, whose rights count: "system:admin"
	// Impersonator is the authenticated user that acts as User; "" without impersonation.
	Impersonator string `json:"impersonator,omitzero"`
	Session      string `json:"session,omitzero"` // the Kubectl-Session header: one value for each kubectl run
	Command      string `json:"command,omitzero"` // the Kubectl-Command header: "kubectl apply"
	Via          string `json:"via,omitzero"`     // ViaRun, or "" for a port that is open to all
}

// ViaRun is the Client.Via of a request that came on the port of the command of "kubarium run".
const ViaRun = "run"

// A Target is what a request asks for, in the words of "Request attributes" in Kubernetes' documentation. For a
// non-resource path (such as /version), only Verb is set, to the method in lower case.
type Target struct {
	// Verb is get, list, watch, create, update, patch, apply, delete or deletecollection, or the method in lower case.
	Verb        string `json:"verb,omitzero"`
	Group       string `json:"group,omitzero"` // "" for the core group
	Version     string `json:"version,omitzero"`
	Resource    string `json:"resource,omitzero"` // plural, "deployments"
	Subresource string `json:"subresource,omitzero"`
	Namespace   string `json:"namespace,omitzero"`
	Name        string `json:"name,omitzero"`
}

// APIVersion returns group and version as in an object's apiVersion.
func (t *Target) APIVersion() string {
	if t.Group == "" {
		return t.Version
	}
	return t.Group + "/" + t.Version
}

// A Body is the bytes of a request or an answer as on the wire, cut at MaxBody or MaxLong.
type Body struct {
	Kept  Bytes `json:"kept,omitzero"`  // the first bytes; read-only
	Total int64 `json:"total,omitzero"` // bytes on the wire
	Cut   bool  `json:"cut,omitzero"`   // whether Kept is incomplete
}

// MaxBody is the most bytes that a flow keeps of one body, and MaxLong of one that is known beforehand to be longer
// than that. The beginnings of long lists would be most of what the log holds, and of a server's garbage.
const (
	MaxBody = 256 << 10
	MaxLong = 64 << 10
)

// maxOwnBody is the same for Kubarium's own requests: a controller that reads everything in long pages would fill the
// log and push out what the user wants to see.
const maxOwnBody = 16 << 10

// first returns the body with at most most bytes kept.
func (b Body) first(most int) Body {
	if len(b.Kept) <= most {
		return b
	}
	return Body{Kept: bytes.Clone(b.Kept[:most]), Total: b.Total, Cut: true}
}

// A Station is one named step on a request's way. Steps of one request follow each other; a station with Depth 1 or
// more is part of another.
type Station struct {
	Name   string        `json:"name,omitzero"`  // one of Stations, or a part of one
	Start  time.Duration `json:"start,omitzero"` // since the flow's Start
	Length time.Duration `json:"length,omitzero"`
	Note   string        `json:"note,omitzero"`   // short: "412 B", "4171≠4176"
	Failed bool          `json:"failed,omitzero"` // the request ended here with an error
	Depth  int           `json:"depth,omitzero"`
}

// A Batch is a transaction of the store with the writes of one or more requests (group commit).
type Batch struct {
	ID      uint64        `json:"id,omitzero"`     // counts the store's transactions of this run
	Writes  int           `json:"writes,omitzero"` // how many requests' writes it held
	Commit  time.Duration `json:"commit,omitzero"`
	Waited  time.Duration `json:"waited,omitzero"`  // from handing over the write to the begin of its transaction
	Outcome string        `json:"outcome,omitzero"` // "committed", "precondition lost"
}

// An Effect is one change of the store by a request, with the object before and after it as JSON.
type Effect struct {
	Commit Commit `json:"commit,omitzero"`
	Before Bytes  `json:"before,omitzero"` // nil if the change created the object
	After  Bytes  `json:"after,omitzero"`  // nil if the change deleted it
}

// A Conflict says which kind of refusal a 409 was, and which versions it was about.
type Conflict struct {
	Kind   ConflictKind `json:"kind,omitzero"`
	Sent   int64        `json:"sent,omitzero"`   // the revision that the request named
	Stored int64        `json:"stored,omitzero"` // the revision that was stored
	Base   Bytes        `json:"base,omitzero"`   // the object at Sent, if still retained
	Object Bytes        `json:"object,omitzero"` // the object at Stored; nil if none of that name is stored
	// For a Precondition on the uid: the uid that the request demanded and the stored one; "" otherwise.
	SentUID   string  `json:"sentUID,omitzero"`
	StoredUID string  `json:"storedUID,omitzero"`
	Causes    []Cause `json:"causes,omitzero"` // for FieldOwnership: the fields and their managers
}

// A Cause is one field that an apply may not set without force.
type Cause struct {
	Field   string `json:"field,omitzero"`   // ".spec.replicas", ".spec.containers[name=\"web\"].image"
	Message string `json:"message,omitzero"` // its manager, as in the answer: `conflict with "hpa" using apps/v1`
}

// Unavailable says why a revision could not be read or watched from (API Concepts, "410 Gone responses" and
// "Unavailable resource versions").
type Unavailable struct {
	// Asked is the revision in the request or its continue token, or the one that its watch had reached.
	Asked  int64 `json:"asked,omitzero"`
	Oldest int64 `json:"oldest,omitzero"` // the oldest available revision; 0 if Asked is in the future
	Newest int64 `json:"newest,omitzero"` // the newest revision if Asked is in the future; else 0
}

// A Page is what one list returned: the objects of a snapshot, or a chunk of them (API Concepts, "Retrieving large
// results sets in chunks").
type Page struct {
	Source   string `json:"source,omitzero"`   // "cache": the snapshot in memory; "history": an older one of the store
	Snapshot int64  `json:"snapshot,omitzero"` // the revision of the snapshot; 0 if none could be read
	Items    int    `json:"items,omitzero"`
	Limit    int64  `json:"limit,omitzero"` // the most items asked for; 0 means all
	Token    string `json:"token,omitzero"` // the continue token of the request, "" for a first page
	// Next is the continue token of the answer, "" on the last page; in a 410, the token for an inconsistent
	// continuation.
	Next      string `json:"next,omitzero"`
	Remaining int64  `json:"remaining,omitzero"` // items after this page; -1 if a selector makes their number unknown
	Expired   bool   `json:"expired,omitzero"`   // whether the list was refused because its snapshot is compacted
}

// A ConflictKind distinguishes the four kinds of 409.
type ConflictKind string

// The kinds of conflicts.
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
	Outside   bool       `json:"outside,omitzero"` // by another process: with plain SQL, or in the same etcd
}

// A ChangeType is how a commit changed its object.
type ChangeType byte

// The types of changes.
const (
	Created ChangeType = 'C'
	Updated ChangeType = 'U'
	Deleted ChangeType = 'D'
)

// Memory of the parts of a flow in bytes, rounded up as the allocator does (Go's size classes, 64-bit).
const (
	sizeFlow   = 896 // with the Recorder around it
	sizeHeader = 448 // a map of up to eight headers
	sizeValue  = 64  // one header's value, and its part of a larger map
	sizePart   = 64  // a station
	sizeSQL    = 88  // a statement
	sizeEffect = 144
	sizeWatch  = 400
	sizeFault  = 192
	sizeFrame  = 120 // with a head of its own, not shared with another stream
)

// Memory is how many bytes a published flow takes of its Log, as estimated.
func (f *Flow) Memory() int64 { return f.held }

// size estimates the memory of a flow in bytes.
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
	n += f.Chain.size()
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
