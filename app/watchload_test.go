package app_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// manyWatchers is how many watches BenchmarkWatchLatency opens.
const manyWatchers = 1000

// BenchmarkWatchLatency sends one change at a time to 1,000 watchers, all of whom must get it, and reports the time from
// the request that made it, and from the beginning of the transaction that committed it, until a watcher has the event,
// and the allocations of the process for each event that was delivered. The bare pair is a handler that writes the same
// frame to 1,000 open responses when it is asked to. Clients run in the same process.
//
//	go test ./app -run '^$' -bench WatchLatency -benchtime 50x
func BenchmarkWatchLatency(b *testing.B) {
	b.Run("kubarium", func(b *testing.B) {
		p := programtest.MustStart(b, "normal")
		url := p.URL + "/api/v1/namespaces/default/configmaps"
		c := programtest.NewClient()
		programtest.Send(b, c, "POST", url, programtest.ConfigMap("a"))
		events := openStreams(b, manyWatchers, url+"?watch=true&resourceVersion="+listVersion(b, c, url))
		committed := func() time.Time {
			commits, _ := p.Log.Commits(0)
			return commits[len(commits)-1].At
		}
		latencies(b, events, func(i int) { patchConfigMap(b, c, url+"/a", i) }, committed)
	})
	b.Run("bare", func(b *testing.B) {
		s := &bareStreams{frame: append(make([]byte, 1400), '\n')}
		url := bare(b, s.ServeHTTP)
		c := programtest.NewClient()
		events := openStreams(b, manyWatchers, url)
		latencies(b, events, func(int) { programtest.Send(b, c, "POST", url, nil) }, nil)
	})
}

// latencies makes b.N changes and waits after each until every watcher has it. committed, which may be nil, tells when
// the last change was committed.
func latencies(b *testing.B, events <-chan struct{}, change func(i int), committed func() time.Time) {
	var fromRequest, fromCommit []time.Duration
	var before, after runtime.MemStats
	arrived := make([]time.Time, manyWatchers)
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		go change(i)
		receive(b, events, arrived)
		for _, at := range arrived {
			fromRequest = append(fromRequest, at.Sub(start))
		}
		if committed == nil {
			continue
		}
		begun := committed()
		for _, at := range arrived {
			fromCommit = append(fromCommit, at.Sub(begun))
		}
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	reportLatencies(b, fromRequest, "")
	reportLatencies(b, fromCommit, "-from-commit")
	b.ReportMetric(float64(len(fromRequest))/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(len(fromRequest)), "allocs/event")
}

// receive waits until every watcher has an event, and notes when.
func receive(b *testing.B, events <-chan struct{}, arrived []time.Time) {
	missed := time.After(20 * time.Second)
	for n := range arrived {
		select {
		case <-events:
			arrived[n] = time.Now()
		case <-missed:
			b.Fatalf("%d watchers missed a change", len(arrived)-n)
		}
	}
}

func reportLatencies(b *testing.B, all []time.Duration, what string) {
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms-p50"+what)
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "ms-p99"+what)
}

// bareStreams writes a frame to every GET that is open when it gets a POST.
type bareStreams struct {
	frame []byte
	mu    sync.Mutex
	pokes []chan struct{}
}

func (s *bareStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, poke := range s.pokes {
			poke <- struct{}{}
		}
		return
	}
	poke := make(chan struct{}, 1)
	s.mu.Lock()
	s.pokes = append(s.pokes, poke)
	s.mu.Unlock()
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	for {
		select {
		case <-poke:
			_, _ = w.Write(s.frame)
			_ = rc.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// BenchmarkWatchMemory serves 100,000 ConfigMaps of 1.4 KB with the built binary, lists them, opens 1,000 watches on them,
// and sends each watch 300 events. It reports the resident memory after each step, its peak, and what a watch takes of it
// when it is new and when it was used. Compare with the goal: never more than 400 MiB.
//
//	go test ./app -run '^$' -bench WatchMemory -benchtime 1x
func BenchmarkWatchMemory(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "kubarium")
	if out, err := exec.Command("go", "build", "-o", binary, "kubarium").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	path := filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", manyObjects, storedConfigMap)
	for b.Loop() {
		server, pid, stop := mustServe(b, binary, path)
		watchMany(b, server+"/api/v1/namespaces/default/configmaps", func(name string) float64 { return resident(b, pid, name) })
		stop()
	}
}

func watchMany(b *testing.B, url string, resident func(name string) float64) {
	const events = 300
	c := programtest.NewClient()
	readWhole(b, c, url)
	listed := resident("VmRSS")
	b.ReportMetric(listed, "MiB-listed")
	got := openStreams(b, manyWatchers, fmt.Sprintf("%s?watch=true&resourceVersion=%s", url, listVersion(b, c, url)))
	opened := resident("VmRSS")
	b.ReportMetric((opened-listed)*1024/manyWatchers, "KiB/watch-open")
	for i := range events {
		patchConfigMap(b, c, url+"/app-000000-7d4b9c5f6d-x2v9k", i)
		for range manyWatchers {
			<-got
		}
	}
	used := resident("VmRSS")
	b.ReportMetric((used-listed)*1024/manyWatchers, "KiB/watch-used")
	b.ReportMetric(used, "MiB-used")
	b.ReportMetric(resident("VmHWM"), "MiB-most")
}
