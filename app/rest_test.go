package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// restAfter is how long a server gets to come to rest: its bootstrap objects are made, and what their making took is given back.
const restAfter = 40 * time.Second

// BenchmarkAtRest is what the built binary takes while nobody asks it for anything, as serve and with its UI on a terminal of 120x36. Compare with
// the goals for the UI: 0.5 % of a core, and 60 MiB of anonymous memory. On Linux alone.
//
//	go test ./app -run '^$' -bench AtRest -benchtime 60s
func BenchmarkAtRest(b *testing.B) {
	binary := mustBuild(b)
	b.Run("serve", func(b *testing.B) {
		_, pid, stop := mustServe(b, binary, filepath.Join(b.TempDir(), "k.db"))
		defer stop()
		rests(b, pid)
	})
	b.Run("ui", func(b *testing.B) {
		ui := mustShow(newTTY(b), binary, filepath.Join(b.TempDir(), "k.db"))
		defer ui.stop()
		rests(b, ui.pid)
	})
}

// rests lets a server come to rest, and reports what it takes from then on.
func rests(b *testing.B, pid int) {
	time.Sleep(restAfter)
	before, begun := threadTime(b, pid), time.Now()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(100*(threadTime(b, pid)-before).Seconds()/time.Since(begun).Seconds(), "%-core")
	b.ReportMetric(resident(b, pid, "RssAnon"), "MiB-anonymous")
}

// threadTime is what the threads of a process have had of all processors.
func threadTime(b *testing.B, pid int) (sum time.Duration) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		b.Skip("there is no /proc")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		if n, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64); err == nil {
			sum += time.Duration(n)
		}
	}
	return sum
}
