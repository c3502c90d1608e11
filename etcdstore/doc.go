// Package etcdstore keeps objects in etcd: a storage.Engine for data that must outlive a machine, or that several
// servers share.
//
//	station store → one transaction (compare, put) → etcd's watch of the prefix → follower → cache, watchers
//	a read without a resourceVersion → Current: one question for all that wait → the follower has had it → cache
//
// Revisions are etcd's. An object is stored after a line of its own, its envelope (envelope.go): when, by which run, as
// which of its writes, over which revision. A change without an envelope, with one of another run, or with one that
// does not match its predecessor is from outside. A deletion has its envelope in the key "deletion", written in the
// same transaction; while etcd's quota is used up it has none (full.go).
//
// Requests require a leader (client.go), and only what no member has begun is tried again. The watch continues where it
// was, on another member (watch.go). A store that has missed changes, or whose etcd is an older backup, ends: it
// neither reads nor writes, and watches end with the reason (storage.Batch.Ended). A store that etcd has not answered
// for five seconds is unhealthy (health.go), and refuses at once what would wait for it.
//
// There are two boundaries (boundary.go): the key "compacted", on which all servers agree and which only grows, and the
// revision at which etcd was compacted, by any client, which is looked for every two seconds and whenever etcd reports
// a compaction. etcd itself is compacted one revision below the key. One server compacts for all (past.go); none does
// where there are keys outside the prefix, unless an option allows it (alone.go).
//
// A store knows the time of a revision for its own run only, by samples. Log reads revisions above the boundary by a
// watch, the newest first, and the rest from the objects. Objects that one foreign transaction changed share a
// revision; in a database file that is made of them all but the first get one above the state's.
//
// Filling fills an empty store for "kubarium migrate": it spends revisions until they are above the source's, and puts
// each object in a transaction of its own. While the key "filling" exists, no server opens the store.
package etcdstore
