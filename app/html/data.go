package html

import (
	"encoding/json"
	"time"

	"kubarium/analysis/doctor"
)

// A Data is what the page shows; page/data.ts reads it. Texts that repeat are numbers: places of Scalars. Values are
// numbers of Values; -1 is none. Times are microseconds since the run's From.
type Data struct {
	Title   string            `json:"title"`
	About   string            `json:"about,omitempty"`
	Version string            `json:"version"` // of Kubarium
	Open    string            `json:"open"`    // the place that the page opens at, unless its address names one
	Scalars []json.RawMessage `json:"scalars"`
	Nodes   []json.RawMessage `json:"nodes"`
	Rules   []doctor.Rule     `json:"rules"`
	Runs    []*Run            `json:"runs"`
	Compare *Comparison       `json:"compare,omitempty"` // of the first two runs
}

// A Run is one recorded run.
type Run struct {
	Name    string    `json:"name"`
	From    time.Time `json:"from"`
	Notes   []string  `json:"notes,omitempty"` // what is missing
	Clients []Client  `json:"clients"`

	// A number for each request, in the order of Seq: columns compress better than rows.
	Seq      []int `json:"seq"`
	Phase    []int `json:"phase"` // a flow.Phase
	At       []int `json:"at"`
	Took     []int `json:"took"` // microseconds
	Who      []int `json:"who"`  // of Clients
	Verb     []int `json:"verb"` // a word, as the next ones up to Query
	Method   []int `json:"method"`
	Path     []int `json:"path"`
	Query    []int `json:"query"`
	Group    []int `json:"group"`
	Resource []int `json:"resource"`
	Sub      []int `json:"sub"`
	In       []int `json:"in"` // the namespace
	Object   []int `json:"object"`
	Code     []int `json:"code"` // 0 if the client went away
	Reason   []int `json:"reason"`
	Sent     []int `json:"sent"` // the resourceVersion in the request
	Version  []int `json:"rv"`   // that of the answer

	More     []Details        `json:"more"` // of each request
	Watches  []Watch          `json:"watches"`
	Objects  []Object         `json:"objects"`
	Clashes  []Clash          `json:"clashes"`
	Deletes  []Deletion       `json:"deletes"`
	Findings []doctor.Finding `json:"findings"`
}

// A Client is who asks.
type Client struct {
	Tag     string `json:"tag"`
	Program string `json:"program"` // its user agent
	User    string `json:"user"`
}

// Details are the rest of a request.
type Details struct {
	Story    []string `json:"s"`
	Chain    []Link   `json:"c,omitempty"` // what led to a write
	Header   []int    `json:"h,omitempty"` // words, a name and its value by turns
	Body     *Body    `json:"b,omitempty"`
	Answered []int    `json:"H,omitempty"`
	Answer   *Body    `json:"B,omitempty"`
	Stations []int    `json:"t,omitempty"` // six numbers each: word, start, microseconds, note, 1 for failed, depth
	Decided  []string `json:"d,omitempty"`
	Effects  []Effect `json:"e,omitempty"`
	Notes    []string `json:"n,omitempty"`
}

// A Link leads to a request.
type Link struct {
	Text string `json:"t"`
	Seq  uint64 `json:"s,omitempty"`
}

// A Body is what was sent or answered: a value, or a text where it is none.
type Body struct {
	Value int    `json:"v"`
	Text  string `json:"x,omitempty"`
	Type  string `json:"t,omitempty"` // how it was encoded, where not as JSON
	Size  int64  `json:"n"`           // bytes on the wire
	Kept  int    `json:"k,omitempty"` // bytes, where not all were kept
}

// An Effect is a change of a stored object: a place in Objects and one in its Versions.
type Effect [2]int

// An Object is a stored object with its versions in order.
type Object struct {
	Resource  string    `json:"r"`
	Namespace string    `json:"ns,omitempty"`
	Name      string    `json:"n"`
	Versions  []Version `json:"v"`
}

// A Version is an object from one change on.
type Version struct {
	Revision int64   `json:"rv"`
	Type     string  `json:"t"` // created, updated, deleted; "" for one from before the run
	At       int64   `json:"at"`
	Seq      uint64  `json:"s,omitempty"`
	Value    int     `json:"v"`
	Fields   []Field `json:"f,omitempty"` // that changed, without those that the server sets
}

// A Field is a changed field: its path, a word, and its value before and after.
type Field [3]int

// A Watch is a stream of events.
type Watch struct {
	ID     uint64   `json:"id"`
	Who    int      `json:"who"`
	Of     string   `json:"of"`
	Opened int64    `json:"at"`
	Ended  int64    `json:"end"` // -1 while it is open
	Cause  string   `json:"why,omitempty"`
	Start  int64    `json:"rv"`
	Seqs   []uint64 `json:"s"` // of the requests by which it was opened and ended
	Sent   uint64   `json:"sent"`
	Frames []int    `json:"f"` // five numbers each: written, type (a word), revision, object (a word), bytes
}

// A Clash is a write that met another one, or a request that a guard refused.
type Clash struct {
	Seq     uint64     `json:"s"`
	Kind    string     `json:"kind"`
	Columns []string   `json:"cols,omitempty"` // the names of the columns of Rows
	Rows    []ClashRow `json:"rows,omitempty"`
	Verdict string     `json:"verdict,omitempty"`
}

// A ClashRow is a field in which versions differ, with a value for each column.
type ClashRow struct {
	Path   string `json:"p"`
	Values []int  `json:"v"`
	By     string `json:"by,omitempty"` // who changed it
	Seq    uint64 `json:"s,omitempty"`
	Mark   string `json:"m,omitempty"` // "both", "lost", "asked" or "moved"
}

// A Deletion is an object's way from its DELETE to its end.
type Deletion struct {
	Depth  int     `json:"d,omitempty"`
	More   int     `json:"more,omitempty"` // further ones of the resource that this line includes
	Object string  `json:"o"`
	Policy string  `json:"policy,omitempty"`
	Began  Moment  `json:"began"`
	Gone   *Moment `json:"gone,omitempty"`
	Holds  []Hold  `json:"holds,omitempty"`
	Late   bool    `json:"late,omitempty"` // it was being deleted when the run began
}

// A Moment is a write.
type Moment struct {
	Revision int64  `json:"rv"`
	At       int64  `json:"at"`
	Seq      uint64 `json:"s,omitempty"`
	Who      string `json:"who,omitempty"`
}

// A Hold is a finalizer.
type Hold struct {
	Name    string  `json:"n"`
	Removed *Moment `json:"by,omitempty"`
}

// A Comparison is two runs, side by side.
type Comparison struct {
	Parted int          `json:"parted"` // the row where they part; -1 if they do not
	Why    string       `json:"why,omitempty"`
	Rows   []CompareRow `json:"rows"`
}

// A CompareRow is a request of one run or of both.
type CompareRow struct {
	Kind    string `json:"k"` // same, left, right, different
	Soft    string `json:"soft,omitempty"`
	Client  string `json:"c"`
	Request string `json:"q"`
	Left    uint64 `json:"l,omitempty"` // numbers of the requests
	Right   uint64 `json:"r,omitempty"`
	Differs string `json:"why,omitempty"`
}
