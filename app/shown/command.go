package shown

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"kubarium/app/child"
	"kubarium/flow"
	"kubarium/tui"
)

// tagsEvery is how often the tags of a command are read while requests come.
const tagsEvery = 200 * time.Millisecond

// serversEvery is how often a command is looked after that may start API servers.
const serversEvery = time.Second

// Command is a command that runs against the server of a log. record is the folder for the recordings of the servers
// that it starts itself. It is followed until ctx ends.
func Command(ctx context.Context, p *child.Process, log *flow.Log, line, output, record string) *tui.Command {
	tags, changed := &tags{log: log, last: map[string]uint64{}}, make(chan struct{}, 1)
	count := func() int {
		files, _ := child.Recordings(record) // a folder that cannot be read has none
		return len(files)
	}
	others := count() // that of the server itself, and older ones
	servers := func() int { return count() - others }
	go tags.follow(ctx)
	go func() {
		defer poke(changed)
		for known := 0; ; {
			select {
			case <-p.Ended():
				return
			case <-ctx.Done():
				return
			case <-time.After(serversEvery):
			}
			if now := servers(); now > known {
				known = now
				poke(changed)
			}
		}
	}()
	return &tui.Command{Line: line, Output: output, Done: p.Code, Tags: tags.newest, Servers: servers, Changed: changed}
}

func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tags are those of the clients whose requests came from a command.
type tags struct {
	log *flow.Log

	mu     sync.Mutex // guards what follows
	seen   uint64     // the newest flow that was read
	last   map[string]uint64
	sorted []string
}

// follow reads the tags until ctx ends.
func (t *tags) follow(ctx context.Context) {
	wake, end := t.log.Subscribe()
	defer end()
	for {
		select {
		case <-wake:
			t.read()
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(tagsEvery):
		case <-ctx.Done():
			return
		}
	}
}

func (t *tags) read() {
	t.mu.Lock()
	defer t.mu.Unlock()
	flows, _ := t.log.Since(t.seen, 0)
	came := false
	for _, f := range flows {
		t.seen = f.Seq
		if f.Client.Via == flow.ViaRun {
			t.last[f.Client.Tag], came = f.Seq, true
		}
	}
	if !came {
		return
	}
	sorted := make([]string, 0, len(t.last)) // a new one, as callers have the other
	for tag := range t.last {
		sorted = append(sorted, tag)
	}
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Compare(t.last[b], t.last[a]) })
	t.sorted = sorted
}

// newest are the tags, that of the newest request first.
func (t *tags) newest() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sorted
}
