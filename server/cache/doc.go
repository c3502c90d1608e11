// Package cache keeps what the API serves most in memory: for each resource the newest version of every object as a
// copy-on-write ordered map, so that a list is a snapshot that needs no lock, and a ring of the recent changes in which
// watchers hold positions. It follows the store's change log (storage.Store.Follow), and is written to by nothing else.
//
// A resource is filled on first use, page by page, in the background. Until then single objects and pages are read from
// the store, while whole lists and watches wait. The store hands over each batch before it answers the writers, so a
// client reads its own writes.
//
// The follower waits for no watcher: it appends to the ring and wakes. Changes leave the ring after two minutes if every
// watcher has had them, and where there are too many. A watcher that has fallen out of the ring reads
// what it lacks from the store's history; one that is more than Options.MaxLag changes behind is ended. The newest 512
// changes of a kind keep the frames that were made of them, so a frame is encoded once for all watches of its form.
//
// Settled returns the head and the newest restore once all who handle events have seen them. Watches end at a restore,
// except those of informers, which see its changes. Readers that remember something, such as allocators, begin again by
// Restored.
//
// The package knows nothing of kinds: Options.Index says what labels and fields a value has, and whether it is damaged.
// Labels stay in the value, where a selector reads them. Objects, events and snapshots are immutable and may be kept.
package cache
