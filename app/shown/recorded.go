// Package shown is what the UI is given to show: the run of its own server, of a server elsewhere, or of a recording
// with a server of its past; and the lessons, with a witness of the requests of others.
//
// It fills logs of flows, and starts the Program of a past. How any of it looks is up to the UI.
package shown

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"kubarium/app/memory"
	"kubarium/app/record"
	"kubarium/app/runs"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/tui"
)

// A Run is a recorded run: a log that fills as the file is read, and a server of its past.
type Run struct {
	path string
	Log  *flow.Log
	past past

	mu     sync.Mutex // guards what follows
	begin  recording.Begin
	last   time.Time // of what was read
	ended  bool
	err    error     // what ended the reading; nil while it goes on
	grown  time.Time // when the file was seen to grow
	loaded chan struct{}
	once   sync.Once
}

// recordedLimits bound the log of a recording, together with half of the memory. Of a longer recording it holds the
// end.
var recordedLimits = flow.Limits{Flows: 4 << 20, Commits: 1 << 20, Pinned: 64 << 20, KeepEnded: flow.Forever}

// loadingRoom is the room between two collections of garbage while a recording is read, in bytes: nearly all of it
// stays in use.
const loadingRoom = 512 << 20

// Open reads a recording, and returns when all that it has now is read. It reads on until ctx ends.
// Errors: of the file, and recording.ErrForeign, *recording.LaterError where nothing could be read.
func Open(ctx context.Context, path string, logger *slog.Logger) (*Run, error) {
	r := &Run{path: path, loaded: make(chan struct{})}
	limits := recordedLimits
	limits.Now, limits.Bytes = r.Now, runs.LimitMemory().Most/2
	r.Log = flow.NewLog(limits)
	r.past.logger, r.past.ready = logger, make(chan struct{})
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if s, err := f.Stat(); err == nil {
		r.grown = s.ModTime()
	}
	memory.Spare(loadingRoom)
	defer memory.Spare(0)
	go r.read(ctx, f)
	select {
	case <-r.loaded:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.Begin().Format == 0 {
		return nil, fmt.Errorf("%s: %w", path, cmp.Or(r.Err(), recording.ErrForeign))
	}
	r.past.ctx = ctx
	return r, nil
}

// Begin is what the recording says of itself.
func (r *Run) Begin() recording.Begin {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begin
}

// Err is what ended the reading: nil while it goes on, io.EOF at the end of a recording that was closed in good order.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Now is the time of the run: that of its last record, or the present while it goes on.
func (r *Run) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.follows() {
		return time.Now()
	}
	return r.last
}

// stillness is the time without growth after which a recording no longer goes on.
const stillness = 3 * record.Slow

func (r *Run) follows() bool {
	return r.err == nil && !r.ended && time.Since(r.grown) < stillness
}

// Note is a word for the state of the recording, "" for a complete one.
func (r *Run) Note() string {
	var limit *recording.LimitError
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.follows():
		return tui.Following
	case errors.Is(r.err, recording.ErrDamaged):
		return "DAMAGED"
	case errors.As(r.err, &limit):
		return "LIMIT"
	case !r.ended:
		return "CUT"
	}
	return ""
}

// Remark is a line about an incomplete recording, "" for a complete one.
func (r *Run) Remark() string {
	switch r.Note() {
	case "DAMAGED":
		return fmt.Sprintf("%s is damaged; what comes before %s was read", r.path, r.Now().Format(time.TimeOnly))
	case "LIMIT":
		return fmt.Sprintf("%s: %v; what comes before %s was read", r.path, r.Err(), r.Now().Format(time.TimeOnly))
	case "CUT":
		return fmt.Sprintf("%s ends without its end, at %s: its writer was killed, or the file was cut", r.path, r.Now().Format(time.TimeOnly))
	}
	return ""
}

// read reads the file, and where another has taken its place, as at the limit of a recording, that one. Entries are
// not taken twice.
func (r *Run) read(ctx context.Context, f *os.File) {
	defer r.once.Do(func() { close(r.loaded) })
	for {
		err := r.readFile(ctx, f)
		if errors.Is(err, errReplaced) {
			if f, err = os.Open(r.path); err == nil {
				continue
			}
		}
		r.mu.Lock()
		r.err = err
		r.mu.Unlock()
		r.once.Do(func() { close(r.loaded) })
		return
	}
}

func (r *Run) readFile(ctx context.Context, f *os.File) error {
	defer f.Close()
	t := &tail{ctx: ctx, file: f, run: r}
	d, err := runs.NewReader(t)
	if err != nil {
		return err
	}
	t.decoder = d.Decoder
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil {
			return err
		}
		r.take(e)
	}
}

// take takes an entry into the run.
func (r *Run) take(e *recording.Entry) {
	recording.Fill(r.Log, e)
	r.past.take(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	var at time.Time
	switch {
	case e.Begin != nil:
		if at = e.Begin.At; r.begin.Format == 0 {
			r.begin = *e.Begin
		}
	case e.Flow != nil:
		at = e.Flow.Start.Add(e.Flow.Duration)
	case e.Change != nil:
		at = e.Change.At
	case e.Head != nil:
		at = e.Head.At
	case e.End != nil:
		at = e.End.At
	}
	r.ended = e.End != nil
	if at.After(r.last) {
		r.last = at
	}
}
