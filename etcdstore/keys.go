package etcdstore

import (
	"strings"

	"kubarium/server/storage"
)

// The keys below the prefix of a store:
//
//	objects/RESOURCE/NAME   an object, in its envelope
//	deletion                the envelope of the newest deletion that has one, written in its transaction: a deletion has no value
//	compacted               the revision up to which nothing can be read any more
//	servers/ADDRESS         a server that serves the store, as long as it does
//	pools/NAME/RUN          when a run of Kubarium last wrote out of a pool
//	pki/FILE                a key or certificate that all servers have
//	filling                 exists while the objects of another store are put, and is put again and again to spend revisions
type keys struct{ prefix string } // ends in "/"

// keysBelow are those of a store with this prefix, which has no "/" at its end.
func keysBelow(prefix string) keys { return keys{prefix + "/"} }

func (k keys) objects() string               { return k.prefix + "objects/" }
func (k keys) resource(name string) string   { return k.objects() + name + "/" }
func (k keys) object(key storage.Key) string { return k.resource(key.Resource) + key.Name }
func (k keys) deletion() string              { return k.prefix + "deletion" }
func (k keys) compacted() string             { return k.prefix + "compacted" }
func (k keys) servers() string               { return k.prefix + "servers/" }
func (k keys) pools() string                 { return k.prefix + "pools/" }
func (k keys) pool(name string) string       { return k.pools() + name + "/" }
func (k keys) filling() string               { return k.prefix + "filling" }
func (k keys) pki() string                   { return k.prefix + "pki/" }

// read is the key of an object; it is not ok for what is no object.
func (k keys) read(key []byte) (storage.Key, bool) {
	rest, ok := strings.CutPrefix(string(key), k.objects())
	if !ok {
		return storage.Key{}, false
	}
	resource, name, ok := strings.Cut(rest, "/")
	return storage.Key{Resource: resource, Name: name}, ok && name != ""
}
