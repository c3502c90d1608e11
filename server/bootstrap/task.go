package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// A task makes the objects of one subject and keeps them as they should be.
type task struct {
	name   string
	kinds  []schema.GroupVersionResource // that it needs
	ensure func(context.Context) error   // creates and corrects objects; it writes only where they differ
	watch  []cache.SharedIndexInformer   // ensure is called again when one of these changes; it may read them
	poke   chan struct{}                 // or when a value comes; may be nil
	every  time.Duration                 // or after this time; 0 means never

	before   <-chan struct{} // closed when it is this task's turn for the first time
	after    func()          // lets the next one begin
	made     func()          // called when all is there for the first time
	others   bool            // other servers of the store make the same objects: those that they make first are no error
	troubles *troubles
}

const (
	quiet      = 100 * time.Millisecond // how long changes are gathered
	firstPause = time.Second            // before the next try after a failure; doubled each time
	lastPause  = 30 * time.Second
)

// run ends with ctx, or when nothing needs to be kept.
func (t *task) run(ctx context.Context) {
	var watching sync.WaitGroup
	defer watching.Wait()
	changed := t.poke
	if changed == nil {
		changed = make(chan struct{}, 1)
	}
	defer t.after()
	select {
	case <-ctx.Done():
		return
	case <-t.before:
	}
	t.follow(ctx, &watching, changed)
	for pause, outrun := firstPause, t.others; ; {
		again := t.every
		if err := t.ensure(ctx); err == nil {
			pause, outrun = firstPause, t.others
			t.troubles.over(t.name)
			t.made()
		} else if ctx.Err() == nil {
			if !outrun {
				t.troubles.tell(t.name, err)
			}
			outrun = false
			again, pause = pause, min(2*pause, lastPause)
		}
		t.after()
		if again == 0 && len(t.watch) == 0 && t.poke == nil {
			return
		}
		if !t.wait(ctx, changed, again) {
			return
		}
	}
}

// follow starts to watch, and waits until everything was seen once.
func (t *task) follow(ctx context.Context, wg *sync.WaitGroup, changed chan struct{}) {
	poke := func() {
		select {
		case changed <- struct{}{}:
		default: // it is due already
		}
	}
	for _, informer := range t.watch {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { poke() }, UpdateFunc: func(any, any) { poke() }, DeleteFunc: func(any) { poke() },
		})
		if err != nil {
			t.troubles.tell(t.name, err)
		}
		wg.Go(func() { informer.RunWithContext(ctx) })
	}
	for _, informer := range t.watch {
		select {
		case <-ctx.Done():
		case <-informer.HasSyncedChecker().Done():
		}
	}
}

// wait waits until something has changed or the time has come, and reports false if ctx ends first.
func (t *task) wait(ctx context.Context, changed <-chan struct{}, d time.Duration) bool {
	var due <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-due:
		return true
	case <-changed:
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(quiet):
		return true
	}
}

// troubles are the tasks that fail at the moment. Only the first is reported: the others fail for the same reason.
type troubles struct {
	log *slog.Logger

	mu sync.Mutex // guards of
	of map[string]bool
}

func (t *troubles) tell(name string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.of) == 0 {
		t.log.Warn("bootstrap objects are missing; they are tried again", "of", name, "error", err)
	}
	t.of[name] = true
}

func (t *troubles) over(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, name)
}

// atOnce is how many objects are written at once, which the store commits together. More would be in the way of the first
// clients.
const atOnce = 4

// each does something about all items, a few at once. A refused object does not stop the others, but a server
// that cannot write does.
func each[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	var mu sync.Mutex // guards refused
	var refused []error
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			err := do(ctx, item)
			var status apierrors.APIStatus
			if errors.As(err, &status) && status.Status().Code < 500 {
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, err)
				return nil
			}
			return err
		})
	}
	return errors.Join(append(refused, group.Wait())...)
}
