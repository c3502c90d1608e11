package storage

import (
	"context"
	"strings"
	"time"
)

// A Revision numbers one change of the store. Revisions grow strictly over all objects of all resources, are never
// given twice, not even after a crash or a deletion, and become resourceVersions on the wire. 0 is before every change.
type Revision int64

// A Key names one object for as long as the store exists.
type Key struct {
	// Resource is the storage resource: the plural for the core group ("configmaps"), else with the group after a dot
	// ("deployments.apps"). All API versions of a kind share it.
	Resource string
	// Name is "namespace/name", or "name" for what lives in no namespace. Keys of a resource are ordered by its bytes,
	// as etcd orders them: "a-b/x" comes before "a/x".
	Name string
}

// NewKey returns the key of an object; namespace is empty for what lives in none.
func NewKey(resource, namespace, name string) Key {
	if namespace == "" {
		return Key{Resource: resource, Name: name}
	}
	return Key{Resource: resource, Name: namespace + "/" + name}
}

// Split returns the namespace, which may be empty, and the name of the object.
func (k Key) Split() (namespace, name string) {
	if ns, n, ok := strings.Cut(k.Name, "/"); ok {
		return ns, n
	}
	return "", k.Name
}

// String returns "resource/namespace/name".
func (k Key) String() string { return k.Resource + "/" + k.Name }

// A Record is one object at one revision.
type Record struct {
	Key      Key
	Revision Revision // of the change that made this version
	// Value is JSON text without metadata.resourceVersion; not to be changed. In a list it is empty for an object of which
	// the store knows the key, but cannot read the value.
	Value []byte
}

// A ChangeType is how a change left its object.
type ChangeType byte

const (
	Created ChangeType = 'C'
	Updated ChangeType = 'U'
	Deleted ChangeType = 'D'
)

// A Change is one row of the change log: one object, one revision.
type Change struct {
	Revision Revision
	Type     ChangeType
	Key      Key
	Value    []byte // after the change; nil if it deleted the object
	// Before is the object as the change met it, nil if it created the object. BeforeRevision is the revision that had
	// made that version, 0 if there was none.
	Before         []byte
	BeforeRevision Revision
	At             time.Time // when it was committed, to the millisecond
	Outside        bool      // made by another process: with plain SQL, or by another writer to the same etcd
	Summary        *Summary  // as the Write gave it; nil of a change that was read from the log
}

// A Summary is what the writer of a value knows of the object in it, so that the follower need not read it.
type Summary struct {
	Labels map[string]string // not to be changed
}

// A WriteOp is what a Write does to its key.
type WriteOp byte

const (
	OpCreate WriteOp = 'C' // fails with Exists if the key is there
	OpUpdate WriteOp = 'U' // fails with NotFound if it is not, with Conflict if it is at another revision than Expect
	OpDelete WriteOp = 'D' // fails like OpUpdate
)

// A Write is one conditional change of one object.
type Write struct {
	Op    WriteOp
	Key   Key
	Value []byte // JSON text, a valid one; nil for OpDelete
	// Expect is the revision at which an updated or deleted object must be. It must be set for both.
	Expect Revision
	// Before, if set, is the value that the object has at Expect, as the caller has read it: the store need not read
	// it again.
	Before []byte
	// Summary, if set, goes with the Change to the follower.
	Summary *Summary
	// Within, if its Resource is set, names an object that must exist in the same transaction, or the write fails with
	// NotFound for that key: a create in a namespace names the Namespace.
	Within Key
	// WithinAt, if not 0, is the revision at which that object must still be, or the write fails with Conflict for that
	// key: what the caller has judged by it, such as that a Namespace is not being deleted, is then true of the write.
	WithinAt Revision
	// Pool, if set, names that out of which the object is given something that must be unique among all objects, such
	// as an address. Where another process has written out of the pool after PoolAt, the newest revision that the
	// caller had seen when it chose, the write fails with Conflict for Key{Resource: Pool}: another object may have
	// the chosen one by now. Writes of one process do not conflict.
	Pool   string
	PoolAt Revision
	// Since, if not 0, is what was the newest revision before the caller read anything by which the write is judged.
	// Where the store was restored after it (Snapshots), the write fails with ErrRestored.
	Since Revision
}

// A ListOptions says which objects a list reads.
type ListOptions struct {
	Resource string
	Prefix   string   // of the key's name: "namespace/" for one namespace, "" for all
	After    string   // begin after this key name; "" begins with the first
	At       Revision // the revision to read at; 0 means the newest
	Limit    int      // most records to return; 0 means no limit
	// Uncounted leaves Page.Remaining 0, which costs as much as there are records after the page.
	Uncounted bool
}

// A Page is the answer to a list: records in key order at one revision.
type Page struct {
	Records  []Record
	Revision Revision // at which the page was read
	More     bool     // whether records follow the last one
	// Remaining is how many records follow the last one. It is 0 when More is false, and when the list was Uncounted.
	Remaining int
}

// A Batch is what one transaction of the store committed, or several, each whole, in order of revisions.
type Batch struct {
	Changes []Change
	// Head is the newest revision after the batch: that of the last change, or a later one where a revision was given
	// to what is no object of this store. A batch may have no changes and only a Head.
	Head Revision
	// Restored, if not 0, says that the batch is a Restore, and which revision is the newest after it. There may be
	// no changes.
	Restored Revision
	// Ended, if not nil, is why no batch follows, while others may go on changing the objects: ErrDetached or
	// ErrMissed. There is nothing else.
	Ended error
}

// A Store keeps objects and every change of them within a window of history. All methods are safe for concurrent use.
// A method that blocks returns the context's error when ctx ends first; a Write whose context ended may still happen.
//
// Any method but Head may return a *Failure, when the store as a whole fails.
type Store interface {
	// Write performs w and returns the object as it is then: after a create or an update with its new revision, after
	// a deletion the last value with the revision of the deletion. It returns when the change is durable and the
	// follower has had it. Concurrent writes share transactions; one that fails its condition leaves the others alone
	// and changes nothing; an update to the value that the object has changes nothing either, and returns it with the
	// revision it had. Errors: Exists, NotFound, Conflict, Large, Restored, and Busy when another process has locked
	// the database for more than five seconds.
	Write(ctx context.Context, w Write) (Record, error)

	// Get returns an object at a revision, 0 for the newest. Errors: NotFound, Expired, TooLarge.
	Get(ctx context.Context, k Key, at Revision) (Record, error)

	// List returns objects in key order. A page at a revision is the same whenever it is read within the history.
	// Errors: Expired, TooLarge.
	List(ctx context.Context, o ListOptions) (Page, error)

	// Changes returns the changes with revisions above after, oldest first, at most limit (0 means no limit) and
	// those that share the last one's revision, of one resource or, with "", of all. Errors: Expired if changes above
	// after are no longer retained, TooLarge if after lies above the newest revision.
	Changes(ctx context.Context, resource string, after Revision, limit int) ([]Change, error)

	// Follow makes fn the store's one follower and returns the revision after which it begins. fn is called with each
	// committed batch, its own writes and those from outside, once and in order, before the writers are answered; it
	// must not block and not call the store. A second Follow is a bug, and panics.
	Follow(fn func(Batch)) (Revision, error)

	// Compact makes every revision up to and with at unreadable, except that the newest version of each object stays,
	// and that at itself stays readable when it is the newest revision. It returns when the new boundary holds; old
	// rows are removed later, in slices. Compacting below the present boundary does nothing. Errors: TooLarge, and Busy as
	// of Write.
	Compact(ctx context.Context, at Revision) error

	// Current returns a revision not older than any that was acknowledged before the call, by any process, once the
	// follower has had everything up to it: what is read in memory then is the newest (API Concepts, "Semantics for
	// get and list", the unset resourceVersion).
	Current(ctx context.Context) (Revision, error)

	// Head returns the newest revision that the follower has had, and the compaction revision: reads below it are
	// Expired (0 if nothing was compacted).
	Head() (newest, compacted Revision)

	// Close ends the store; writes under way are finished first.
	Close() error
}
