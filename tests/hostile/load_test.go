package hostile_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// sentAtOnce is how many hostile requests are in progress together.
const sentAtOnce = 4

// hostileRequests is how many a load has.
const hostileRequests = 2700

// BenchmarkLoad sends 2,700 hostile requests, 4 at a time, to the built binary, while another client reads one object
// and writes one, every 20 ms. It reports the highest resident memory, and the duration of the small requests. Every
// tenth hostile client leaves before it has its answer. The goals are 300 MiB, and 100 ms at the 99th percentile.
//
//	go test ./tests/hostile -run '^$' -bench Load -benchtime 1x
func BenchmarkLoad(b *testing.B) {
	url, pid := serve(b)
	c := &client{t: b, url: url}
	c.prepare()
	all := hostile()
	for b.Loop() {
		stop := make(chan struct{})
		small := make(chan []time.Duration)
		go func() { small <- c.askSmall(stop) }()
		codes := c.sendAll(all)
		close(stop)
		took := <-small
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		b.ReportMetric(resident(b, pid, "VmHWM"), "peak-MiB")
		b.Logf("%d small requests; hostile ones were answered %v (0: the client left)", len(took), codes)
	}
	time.Sleep(5 * time.Second)
	b.ReportMetric(resident(b, pid, "VmRSS"), "rest-MiB")
}

// serve starts the built binary on an empty database, and returns its process.
func serve(b *testing.B) (url string, pid int) {
	binary := filepath.Join(b.TempDir(), "kubarium")
	if out, err := exec.Command("go", "build", "-o", binary, "kubarium").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(b.TempDir(), "k.db"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 3 {
		b.Fatalf("ready line %q, %v", line, err)
	}
	return fields[2], cmd.Process.Pid
}

// hostile returns all requests at their full size and at parts of it, repeated.
func hostile() []asking {
	groups := slices.Concat(bodies, metadata, patches, queries, asked, debugged, schemas, kinds())
	var once []asking
	for _, share := range []int{1, 4, 2, 8} {
		for _, g := range groups {
			once = append(once, g.make(max(1, g.most/share)))
		}
	}
	var all []asking
	for len(all) < hostileRequests {
		all = append(all, once[:min(len(once), hostileRequests-len(all))]...)
	}
	return all
}

// sendAll sends requests, and counts the answers by code.
func (c *client) sendAll(all []asking) map[int]int {
	codes := map[int]int{}
	var mu sync.Mutex
	next := make(chan int)
	var senders sync.WaitGroup
	for range sentAtOnce {
		senders.Go(func() {
			for i := range next {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				if i%10 == 9 {
					time.AfterFunc(50*time.Millisecond, cancel)
				}
				code, _ := c.send(ctx, all[i], "")
				cancel()
				mu.Lock()
				codes[code]++
				mu.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	senders.Wait()
	return codes
}

// askSmall reads and writes an object until stop is closed, and returns how long each took.
func (c *client) askSmall(stop chan struct{}) []time.Duration {
	var took []time.Duration
	for i := 0; ; i++ {
		select {
		case <-stop:
			return took
		case <-time.After(20 * time.Millisecond):
		}
		a := get(configMaps + "/m1")
		if i%2 == 0 {
			a = change(configMaps+"/m2", mergePatch, fmt.Sprintf(`{"data":{"i":"%d"}}`, i))
		}
		begun := time.Now()
		if code, body := c.send(context.Background(), a, ""); code != http.StatusOK {
			c.t.Errorf("a small request: %d %s", code, body)
		}
		took = append(took, time.Since(begun))
	}
}

// resident returns a process's memory from /proc, in MiB.
func resident(b *testing.B, pid int, field string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("no /proc: ", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kib) / 1024
		}
	}
	return 0
}

// BenchmarkAlone sends each hostile request at its full size to the built binary, one after another, and logs the
// highest additional resident memory of those with more than 16 MiB.
//
//	go test ./tests/hostile -run '^$' -bench Alone -benchtime 1x
func BenchmarkAlone(b *testing.B) {
	url, pid := serve(b)
	c := &client{t: b, url: url}
	c.prepare()
	for b.Loop() {
		most := 0.0
		for _, g := range slices.Concat(bodies, metadata, patches, queries, asked, debugged, schemas, kinds()) {
			before := resident(b, pid, "VmRSS")
			if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil { // resets the peak
				b.Skip("no peak to forget: ", err)
			}
			begun := time.Now()
			code, _ := c.send(context.Background(), g.make(g.most), "")
			took := time.Since(begun)
			more := resident(b, pid, "VmHWM") - before
			most = max(most, more)
			if more > 16 || took > 300*time.Millisecond {
				b.Logf("%-40s %d %5.0f MiB more than %4.0f, %v", g.name, code, more, before,
					took.Round(time.Millisecond))
			}
		}
		b.ReportMetric(most, "most-MiB")
	}
}
