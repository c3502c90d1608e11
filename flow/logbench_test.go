package flow_test

import (
	"fmt"
	"testing"

	"kubarium/flow"
)

// BenchmarkLog_Publish is the cost of a full log itself, without making records. Run it with -cpu 4 for four writers.
// The given number of each eight flows is Kubarium's own.
func BenchmarkLog_Publish(b *testing.B) {
	for _, own := range []int{0, 2, 8} {
		b.Run(fmt.Sprintf("own=%d", own), func(b *testing.B) {
			const held = 2048
			l := flow.NewLog(flow.Limits{Flows: held})
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var again [4 * held]flow.Flow // each has aged out when its turn comes again
				for i := range again {
					again[i].Client.UserAgent = "kubectl/v1.37"
					if i%8 < own {
						again[i].Client.UserAgent = "kubarium-controller/pods"
					}
				}
				for i := 0; pb.Next(); i++ {
					l.Publish(&again[i%len(again)])
				}
			})
		})
	}
}

// BenchmarkLog_Get is a lookup of a held flow in a log of the usual size, of which every other one is Kubarium's own.
func BenchmarkLog_Get(b *testing.B) {
	l := flow.NewLog(flow.Limits{})
	for i := range 60_000 {
		f := &flow.Flow{}
		if i >= 20_000 && i%2 == 0 {
			f.Client.UserAgent = flow.UIAgent
		}
		l.Publish(f)
	}
	seq := uint64(20_000)
	for b.Loop() {
		if seq = seq*7919%40_000 + 20_000; l.Get(seq) == nil {
			b.Fatal(seq)
		}
	}
}
