package etcdstore

import (
	"bytes"
	"fmt"
	"time"

	"kubarium/server/storage"
)

// An envelope precedes a value, in a line of its own: when it was written, by which run of Kubarium and as which of
// its writes, and which revision of the object it took the place of. So etcdctl shows a value as it is, and a value
// that another program has put has no envelope, or an old one that does not say what the change met.
//
//	kubarium 1763900000000 5f0c2a 17 4711
//	{"apiVersion":"v1",...}
type envelope struct {
	at     time.Time
	run    string           // of the process that wrote
	number uint64           // of the write, among those of the run
	before storage.Revision // 0 for none
}

const envelopeMark = "kubarium "

// seal puts a value into its envelope; a deletion has an envelope alone.
func (e envelope) seal(value []byte) string {
	return fmt.Sprintf("%s%d %s %d %d\n%s", envelopeMark, e.at.UnixMilli(), e.run, e.number, e.before, value)
}

// unseal takes a value out of its envelope. It is not ok for what has none: then all of it is the value.
func unseal(sealed []byte) (e envelope, value []byte, ok bool) {
	line, value, found := bytes.Cut(sealed, []byte{'\n'})
	if !found || !bytes.HasPrefix(line, []byte(envelopeMark)) {
		return envelope{}, sealed, false
	}
	var at int64
	if n, err := fmt.Sscanf(string(line), envelopeMark+"%d %s %d %d", &at, &e.run, &e.number, &e.before); n != 4 || err != nil {
		return envelope{}, sealed, false
	}
	e.at = time.UnixMilli(at)
	return e, value, true
}

// A version is one of an object: which of them was deleted, no other deletion can share.
type version struct {
	key      storage.Key
	revision storage.Revision
}

// A bareDeletion is one by this run that has no envelope in etcd. Other servers, and later runs, take it for a change
// from outside, made when they learned of it.
type bareDeletion struct {
	envelope
	at storage.Revision // of the deletion; 0 until the follower has had it
}
