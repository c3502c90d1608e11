package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"kubarium/flow"
)

// A lifetime ends as a context of the standard library would, whether or not somebody waits for it: at its deadline, with its parent, or
// when it is ended; and it says the same of that ever after.
func TestLifetime(t *testing.T) {
	for name, c := range map[string]struct {
		timeout time.Duration
		happens func(l *lifetime, parent context.CancelFunc)
		want    error
	}{
		"nothing":      {time.Hour, func(*lifetime, context.CancelFunc) {}, nil},
		"its deadline": {-time.Second, func(*lifetime, context.CancelFunc) {}, context.DeadlineExceeded},
		"its parent":   {time.Hour, func(_ *lifetime, parent context.CancelFunc) { parent() }, context.Canceled},
		"its end":      {time.Hour, func(l *lifetime, _ context.CancelFunc) { l.end() }, context.Canceled},
	} {
		for _, waited := range []bool{false, true} {
			parent, cancel := context.WithCancel(context.Background())
			defer cancel()
			var l lifetime
			l.begin(parent, nil, c.timeout)
			if waited {
				l.Done()
			}
			c.happens(&l, cancel)
			for range 2 {
				if got := l.Err(); got != c.want {
					t.Errorf("%s, waited for: %v: Err is %v, want %v", name, waited, got, c.want)
				}
				l.Deadline()
				if c.want != nil {
					<-l.Done()
					l.end()
				}
			}
			if c.want == nil {
				select {
				case <-l.Done():
					t.Errorf("%s: it is done", name)
				default:
				}
				l.end()
			}
		}
	}
}

// Contexts that are made of a lifetime end with it, and know its flow and its deadline.
func TestLifetime_child(t *testing.T) {
	rec := flow.NewLog(flow.Limits{}).Begin(nil)
	var l lifetime
	l.begin(context.Background(), rec, time.Hour)
	child, cancel := context.WithCancel(context.WithValue(&l, contextValue{}, 1))
	defer cancel()
	if at, ok := child.Deadline(); !ok || time.Until(at) > time.Hour {
		t.Error(at, ok)
	}
	if flow.From(child) != rec || child.Value(contextValue{}) != 1 {
		t.Error("values are lost")
	}
	l.end()
	<-child.Done()
	if !errors.Is(child.Err(), context.Canceled) {
		t.Error(child.Err())
	}
}

type contextValue struct{}
