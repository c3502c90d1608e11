package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"kubarium/app/cli"
	"kubarium/app/record"
	"kubarium/app/remedy"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// A Record says where the run of a Program is recorded.
type Record struct {
	File    string // "" for nowhere; a folder gets a file named by the time
	Limit   int64  // bytes; beyond it the oldest goes. 0 is defaultRecord
	Secrets bool   // what is secret is in it as well
}

const (
	defaultRecord = 256 << 20
	leastRecord   = 1 << 20
	// Extension is how the names of recordings end.
	Extension = ".kubarium"
)

func (r *Record) flags(f *pflag.FlagSet) {
	f.StringVar(&r.File, "record", "", "file that the run is recorded in, for \"kubarium open\"; a folder gets a file named by the time")
	r.Limit = defaultRecord
	f.Var((*size)(&r.Limit), "record-limit", "bytes of a recording; beyond them the oldest goes")
	f.BoolVar(&r.Secrets, "record-secrets", false, "record Secrets, tokens and credentials as they are; otherwise they are masked")
}

// A size is a number of bytes on the command line, as Kubernetes writes quantities.
type size int64

func (s *size) String() string {
	return resource.NewQuantity(int64(*s), resource.BinarySI).String()
}

func (s *size) Type() string { return "size" }

func (s *size) Set(text string) error {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return fmt.Errorf("a size is a number like 256Mi, not %q", text)
	}
	*s = size(q.Value())
	return nil
}

func (r *Record) check() error {
	if r.File != "" && r.Limit != 0 && r.Limit < leastRecord {
		return fmt.Errorf("--record-limit must be 1Mi or more, not %s", (*size)(&r.Limit))
	}
	return nil
}

// orFolder takes the folder that the environment names, for programs without these flags: what envtest starts, and servers in Go tests.
func (r *Record) orFolder(fork bool) error {
	if r.File != "" || fork {
		return nil
	}
	var said Record
	if err := cli.InEnvironment(said.flags); err != nil {
		return err
	}
	if s, err := os.Stat(said.File); err == nil && s.IsDir() {
		*r = said
	}
	return nil
}

// recorded counts the recordings of this process.
var recorded atomic.Int64

// path is the file that is written.
func (r *Record) path() string {
	if s, err := os.Stat(r.File); err == nil && s.IsDir() {
		return filepath.Join(r.File, fmt.Sprintf("kubarium-%s-%d-%d%s", time.Now().Format("20060102-150405"), os.Getpid(), recorded.Add(1), Extension))
	}
	return r.File
}

// run is the Program as it is recorded.
func (p *Program) run(secrets bool) record.Run {
	return record.Run{Log: p.Log, Feed: &p.feed, Store: p.store, Begin: recording.Begin{
		MadeBy: version.String(), Run: p.id, URL: cmp.Or(p.URL, p.Secure), DB: p.DB, Secrets: secrets,
	}}
}

// record begins a recording, if one is wanted.
func (p *Program) record(ctx context.Context, o Record) error {
	p.id = uuid.NewString()
	if o.File == "" {
		return nil
	}
	r, err := record.Start(ctx, p.run(o.Secrets), o.path(), cmp.Or(o.Limit, defaultRecord), p.logger)
	if err != nil {
		return remedy.Add(err, "say --record FILE for one that can be written")
	}
	p.recorder = r
	ctx, end := context.WithCancel(context.Background())
	go r.Run(ctx)
	p.closers.push(func() error { // with what came last
		end()
		return r.Wait()
	})
	return nil
}

// recordingPath is where a run is told as a recording.
const recordingPath = "/debug/recording"

// recordingQuery reads what is asked of /debug/recording.
func recordingQuery(q url.Values) (o record.Options, follow, secrets bool, err error) {
	o = record.Options{Flows: true, State: true, At: -1}
	var own = true
	flags := map[string]*bool{"follow": &follow, "secrets": &secrets, "objects": &o.State, "own": &own}
	for name, values := range q {
		switch {
		case len(values) != 1:
			return o, false, false, fmt.Errorf("say %s once", name)
		case name == "after":
			if o.After, err = strconv.ParseUint(values[0], 10, 64); err != nil {
				return o, false, false, fmt.Errorf("after is the number of a flow, not %q", values[0])
			}
		case flags[name] != nil:
			if *flags[name], err = strconv.ParseBool(values[0]); err != nil {
				return o, false, false, fmt.Errorf("%s is true or false, not %q", name, values[0])
			}
		default:
			return o, false, false, fmt.Errorf("there is no parameter %s; there are after, follow, objects, own and secrets", name)
		}
	}
	o.Quiet = !own
	return o, follow, secrets, nil
}

// serveRecording tells the run as a recording (docs/recording.md): the oldest state that can be read with all changes since, and the
// requests that the log has; with ?follow=true also what comes. ?objects=false leaves the objects away: of changes it tells that they were.
func (p *Program) serveRecording(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	o, follow, secrets, err := recordingQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	flow.From(r.Context()).Settle(r.Context(), settle)
	o.Wanted = func(f *flow.Flow) bool { return f.Path != recordingPath }
	w.Header().Set("Content-Type", recording.Type)
	w.Header().Set("Content-Disposition", "attachment; filename=run"+Extension)
	conn := http.NewResponseController(w)
	to, err := recording.NewEncoder(patient{w, conn})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	err = record.Write(r.Context(), p.run(secrets), o, to, follow, func() error {
		err := conn.Flush()
		_ = conn.SetWriteDeadline(time.Time{})
		return err
	})
	if err == nil {
		err = to.Close(recording.End{At: time.Now()})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler) // so that nobody takes it for a whole one
	}
}

// A patient writer gives a slow reader some time for each write.
type patient struct {
	http.ResponseWriter
	conn *http.ResponseController
}

// Write implements io.Writer.
func (p patient) Write(b []byte) (int, error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(slowReader))
	return p.ResponseWriter.Write(b)
}
