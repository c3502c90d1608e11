// Package storage is the contract between the Kubernetes API and a store of its objects: the words Key, Revision,
// Record and Change, the errors, and the interfaces Store and Engine. It knows nothing of HTTP, of kinds, or of SQL; it
// does not look into a value, which is a JSON text. Package storagetest proves that a Store keeps the contract.
//
// One change has one revision, over the whole store, and it is never reused. The change log is the only source about
// changes, also about those that another program makes. Compaction makes older revisions unreadable at once; the newest
// version of each object, and the newest revision, stay readable. A snapshot is a name for a revision that compaction
// keeps. A restore is one transaction, with a compaction before it; Write.Since refuses a write that was judged before
// it.
//
// Write.Pool names what must be unique among all objects, such as addresses: the write conflicts if another process has
// written from the pool since the allocator looked.
//
// A failure of the store as a whole is a Failure with one line: a full disk or a disk that cannot be written passes by
// itself, a damaged file takes no more writes.
package storage
