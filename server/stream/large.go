package stream

import (
	"sync"

	"kubarium/server/cache"
)

// largeFrames are the frames of large objects that streams write just now, each once however many do.
type largeFrames struct {
	mu   sync.Mutex // guards what follows, and users of each
	used map[largeKey]*largeFrame
}

// A largeKey says of what a frame is made.
type largeKey struct {
	object *cache.Object
	form   string
	packed bool    // compressed
	alone  *framer // the only one that makes it; nil for a frame that others share
}

// A largeFrame is such a frame.
type largeFrame struct {
	key   largeKey
	users int

	made   sync.Once
	packed []byte // as it goes to the sink
	size   int    // of the frame, in bytes
	err    error
}

// use returns the frame, which make makes for the first of those that use it at a time. Without an error the caller
// calls end.
func (l *largeFrames) use(k largeKey, make func() (packed []byte, size int, err error)) (*largeFrame, error) {
	f := l.enter(k)
	f.made.Do(func() { f.packed, f.size, f.err = make() })
	if f.err != nil {
		l.end(f)
		return nil, f.err
	}
	return f, nil
}

func (l *largeFrames) enter(k largeKey) *largeFrame {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.used[k]
	if f == nil {
		if l.used == nil {
			l.used = map[largeKey]*largeFrame{}
		}
		f = &largeFrame{key: k}
		l.used[k] = f
	}
	f.users++
	return f
}

// end gives a frame back.
func (l *largeFrames) end(f *largeFrame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.users--; f.users == 0 {
		delete(l.used, f.key)
	}
}
