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
	"sync"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite"
)

// The benchmarks run Kubarium over HTTP beside the least that could do the same: a bare net/http handler that writes
// the same bytes, or only commits the row. Compare the pairs of one run:
//
//	go test ./app -run '^$' -bench . -benchtime 2s

func configMap(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"labels":{"app":"bench"}},"data":{"k":%q}}`, name, bytes.Repeat([]byte("x"), 1000))
}

// newClient keeps enough connections open for all goroutines of a benchmark.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
}

func send(b testing.TB, c *http.Client, method, url string, body []byte) []byte {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		b.Fatalf("%s %s: %s %v: %.200s", method, url, resp.Status, err, data)
	}
	return data
}

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

// parallel runs do in n goroutines b.N times in all, and reports how many times a second.
func parallel(b *testing.B, n int, do func(i int64)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range n {
		wg.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

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

func BenchmarkCreate(b *testing.B) {
	for _, clients := range []int{1, 32} {
		b.Run(fmt.Sprintf("kubarium/clients=%d", clients), func(b *testing.B) {
			p := mustStart(b, "full")
			url := p.URL + "/api/v1/namespaces/default/configmaps"
			c := newClient()
			parallel(b, clients, func(i int64) { send(b, c, "POST", url, configMap(fmt.Sprintf("c-%d-%d", b.N, i))) })
		})
		b.Run(fmt.Sprintf("bare/clients=%d", clients), func(b *testing.B) {
			url := bare(b, bareCommit(b))
			c := newClient()
			parallel(b, clients, func(i int64) { send(b, c, "POST", url, configMap(fmt.Sprintf("c-%d", i))) })
		})
	}
}

// BenchmarkUpdate replaces 32 objects over and over, no two clients the same one at once.
func BenchmarkUpdate(b *testing.B) {
	const clients = 32
	b.Run("kubarium", func(b *testing.B) {
		p := mustStart(b, "full")
		url := p.URL + "/api/v1/namespaces/default/configmaps"
		c := newClient()
		free := make(chan string, clients)
		for i := range clients {
			free <- fmt.Sprintf("c%d", i)
			send(b, c, "POST", url, configMap(fmt.Sprintf("c%d", i)))
		}
		parallel(b, clients, func(i int64) {
			name := <-free
			defer func() { free <- name }()
			send(b, c, "PUT", url+"/"+name, bytes.Replace(configMap(name), []byte("xxxxxxxx"), fmt.Appendf(nil, "%08d", i), 1))
		})
	})
	b.Run("bare", func(b *testing.B) {
		url := bare(b, bareCommit(b))
		c := newClient()
		parallel(b, clients, func(i int64) { send(b, c, "PUT", url, configMap(fmt.Sprintf("c%d", i%clients))) })
	})
}

func BenchmarkGet(b *testing.B) {
	p := mustStart(b, "normal")
	c := newClient()
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	send(b, c, "POST", url, configMap("a"))
	body := send(b, c, "GET", url+"/a", nil)
	pair(b, url+"/a", body)
}

func BenchmarkList1000(b *testing.B) {
	p := mustStart(b, "normal")
	c := newClient()
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	for i := range 1000 {
		send(b, c, "POST", url, configMap(fmt.Sprintf("c%d", i)))
	}
	pair(b, url, send(b, c, "GET", url, nil))
}

// pair reads url with 8 clients, and the same bytes from a bare handler.
func pair(b *testing.B, url string, body []byte) {
	b.Run("kubarium", func(b *testing.B) {
		c := newClient()
		parallel(b, 8, func(int64) { send(b, c, "GET", url, nil) })
	})
	b.Run("bare", func(b *testing.B) {
		other := bare(b, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
		c := newClient()
		parallel(b, 8, func(int64) { send(b, c, "GET", other, nil) })
	})
}

// BenchmarkFanOut sends one change to 100 watchers; the bare handler writes the same frame to 100 open responses.
func BenchmarkFanOut(b *testing.B) {
	const watchers = 100
	b.Run("kubarium", func(b *testing.B) {
		p := mustStart(b, "normal")
		url := p.URL + "/api/v1/namespaces/default/configmaps"
		c := newClient()
		send(b, c, "POST", url, configMap("a"))
		events := openStreams(b, watchers, url+"?watch=true&resourceVersion="+listVersion(b, c, url))
		b.ResetTimer()
		for i := range b.N {
			patchConfigMap(b, c, url+"/a", i)
			for range watchers {
				<-events
			}
		}
		b.ReportMetric(float64(b.N*watchers)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("bare", func(b *testing.B) {
		frame := append(bytes.Repeat([]byte("x"), 1400), '\n')
		var mu sync.Mutex
		var streams []chan struct{}
		url := bare(b, func(w http.ResponseWriter, r *http.Request) {
			poke := make(chan struct{}, 1)
			mu.Lock()
			streams = append(streams, poke)
			mu.Unlock()
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			for {
				select {
				case <-poke:
					_, _ = w.Write(frame)
					_ = http.NewResponseController(w).Flush()
				case <-r.Context().Done():
					return
				}
			}
		})
		events := openStreams(b, watchers, url)
		b.ResetTimer()
		for range b.N {
			for _, poke := range streams {
				poke <- struct{}{}
			}
			for range watchers {
				<-events
			}
		}
		b.ReportMetric(float64(b.N*watchers)/b.Elapsed().Seconds(), "events/s")
	})
}

// openStreams opens n streams of lines and sends a token for each line that comes.
func openStreams(b *testing.B, n int, url string) <-chan struct{} {
	events := make(chan struct{}, 16*n)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	c := newClient()
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
	if err := json.Unmarshal(send(b, c, "GET", url+"?limit=1", nil), &list); err != nil {
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
