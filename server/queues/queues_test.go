package queues_test

import (
	"runtime"
	"testing"

	"k8s.io/client-go/util/workqueue"
	_ "k8s.io/component-base/metrics/prometheus/workqueue" // what gives a provider

	_ "kubarium/server/queues"
)

// A queue with a name has no goroutine that wakes by itself.
func TestQueues(t *testing.T) {
	before := runtime.NumGoroutine()
	q := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "q"})
	after := runtime.NumGoroutine()
	q.ShutDown()
	if after != before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
