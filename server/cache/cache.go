// Package cache keeps what the API serves most in memory: for each resource the newest version of every object as a
// copy-on-write ordered map, so that a list is a snapshot that costs no lock, and a ring of the recent changes in which
// watchers hold positions. It follows the store's change log (storage.Store.Follow) and is never written to otherwise.
//
// A resource is filled on first use. Because the store hands it each batch before the writers are answered, a reader
// after its own write sees it.
package cache
