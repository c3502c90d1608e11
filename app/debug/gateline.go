package debug

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"kubarium/server/storage"
)

// gatePause is the least time between two lines of a gate that is followed.
const gatePause = 50 * time.Millisecond

// A gateLine is the state of the gate as a line of JSON, which all who follow it share.
type gateLine struct {
	mu       sync.Mutex // guards what follows
	text     []byte
	version  uint64           // of the gate
	revision storage.Revision // of the store, whose versions the line names
	made     time.Time
}

// of returns the line as it is now. It is made once for a state, and again after gatePause at the earliest.
func (l *gateLine) of(p Gated) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text != nil && l.version == p.Gate().Version() && l.revision == p.CacheHead() {
		return l.text, nil
	}
	time.Sleep(time.Until(l.made.Add(gatePause)))
	l.version, l.revision, l.made = p.Gate().Version(), p.CacheHead(), time.Now()
	text, err := json.Marshal(p.Gate().State(context.Background()))
	l.text = append(text, '\n')
	return l.text, err
}
