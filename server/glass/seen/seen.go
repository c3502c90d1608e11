// Package seen keeps what went by of the objects of another server: their versions, as answers and frames of watches
// had them, in bounded memory. The rest is not known, and nothing is asked of that server.
//
// A Store answers the requests by which a screen reads objects (Store.ServeHTTP), so that they go no further: lists,
// gets and discovery of what was seen, also as of an earlier resourceVersion, and the changes that made it so.
package seen

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	"kubarium/flow"
)

// A Version is one version of an object.
type Version struct {
	Revision int64 // its resourceVersion
	// Type is how it came about, where a write or an event said so; 0 for one that was read.
	Type     flow.ChangeType
	At       time.Time // when it was seen
	Deleting bool      // it has a deletionTimestamp
	Partial  bool      // of the object only its metadata is known
	Gone     bool      // it was deleted, at a revision that is not known
	Body     []byte    // JSON, or Kubernetes Protobuf in its envelope
}

// A Kind is a kind of objects that went by.
type Kind struct {
	Group, Version, Resource, Kind string
	Namespaced                     bool
}

// ID is the resource as commits name it: "configmaps", "deployments.apps".
func (k *Kind) ID() string {
	if k.Group == "" || k.Resource == "events" && k.Group == "events.k8s.io" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// A Key names an object.
type Key struct{ Resource, Namespace, Name string } // the resource as Kind.ID has it

// A Store keeps versions. It is safe for concurrent use.
type Store struct {
	most int

	mu      sync.Mutex // guards the rest
	bytes   int
	kinds   map[string]*Kind
	objects map[Key][]Version // in the order of their revisions
	order   []arrival         // the oldest first
	newest  int64
}

// An arrival is a version in the order in which they came.
type arrival struct {
	key      Key
	revision int64
}

// New returns a Store of at most most bytes.
func New(most int) *Store {
	return &Store{most: most, kinds: map[string]*Kind{}, objects: map[Key][]Version{}}
}

// Note keeps a version, and reports whether it is new. One that is known already stays, and
// gets what was not known of it: how it came about, and the whole object in place of its metadata. The body
// stays the caller's.
func (s *Store) Note(kind Kind, key Key, v Version) (isNew bool) {
	if v.Revision == 0 || key.Name == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = max(s.newest, v.Revision)
	if known := s.kinds[key.Resource]; known == nil || known.Kind == "" {
		s.kinds[key.Resource] = &kind
	}
	versions := s.objects[key]
	at, known := find(versions, v.Revision)
	if known {
		old := &versions[at]
		if old.Partial && !v.Partial {
			s.bytes += len(v.Body) - len(old.Body)
			old.Body, old.Partial = bytes.Clone(v.Body), false
		}
		if isNew = old.Type == 0 && v.Type != 0; isNew {
			old.Type = v.Type
		}
		return isNew
	}
	v.Body = bytes.Clone(v.Body)
	s.objects[key] = slices.Insert(versions, at, v)
	s.bytes += size(key, &v)
	s.order = append(s.order, arrival{key, v.Revision})
	s.age()
	return true
}

// Has reports whether a version is kept: if partial, at least its metadata, else the whole object.
func (s *Store) Has(key Key, revision int64, partial bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.objects[key]
	at, known := find(versions, revision)
	return known && (partial || !versions[at].Partial)
}

// find is where a version is among those of an object, or where it would be.
func find(versions []Version, revision int64) (at int, known bool) {
	return slices.BinarySearchFunc(versions, revision, func(v Version, r int64) int { return cmp.Compare(v.Revision, r) })
}

// size is the memory of a version, as estimated.
func size(k Key, v *Version) int { return 160 + len(v.Body) + len(k.Namespace) + len(k.Name) }

// age forgets what came first until the rest is within bounds.
func (s *Store) age() {
	for s.bytes > s.most && len(s.order) > 1 {
		oldest := s.order[0]
		s.order = s.order[1:]
		versions := s.objects[oldest.key]
		at := slices.IndexFunc(versions, func(v Version) bool { return v.Revision == oldest.revision })
		if at < 0 {
			continue
		}
		s.bytes -= size(oldest.key, &versions[at])
		if at == 0 { // as a rule; an object may have many
			versions[0] = Version{}
			versions = versions[1:]
		} else {
			versions = slices.Delete(versions, at, at+1)
		}
		if len(versions) == 0 {
			delete(s.objects, oldest.key)
			continue
		}
		s.objects[oldest.key] = versions
	}
}

// Before is the newest version of an object that is older than a revision.
func (s *Store) Before(key Key, revision int64) (Version, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return before(s.objects[key], revision)
}

func before(versions []Version, revision int64) (Version, bool) {
	for _, v := range slices.Backward(versions) {
		if v.Revision < revision {
			return v, true
		}
	}
	return Version{}, false
}

// At is a version of an object; its newest for 0.
func (s *Store) At(key Key, revision int64) (Version, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.objects[key]
	if revision == 0 && len(versions) > 0 {
		return versions[len(versions)-1], true
	}
	for _, v := range versions {
		if v.Revision == revision {
			return v, true
		}
	}
	return Version{}, false
}

// Gone notes that an object was deleted, at a revision that is not known.
func (s *Store) Gone(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if versions := s.objects[key]; len(versions) > 0 {
		versions[len(versions)-1].Gone = true
	}
}

// Newest is the highest resourceVersion that was seen.
func (s *Store) Newest() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// Heard notes a resourceVersion that is of no object: of a list, or a bookmark.
func (s *Store) Heard(revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = max(s.newest, revision)
}

// Bytes is the memory that versions take, as estimated.
func (s *Store) Bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
