// Package sqlitestore keeps Kubarium's objects in one SQLite file. It implements storage.Engine. It knows nothing of
// Kubernetes: it does not look into values, which are texts.
//
// One goroutine, the writer, makes all changes: it takes every waiting write into one transaction and one fsync (group
// commit), hands the committed batch to the follower, and then answers. Triggers in the file itself write the change
// log and give out the revisions, so that a change by another program with plain SQL is one like any other; the writer
// notices it within pollEvery. Reads use a pool of connections that can only read. What SQLite writes ahead is copied
// into the database file by a goroutine for which the writer does not wait.
//
// # When files fail
//
// Acknowledged writes are kept. Before a batch is acknowledged, in each poll, and before a connection is opened, the
// store looks whether the names of its files still lead to the files that it has open (files.go). If not, it is
// detached for good: nothing is acknowledged, read or given to the follower any more. The log is copied into the file
// that is open and emptied, so that it cannot be applied to another file (attach.go). In WAL mode SQLite writes to the
// database file by copying only, which the index shows; a file that changed in another way was overwritten.
//
// The side file X.lock notes the newest acknowledged revision and the inodes of the files, in one write for each batch
// and without a sync: it is for a process that is killed (sidefile.go). A start compares it with the files before
// SQLite opens anything, and refuses files that have less or do not belong together. After a clean end an older copy is
// taken as meant: revisions continue above the noted one, and all older ones are compacted.
//
// Systems differ in system_unix.go and system_windows.go. Windows keeps open files in their places by itself. A lock
// keeps others from reading there, so it is on a byte far after the note. The time of an open file changes late there:
// an overwritten file is noticed at the next start only, by being older than when it was opened.
//
// A failing store logs once a minute, and tries a write each second. What can be read of a damaged file is read row by
// row (salvage.go); a row that cannot be read, and a value that is not JSON or not UTF-8, is a corrupt object, which
// can be deleted. Options.Health is called whenever Healthy has a new result.
//
// # Time and other stores
//
// The history is measured in elapsed time, not by the clock (history.go). Plan makes a query plan in an empty database
// with the schema, of one statement of up to 2,000 bytes: SQLite's prepare cannot be interrupted, so WITH, which it
// would expand, is refused. A file that begins with the objects of another store has a mark until they are committed
// (filling.go).
package sqlitestore
