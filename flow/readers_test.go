package flow_test

import (
	"testing"
	"testing/synctest"
	"time"

	"kubarium/flow"
)

// Settle waits for requests that began before, until they are published or the time is over, but not for requests that
// have called it themselves: reading the Log may take very long.
func TestRecorder_Settle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := flow.NewLog(flow.Limits{})
		settle := func() time.Duration {
			start := time.Now()
			l.Begin(nil).Settle(t.Context(), time.Second)
			return time.Since(start)
		}
		if took := settle(); took != 0 {
			t.Errorf("alone: %s", took)
		}
		if took := settle(); took != 0 {
			t.Errorf("after one that has settled and goes on: %s", took)
		}
		slow := l.Begin(nil)
		if took := settle(); took != time.Second {
			t.Errorf("after one that goes on: %s", took)
		}
		time.AfterFunc(100*time.Millisecond, func() { slow.Publish(flow.Whole) })
		if took := settle(); took < 100*time.Millisecond || took > 200*time.Millisecond {
			t.Errorf("after one that ends: %s", took)
		}
		if took := settle(); took != 0 {
			t.Errorf("after one that has ended: %s", took)
		}
	})
}
