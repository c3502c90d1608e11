//go:build unix

package tui_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"kubarium/flow"
	"kubarium/tui"
)

// A link is a terminal device of which the test reads the output as it comes.
type link struct {
	ptm, pts *os.File
	out      chan string
}

func newLink(b *testing.B) *link {
	b.Helper()
	b.Setenv("TERM", "xterm-256color")
	b.Setenv("LANG", "C.UTF-8")
	ptm, pts, err := pty.Open()
	if err != nil {
		b.Skip("no terminal device: ", err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 120, Rows: 36}); err != nil {
		b.Fatal(err)
	}
	l := &link{ptm, pts, make(chan string, 1024)}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := ptm.Read(buf)
			if err != nil {
				close(l.out)
				return
			}
			l.out <- string(buf[:n])
		}
	}()
	return l
}

// until reads the output until it has a text.
func (l *link) until(b *testing.B, want string) {
	b.Helper()
	late := time.After(10 * time.Second)
	for seen := ""; ; {
		select {
		case s := <-l.out:
			if seen += s; strings.Contains(seen, want) {
				return
			}
		case <-late:
			b.Fatalf("%q does not come", want)
		}
	}
}

// BenchmarkRun_Key is a key pressed at any moment, until what it does is on a terminal of 120x36 that answers no question,
// while 1,000 requests a second are published.
func BenchmarkRun_Key(b *testing.B) {
	l := newLink(b)
	log := flow.NewLog(flow.Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = tui.Run(ctx, tui.Options{Log: log, URL: "http://127.0.0.1:8080", NoIntro: true, In: l.pts, Out: l.pts})
	}()
	go func() {
		for i := 0; ctx.Err() == nil; i += 10 {
			for j := range 10 {
				log.Publish(request("get", fmt.Sprint("object-", i+j), 200))
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	l.until(b, "object-")
	var took []time.Duration
	for b.Loop() {
		for _, step := range [][2]string{{"2", "No client is watching."}, {"1", "sort start"}} {
			key, shows := step[0], step[1]
			time.Sleep(30*time.Millisecond + rand.N(60*time.Millisecond))
			began := time.Now()
			if _, err := io.WriteString(l.ptm, key); err != nil {
				b.Fatal(err)
			}
			l.until(b, shows)
			took = append(took, time.Since(began))
		}
	}
	cancel()
	<-ended
	slices.Sort(took)
	for _, p := range []int{50, 95, 100} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Microseconds())/1000, fmt.Sprintf("ms-p%d", p))
	}
}

// BenchmarkRun_FirstFrame is the time from the start of the UI to its first frame, on a terminal that answers nothing.
func BenchmarkRun_FirstFrame(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		l := newLink(b)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		b.StartTimer()
		began := time.Now()
		go func() {
			defer close(ended)
			_, _ = tui.Run(ctx, tui.Options{Log: flow.NewLog(flow.Limits{}), URL: "http://127.0.0.1:8080", NoIntro: true, In: l.pts, Out: l.pts})
		}()
		l.until(b, "No requests yet.")
		took = append(took, time.Since(began))
		b.StopTimer()
		cancel()
		<-ended
		l.ptm.Close()
		l.pts.Close()
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
}
