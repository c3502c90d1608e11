package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"kubarium/app/program/programtest"
)

// The benchmarks run Kubarium over HTTP beside the least that could do the same: a bare net/http handler that writes
// the same bytes, or only commits the row. Each has three parts: both by turns, which says how they compare, and either
// alone, for profiles:
//
//	go test ./app -run '^$' -bench '(Create|CreateAlone|Update|Get|List1000|FanOut)$/turns' -benchtime 3s

// bare serves handler on a port of its own.
func bare(b testing.TB, handler http.HandlerFunc) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &http.Server{Handler: handler}
	go func() { _ = s.Serve(l) }()
	b.Cleanup(func() { s.Close() })
	return "http://" + l.Addr().String()
}

// A contest is a request that Kubarium and a bare handler answer, each many times.
type contest struct {
	clients        int // at once
	kubarium, bare func(i int64)
}

// turns is how often a contest changes sides: what else happens on the machine meets both.
const turns = 20

func (c contest) run(b *testing.B) {
	var ours, theirs atomic.Int64 // requests so far
	b.Run("turns", func(b *testing.B) {
		var kubarium, bare effort
		for range turns {
			n := (b.N + turns - 1) / turns
			kubarium.add(b, n, func() { programtest.Parallel(c.clients, n, &ours, c.kubarium) })
			bare.add(b, n, func() { programtest.Parallel(c.clients, n, &theirs, c.bare) })
		}
		ratios := make([]float64, turns)
		for i := range ratios {
			ratios[i] = 100 * bare.wall[i].Seconds() / kubarium.wall[i].Seconds()
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[turns/2], "%-of-bare")
		b.ReportMetric(100*bare.cpu.Seconds()/kubarium.cpu.Seconds(), "%-of-bare-cpu")
		b.ReportMetric(kubarium.microseconds(), "cpu-µs")
		b.ReportMetric(bare.microseconds(), "bare-cpu-µs")
		b.ReportMetric(0, "ns/op")
	})
	for _, alone := range []struct {
		name string
		done *atomic.Int64
		do   func(i int64)
	}{{"kubarium", &ours, c.kubarium}, {"bare", &theirs, c.bare}} {
		b.Run(alone.name, func(b *testing.B) {
			b.ReportAllocs()
			programtest.Parallel(c.clients, b.N, alone.done, alone.do)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// An effort is what the turns of one side took.
type effort struct {
	wall     []time.Duration
	cpu      time.Duration // of the whole process, so also of the clients
	requests int
}

func (e *effort) add(b *testing.B, n int, do func()) {
	start, cpu := time.Now(), programtest.CPUTime()
	do()
	e.wall = append(e.wall, time.Since(start))
	e.cpu += programtest.CPUTime() - cpu
	e.requests += n
}

// microseconds is how long the processors worked for one request.
func (e *effort) microseconds() float64 { return 1e6 * e.cpu.Seconds() / float64(e.requests) }

// bareCommit is a handler that does nothing but commit the body as a row, each in a transaction of its own group.
func bareCommit(b testing.TB) http.HandlerFunc {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE rows(id INTEGER PRIMARY KEY, value TEXT)"); err != nil {
		b.Fatal(err)
	}
	queue := make(chan commitRequest, 256)
	go commitGroups(db, queue)
	b.Cleanup(func() { close(queue) })
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		done := make(chan error, 1)
		queue <- commitRequest{body, done}
		if err := <-done; err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		w.WriteHeader(201)
		_, _ = w.Write(body)
	}
}

type commitRequest struct {
	body []byte
	done chan error
}

// commitGroups commits all requests that wait in one transaction.
func commitGroups(db *sql.DB, queue chan commitRequest) {
	for first := range queue {
		group := []commitRequest{first}
		for len(group) < 128 && len(queue) > 0 {
			group = append(group, <-queue)
		}
		tx, err := db.Begin()
		for _, r := range group {
			if err == nil {
				_, err = tx.Exec("INSERT INTO rows(value) VALUES(?)", string(r.body))
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		for _, r := range group {
			r.done <- err
		}
	}
}

// BenchmarkCreate creates objects with 32 clients.
func BenchmarkCreate(b *testing.B) { creates(b, 32).run(b) }

// BenchmarkCreateAlone creates objects one after the other.
func BenchmarkCreateAlone(b *testing.B) { creates(b, 1).run(b) }

func creates(b *testing.B, clients int) contest {
	p := programtest.MustStart(b, "full")
	url, other := p.URL+"/api/v1/namespaces/default/configmaps", bare(b, bareCommit(b))
	c := programtest.NewClient()
	post := func(url string) func(i int64) {
		return func(i int64) { programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("c-%d", i))) }
	}
	return contest{clients, post(url), post(other)}
}

// BenchmarkUpdate replaces 32 objects over and over, no two clients the same one at once.
func BenchmarkUpdate(b *testing.B) {
	const clients = 32
	p := programtest.MustStart(b, "full")
	url, other := p.URL+"/api/v1/namespaces/default/configmaps", bare(b, bareCommit(b))
	c := programtest.NewClient()
	free := make(chan string, clients)
	for i := range clients {
		free <- fmt.Sprintf("c%d", i)
		programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("c%d", i)))
	}
	put := func(url string) func(i int64) {
		return func(i int64) {
			name := <-free
			defer func() { free <- name }()
			programtest.Send(b, c, "PUT", url+"/"+name, programtest.ConfigMapOf(name, i))
		}
	}
	contest{clients, put(url), put(other)}.run(b)
}

func BenchmarkGet(b *testing.B) {
	p := programtest.MustStart(b, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.Send(b, programtest.NewClient(), "POST", url, programtest.ConfigMap("a"))
	read(b, url+"/a")
}

func BenchmarkList1000(b *testing.B) {
	p := programtest.MustStart(b, "normal")
	c := programtest.NewClient()
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	for i := range 1000 {
		programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("c%d", i)))
	}
	read(b, url)
}

// read reads url with 8 clients, and the same bytes from a bare handler.
func read(b *testing.B, url string) {
	c := programtest.NewClient()
	body := programtest.Send(b, c, "GET", url, nil)
	other := bare(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	contest{8, func(int64) { programtest.Send(b, c, "GET", url, nil) }, func(int64) { programtest.Send(b, c, "GET", other, nil) }}.run(b)
}

// BenchmarkFanOut sends one change to 100 watchers; the bare handler writes the same frame to 100 open responses. One
// request of the contest is the whole of it.
func BenchmarkFanOut(b *testing.B) {
	const watchers = 100
	p := programtest.MustStart(b, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	c := programtest.NewClient()
	programtest.Send(b, c, "POST", url, programtest.ConfigMap("a"))
	events := openStreams(b, watchers, url+"?watch=true&resourceVersion="+listVersion(b, c, url))
	var s pokedStreams
	theirs := openStreams(b, watchers, bare(b, s.serve))
	contest{1, func(i int64) {
		patchConfigMap(b, c, url+"/a", int(i))
		for range watchers {
			<-events
		}
	}, func(int64) {
		s.poke()
		for range watchers {
			<-theirs
		}
	}}.run(b)
}

// pokedStreams are open responses that get one more frame at each poke.
type pokedStreams struct {
	mu   sync.Mutex // guards open
	open []chan struct{}
}

func (s *pokedStreams) poke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range s.open {
		stream <- struct{}{}
	}
}

// frame is as long as the event of a ConfigMap of 1 KB.
var frame = append(bytes.Repeat([]byte("x"), 1400), '\n')

func (s *pokedStreams) serve(w http.ResponseWriter, r *http.Request) {
	poked := make(chan struct{}, 1)
	s.mu.Lock()
	s.open = append(s.open, poked)
	s.mu.Unlock()
	w.WriteHeader(200)
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case <-poked:
			_, _ = w.Write(frame)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// openStreams opens n streams of lines and sends a token for each line that comes.
func openStreams(b *testing.B, n int, url string) <-chan struct{} {
	events := make(chan struct{}, 16*n)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	c := programtest.NewClient()
	for range n {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		go countLines(resp.Body, events)
	}
	return events
}

func countLines(body io.ReadCloser, events chan<- struct{}) {
	defer body.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		for range bytes.Count(buf[:n], []byte("\n")) {
			events <- struct{}{}
		}
		if err != nil {
			return
		}
	}
}

func listVersion(b testing.TB, c *http.Client, url string) string {
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(programtest.Send(b, c, "GET", url+"?limit=1", nil), &list); err != nil {
		b.Fatal(err)
	}
	return list.Metadata.ResourceVersion
}

func patchConfigMap(b testing.TB, c *http.Client, url string, i int) {
	req, err := http.NewRequest("PATCH", url, bytes.NewReader(fmt.Appendf(nil, `{"data":{"n":"%d"}}`, i)))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/merge-patch+json")
	resp, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 {
		b.Fatal(resp.Status)
	}
}
