package app_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// BenchmarkRoom is what it brings that the program sets itself how much garbage may lie between two collections (memory.go), beside
// fixed shares of what is in use, as $GOGC sets them: 32 clients write to the built binary, which has nothing else or 100,000 objects
// read into its cache. Reported are the processor's time of the server for a write, its most anonymous memory meanwhile, and what it
// keeps when it rests.
//
//	go test ./app -run '^$' -bench Room -benchtime 20000x
func BenchmarkRoom(b *testing.B) {
	binary := mustBuild(b)
	for _, stored := range []int{0, manyObjects} {
		for _, share := range []string{"", "25", "50", "100", "200"} {
			name := "own"
			if share != "" {
				name = "GOGC=" + share
			}
			b.Run(fmt.Sprintf("stored=%d/%s", stored, name), func(b *testing.B) {
				b.Setenv("GOGC", share)
				path := filepath.Join(b.TempDir(), "k.db")
				if stored > 0 {
					fill(b, path, "configmaps", stored, storedConfigMap)
				}
				url, pid, stop := mustServe(b, binary, path)
				defer stop()
				url += "/api/v1/namespaces/default/configmaps"
				c := programtest.NewClient()
				fillCache(b, c, url)
				benchmarkRoom(b, pid, func(i int64) { programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("c-%d", i))) })
			})
		}
	}
}

func benchmarkRoom(b *testing.B, pid int, write func(i int64)) {
	const clients, rest = 32, 8 * time.Second
	time.Sleep(rest)
	var done atomic.Int64
	before, peak, stopped := threadTime(b, pid), 0.0, make(chan struct{})
	go func() {
		defer close(stopped)
		for int(done.Load()) < b.N {
			peak = max(peak, resident(b, pid, "RssAnon"))
			time.Sleep(20 * time.Millisecond)
		}
	}()
	b.ResetTimer()
	programtest.Parallel(clients, b.N, &done, write)
	b.StopTimer()
	b.ReportMetric(1e6*(threadTime(b, pid)-before).Seconds()/float64(b.N), "cpu-µs")
	<-stopped
	b.ReportMetric(peak, "MiB-most")
	time.Sleep(rest)
	b.ReportMetric(resident(b, pid, "RssAnon"), "MiB-rest")
}
