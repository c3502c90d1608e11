package planted_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"kubarium/analysis/clients"
	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/server/controllers"
	"kubarium/tests/planted"
)

// causes are why each hangs. A twin is idle.
var causes = map[string]clients.Kind{
	"stuck-finalizer": clients.Finalizer,
	"conflict-loop":   clients.ConflictLoop,
	"refused-429":     clients.Throttled,
	"ended-watch":     clients.EndedWatch,
}

// later is how long after the last event it is asked what the controller waits for: longer than any time that a client
// is given to go on.
const later = 10 * time.Second

// hang runs an exercise against a server of its own. When the controller first waits for the right thing, then is
// called with the flows up to that, while all watches are open.
func hang(t *testing.T, name string, mended bool, then func(run)) {
	t.Helper()
	p, err := program.Start(t.Context(),
		program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "off",
			Controllers: controllers.All()},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	<-p.Bootstrapped()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	want := clients.Idle
	if !mended {
		want = causes[name]
	}
	var before uint64
	o := planted.Options{Mistake: name, Mended: mended, Namespace: "default-shop",
		Prepared: func() { before = last(p.Log) },
		Rests: func(ctx context.Context) error {
			flows, err := until(ctx, p.Log, before, want)
			if err == nil {
				then(flows)
			}
			return err
		}}
	if err := planted.Run(ctx, &rest.Config{Host: p.URL}, o); err != nil {
		t.Fatal(err)
	}
}

// until reads the log until the controller's first Wait is the wanted one, and returns the flows up to then.
func until(ctx context.Context, l *flow.Log, before uint64, want clients.Kind) (run, error) {
	r := clients.NewReader(func() []*flow.Watch { return l.Watches(flow.Forever) })
	r.Underway = l.Underway
	var all run
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		read := before
		if n := len(all); n > 0 {
			read = all[n-1].Seq
		}
		flows, _ := l.Since(read, 0)
		for _, f := range flows {
			r.Add(f)
		}
		all = append(all, flows...)
		c := controllerOf(r, later)
		if c != nil && c.Waits[0].Kind == want {
			return all, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return nil, fmt.Errorf("its first Wait is not %q: %+v", want, c)
		}
	}
}

// controllerOf is what is known of the controller, some time from now.
func controllerOf(r *clients.Reader, in time.Duration) *clients.Client {
	for _, tag := range r.Tags() {
		if c := r.Of(tag, time.Now().Add(in)); c.UserAgent == planted.Controller {
			return c
		}
	}
	return nil
}

// hangRecordings is where the tests of analysis/clients read the flows.
const hangRecordings = "../../analysis/clients/testdata/planted"

// Of each controller that hangs, the first thing said is why, and its twin waits for the next event. With -update their
// flows up to then are recorded.
func TestHangs(t *testing.T) {
	for _, name := range planted.Hangs() {
		if *only != "" && name != *only {
			continue
		}
		for _, suffix := range []string{"", "-mended"} {
			t.Run(name+suffix, func(t *testing.T) {
				path := filepath.Join(hangRecordings, name+suffix+".jsonl.gz")
				hang(t, name, suffix != "", func(flows run) {
					if *update {
						flows.save(t, path)
					} else if _, err := os.Stat(path); err != nil {
						t.Errorf("%v; record it with -update", err)
					}
				})
			})
		}
	}
}
