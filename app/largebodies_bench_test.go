package app_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"kubarium/app/program/programtest"
)

// BenchmarkLargeBodies is what large bodies take that take turns (server/budget): 8 clients let the built binary, which caches 100,000
// objects, check ConfigMaps of 20,000 keys and 0.7 MB, which leave many times that behind. Reported are the processor's time of the server
// for one of them, and by how many MiB its resident memory rose at most.
//
//	go test ./app -run '^$' -bench LargeBodies -benchtime 300x
func BenchmarkLargeBodies(b *testing.B) {
	path := filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", manyObjects, storedConfigMap)
	server, pid, stop := mustServe(b, mustBuild(b), path)
	defer stop()
	c, url := programtest.NewClient(), server+"/api/v1/namespaces/default/configmaps"
	fillCache(b, c, url)
	var data strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&data, `,"key-number-%d":"value-%d"`, i, i)
	}
	body := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{` + data.String()[1:] + `}}`)
	settle(pid)
	var done atomic.Int64
	rest, before := resident(b, pid, "VmRSS"), threadTime(b, pid)
	b.ResetTimer()
	programtest.Parallel(8, b.N, &done, func(int64) { programtest.Send(b, c, "POST", url+"?dryRun=All", body) })
	b.StopTimer()
	b.ReportMetric(1e3*(threadTime(b, pid)-before).Seconds()/float64(b.N), "cpu-ms")
	b.ReportMetric(resident(b, pid, "VmHWM")-rest, "MiB-more")
}
