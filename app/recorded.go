package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"kubarium/app/record"
	"kubarium/server/flow"
	"kubarium/server/flow/recording"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
	"kubarium/tui"
)

// A recorded run is what a file tells: a log that fills as the file is read, and a server of its past.
type recordedRun struct {
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

// What a log takes of a recording: more is shown from its end.
var recordedLimits = flow.Limits{Flows: 4 << 20, Bytes: 2 << 30, Commits: 1 << 20, Pinned: 64 << 20, KeepEnded: flow.Forever}

// loadingRoom is what memory is spared for while a recording is read: nearly all that is made stays.
const loadingRoom = 512 << 20

// openRun reads a recording, and returns when all that is there now is read. It goes on with what comes until ctx ends. Errors: of the
// file, and recording.ErrForeign, *recording.LaterError where nothing could be read.
func openRun(ctx context.Context, path string, logger *slog.Logger) (*recordedRun, error) {
	r := &recordedRun{path: path, loaded: make(chan struct{})}
	limits := recordedLimits
	limits.Now = r.Now
	r.Log = flow.NewLog(limits)
	r.past.logger, r.past.ready = logger, make(chan struct{})
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if s, err := f.Stat(); err == nil {
		r.grown = s.ModTime()
	}
	spareRoom(loadingRoom)
	defer spareRoom(0)
	go r.read(ctx, f)
	select {
	case <-r.loaded:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.Begin().Format == 0 {
		return nil, fmt.Errorf("%s: %w", path, cmpErr(r.Err(), recording.ErrForeign))
	}
	go r.past.start(ctx)
	return r, nil
}

func cmpErr(err, otherwise error) error {
	if err == nil {
		return otherwise
	}
	return err
}

// Begin is what the recording says of itself.
func (r *recordedRun) Begin() recording.Begin {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begin
}

// Err is what ended the reading: nil while it goes on, io.EOF at the end of a recording that was closed in good order.
func (r *recordedRun) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Now is the time of the run: that of its last record, or the present while it goes on.
func (r *recordedRun) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.follows() {
		return time.Now()
	}
	return r.last
}

// stillness is after how long without growth a recording does not go on.
const stillness = 3 * record.Slow

func (r *recordedRun) follows() bool {
	return r.err == nil && !r.ended && time.Since(r.grown) < stillness
}

// Note is the word for how the recording is.
func (r *recordedRun) Note() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.follows():
		return tui.Following
	case errors.Is(r.err, recording.ErrDamaged):
		return "DAMAGED"
	case !r.ended:
		return "CUT"
	}
	return ""
}

// Remark is a line about a recording that is not whole, "" for one that is.
func (r *recordedRun) Remark() string {
	switch r.Note() {
	case "DAMAGED":
		return fmt.Sprintf("%s is damaged; what comes before %s was read", r.path, r.Now().Format(time.TimeOnly))
	case "CUT":
		return fmt.Sprintf("%s ends without its end, at %s: its writer was killed, or the file was cut", r.path, r.Now().Format(time.TimeOnly))
	}
	return ""
}

// read reads the file, and where another has taken its place, as at the limit of a recording, that one. What was read already is not
// taken twice.
func (r *recordedRun) read(ctx context.Context, f *os.File) {
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

func (r *recordedRun) readFile(ctx context.Context, f *os.File) error {
	defer f.Close()
	t := &tail{ctx: ctx, file: f, run: r}
	d, err := recording.NewDecoder(t)
	if err != nil {
		return err
	}
	t.decoder = d
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
func (r *recordedRun) take(e *recording.Entry) {
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

var errReplaced = errors.New("another file has taken its place")

// A tail reads a file that grows. At its end it waits, unless the recording has ended there.
type tail struct {
	ctx  context.Context
	file *os.File
	run  *recordedRun

	decoder *recording.Decoder
}

// look is how often a file is looked at for growth.
const look = 200 * time.Millisecond

// Read implements io.Reader.
func (t *tail) Read(b []byte) (int, error) {
	for first := true; ; first = false {
		n, err := t.file.Read(b)
		if n > 0 || err != nil && err != io.EOF {
			if !first {
				t.run.mu.Lock()
				t.run.grown = time.Now()
				t.run.mu.Unlock()
			}
			return n, err
		}
		if !t.decoder.Waits() {
			if err := t.pause(time.Millisecond); err != nil {
				return 0, err
			}
			continue
		}
		t.run.mu.Lock()
		ended := t.run.ended
		t.run.mu.Unlock()
		t.run.once.Do(func() { close(t.run.loaded) })
		if ended {
			return 0, io.EOF
		}
		if t.replaced() {
			return 0, errReplaced
		}
		if err := t.pause(look); err != nil {
			return 0, err
		}
	}
}

func (t *tail) pause(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

func (t *tail) replaced() bool {
	mine, err := t.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(t.run.path)
	return err == nil && !os.SameFile(mine, there)
}

// A past is the server of what a recording tells. It begins when all that was there at first is read, and is told what comes later.
type past struct {
	logger  *slog.Logger
	ready   chan struct{} // closed behind the next three
	program *Program
	to      http.RoundTripper
	failed  error

	mu      sync.Mutex // guards what follows
	from    storage.Revision
	known   storage.Revision // changes up to this one are taken
	waiting []storage.Change
	alive   map[storage.Key]bool
	state   map[storage.Key]bool // of the segment that begins; nil behind it
	upto    storage.Revision     // that the state is of
	objects bool
}

// take takes what an entry tells of objects.
func (p *past) take(e *recording.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Begin != nil:
		if p.objects = e.Begin.Objects; p.objects && p.from == 0 {
			p.from = storage.Revision(e.Begin.Revision)
		}
		p.state, p.upto = map[storage.Key]bool{}, storage.Revision(e.Begin.Revision)
	case !p.objects:
	case e.State != nil:
		c := record.Stored(e.State)
		p.state[c.Key] = true
		p.change(c)
	default:
		p.begun()
		if e.Change != nil {
			p.change(record.Stored(e.Change))
		}
	}
}

// begun is behind the state of a segment. Where changes are missing before it, objects that it does not have are gone.
func (p *past) begun() {
	if p.state == nil {
		return
	}
	if p.known > 0 && p.known < p.upto {
		for _, k := range slices.SortedFunc(maps.Keys(p.alive), func(a, b storage.Key) int { return compareKeys(a, b) }) {
			if !p.state[k] && p.known < p.upto {
				p.change(storage.Change{Revision: p.known + 1, Type: storage.Deleted, Key: k, At: time.Now()})
			}
		}
	}
	p.state = nil
}

func compareKeys(a, b storage.Key) int {
	switch {
	case a.String() < b.String():
		return -1
	case a.String() > b.String():
		return 1
	}
	return 0
}

func (p *past) change(c storage.Change) {
	if c.Revision <= p.known {
		return
	}
	p.known = c.Revision
	if p.alive == nil {
		p.alive = map[storage.Key]bool{}
	}
	if c.Type == storage.Deleted {
		delete(p.alive, c.Key)
	} else {
		p.alive[c.Key] = true
	}
	p.waiting = append(p.waiting, c)
}

// start starts the server with what was read, and tells it what comes until ctx ends.
func (p *past) start(ctx context.Context) {
	p.mu.Lock()
	p.begun()
	told := &sqlitestore.Told{From: p.from, Changes: slices.Values(p.waiting)}
	p.waiting = nil
	p.mu.Unlock()
	program, err := startPast(ctx, told, p.logger)
	if p.program, p.failed = program, err; err == nil {
		p.to = program.transport()
	}
	close(p.ready)
	if err != nil {
		return
	}
	for ctx.Err() == nil {
		p.mu.Lock()
		more := p.waiting
		p.waiting = nil
		p.mu.Unlock()
		if len(more) > 0 {
			if err := program.store.Tell(ctx, more); err != nil && ctx.Err() == nil {
				p.logger.Error("recording", "error", err)
			}
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
		}
	}
}

// close ends the server, if it has begun.
func (p *past) close() error {
	<-p.ready
	if p.failed != nil {
		return nil // it has been told to whoever asked
	}
	return p.program.Close()
}

// RoundTrip implements http.RoundTripper: it asks the server of the past, once that is there.
func (p *past) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if p.failed != nil {
		return nil, p.failed
	}
	here := r.Clone(r.Context())
	here.URL.Scheme, here.URL.Host, here.Host = "http", "127.0.0.1", "" // wherever the recorded one was
	return p.to.RoundTrip(here)
}
