package flow

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"sync"
)

// repeats recognises polling: reads of a client that asks the same again and gets the same answer. It remembers a fixed
// number of questions; one that is forgotten counts as a first one.
type repeats struct {
	mu   sync.Mutex // guards what follows, and is not held while a body is read
	asks []ask      // by the hash of the question; nil until the first read
}

// An ask is a question and its last answer.
type ask struct {
	question uint64
	revision int64
	size     int64
	body     uint64 // hash of the body without its revision; 0 if it was not needed yet
}

// keptAsks is how many questions are remembered, in 256 KiB: a power of two.
const keptAsks = 1 << 13

// hashing is the seed of all hashes.
var hashing = maphash.MakeSeed()

// has reports whether a flow repeats the client's last one of the same path and query, and notes it. An answer is the
// same if its size and its revision are; or if, apart from the revision, its bytes are: a list has a later revision
// whenever anything is written. The second needs a third request, as the first one's body is not read.
func (r *repeats) has(f *Flow) bool {
	if !mayRepeat(f) {
		return false
	}
	now := ask{question: question(f), revision: f.Revision, size: f.ResponseBody.Total}
	last := r.change(now)
	if last.question != now.question || last.size != now.size {
		return false
	}
	if now.revision != 0 && now.revision == last.revision {
		return true
	}
	if now.revision != 0 && f.Target.Verb == "get" || f.ResponseBody.Cut {
		return false
	}
	now.body = bodyHash(f)
	r.change(now)
	return now.body == last.body
}

// mayRepeat reports whether a flow is a plain read that went well.
func mayRepeat(f *Flow) bool {
	return f.Status == 200 && (f.Target.Verb == "get" || f.Target.Verb == "list") && f.Phase == Whole &&
		f.Watch == nil && len(f.Effects) == 0 && len(f.Faults) == 0 && len(f.Calls) == 0
}

// change notes an answer and returns what was noted in its place. The hash of a body of the same size and revision
// stays.
func (r *repeats) change(now ask) (last ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asks == nil {
		r.asks = make([]ask, keptAsks)
	}
	place := &r.asks[now.question%keptAsks]
	last = *place
	if now.body == 0 && last.question == now.question && last.revision == now.revision && last.size == now.size {
		return last
	}
	*place = now
	return last
}

// question is the hash of who asks what.
func question(f *Flow) (sum uint64) {
	for _, s := range [...]string{f.Client.Tag, f.Client.User, f.Path, f.Query} {
		sum = sum*0x9e3779b97f4a7c15 + maphash.String(hashing, s)
	}
	return sum
}

// bodyHash is the hash of an answer's body without the first mention of its revision, which is that of a list.
func bodyHash(f *Flow) uint64 {
	body := f.ResponseBody.Kept
	var text [20]byte
	revision := strconv.AppendInt(text[:0], f.Revision, 10)
	at := bytes.Index(body, revision)
	if f.Revision == 0 || at < 0 {
		return maphash.Bytes(hashing, body) | 1
	}
	return (maphash.Bytes(hashing, body[:at])*0x9e3779b97f4a7c15 + maphash.Bytes(hashing, body[at+len(revision):])) | 1
}
