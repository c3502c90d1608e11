package program_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"kubarium/app/program"
)

// A freeLock is one that each candidate gets. won is called when it is got, before the candidate knows.
type freeLock struct{ won func(context.Context) }

func (freeLock) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return nil, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, "x")
}

func (l freeLock) Create(ctx context.Context, _ resourcelock.LeaderElectionRecord) error {
	l.won(ctx)
	return nil
}

func (freeLock) Update(context.Context, resourcelock.LeaderElectionRecord) error { return nil }
func (freeLock) RecordEvent(string)                                              {}
func (freeLock) Identity() string                                                { return "me" }
func (freeLock) Describe() string                                                { return "a lock" }

// A server that ends while it is being elected does not begin to work once its term is over and another may.
func TestTerm_endsWhileElected(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that the elector goes on before what it starts
	for range 50 {
		ctx, end := context.WithCancel(t.Context())
		var over atomic.Bool
		lock := freeLock{won: func(candidate context.Context) {
			end()
			<-candidate.Done()
		}}
		err := program.Term(ctx, lock, func(context.Context) {
			if over.Load() {
				t.Error("work begins after the term")
			}
		})
		over.Store(true)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			runtime.Gosched()
		}
	}
}

// A term ends when the work does, and not before.
func TestTerm_endsWithWork(t *testing.T) {
	for _, byItself := range []bool{true, false} {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var done atomic.Bool
		err := program.Term(ctx, freeLock{won: func(context.Context) {}}, func(leading context.Context) {
			if !byItself {
				end()
				<-leading.Done()
			}
			done.Store(true)
		})
		if err != nil || !done.Load() {
			t.Errorf("by itself=%t: %v, done=%t", byItself, err, done.Load())
		}
	}
}
