package answer

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/cache"
)

// Each object is measured once, whoever asks again; a client that has gone ends it.
func TestTypedList_measure(t *testing.T) {
	objects := make([]*cache.Object, 1000)
	for i := range objects {
		objects[i] = &cache.Object{}
	}
	var made atomic.Int64
	l := typedList{item: func(*cache.Object) (runtime.Object, error) {
		made.Add(1)
		return &metav1.PartialObjectMetadata{}, nil
	}}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.measure(gone, objects); !errors.Is(err, context.Canceled) || made.Load() > 0 {
		t.Errorf("for nobody: %v, %d made", err, made.Load())
	}
	for range 2 {
		if err := l.measure(t.Context(), objects); err != nil || made.Load() != 1000 {
			t.Errorf("%v, %d made", err, made.Load())
		}
	}
}

// A panic while objects are measured is one of the request, which the server outlives.
func TestTypedList_measure_panic(t *testing.T) {
	l := typedList{item: func(*cache.Object) (runtime.Object, error) { panic("a bug") }}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = l.measure(t.Context(), []*cache.Object{{}})
}
