package chain_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
)

// The cost of a reader for each flow, at 200 watches of other programs that all are sent the change.
func BenchmarkReader_Add(b *testing.B) {
	log := load(b, filepath.Join("testdata", "controllers.kubarium"))
	flows, _ := log.Since(0, 0)
	for _, c := range []struct {
		name  string
		seq   uint64
		watch string // the resource of the watches
	}{
		{"write", 406, "pods"}, {"get", 404, "pods"}, {"write of a watched resource", 406, "replicasets.apps"},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := chain.NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })
			for _, f := range flows {
				r.Add(f)
			}
			others := newRun()
			var watches []*flow.Watch
			for i := range 200 {
				t := target("watch", c.watch, "")
				w := others.log.OpenWatch(flow.WatchInfo{Client: client(fmt.Sprintf("other%d/v1", i)), Target: t})
				w.ID += 1000
				watches = append(watches, w)
				r.Add(&flow.Flow{Phase: flow.WatchOpened, Client: w.Client, Target: t, Watch: w})
			}
			f := *log.Get(c.seq)
			for i := range b.N {
				f.Seq++
				f.Start = f.Start.Add(time.Millisecond)
				if c.watch == "replicasets.apps" {
					b.StopTimer()
					for _, w := range watches {
						frame(w, float64(i), "MODIFIED", "web", int64(1000+i))
					}
					b.StartTimer()
				}
				r.Add(&f)
			}
		})
	}
}
