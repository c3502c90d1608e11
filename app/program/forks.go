package program

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"kubarium/app/debug"
)

// maxForks is how many forks a Program may have at once: each is a whole server.
const maxForks = 16

// forks are the servers that began with a state of this one's, and end with it.
type forks struct {
	mu      sync.Mutex // guards the rest, and is held while one starts or ends
	running []*fork
	last    int
	closed  bool
}

// A fork is one of them.
type fork struct {
	debug.Fork
	end func() error // ends its server
}

// errTooManyForks is the error of a fork beyond maxForks.
var errTooManyForks = debug.Refusal(http.StatusConflict, fmt.Errorf("there are %d forks already; end one", maxForks))

// close ends all forks, and lets none begin.
func (fs *forks) close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	errs := make([]error, len(fs.running))
	var ending sync.WaitGroup
	for i, f := range fs.running {
		ending.Go(func() { errs[i] = f.end() })
	}
	ending.Wait()
	fs.running = nil
	return errors.Join(errs...)
}
