package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"kubarium/app"
)

// chunk is how many objects a page of the walk has, as in client-go's pager.
const chunk = 500

// BenchmarkList100000 reads 100,000 ConfigMaps of 1.4 KB, whole and in pages, each beside a bare handler that writes the
// same bytes in the same answers. Of whole lists it reports the first byte, the last, and by how much the resident memory
// of the process rose at most, client and server together; the client keeps nothing. Lists that are compressed, indented,
// YAML or Tables are measured in the same way; what a bare handler compresses is compressed as it goes, too.
//
//	go test ./app -run '^$' -bench List100000 -benchtime 5x
func BenchmarkList100000(b *testing.B) {
	path := filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", manyObjects, storedConfigMap)
	p := mustStartConfig(b, app.Config{Listen: "127.0.0.1:0", DB: path, History: 5 * time.Minute, Sync: "normal"})
	c, list := newClient(), p.URL+"/api/v1/configmaps"
	send(b, c, "GET", list+"?limit=1", nil) // fills the cache
	copied := &recorded{answers: map[string][]byte{}}
	other := bare(b, copied.ServeHTTP)
	b.Run("whole/kubarium", func(b *testing.B) { benchmarkWhole(b, c, list) })
	copied.take(b, c, p.URL, "/api/v1/configmaps", "")
	b.Run("whole/bare", func(b *testing.B) { benchmarkWhole(b, c, other+"/api/v1/configmaps") })
	unzips := &http.Client{Transport: &http.Transport{}}
	b.Run("gzip/kubarium", func(b *testing.B) { benchmarkWhole(b, unzips, list) })
	b.Run("gzip/bare", func(b *testing.B) { benchmarkWhole(b, unzips, other+"/api/v1/configmaps") })
	b.Run("pretty/kubarium", func(b *testing.B) { benchmarkWhole(b, c, list+"?pretty=true") })
	b.Run("yaml/kubarium", func(b *testing.B) { benchmarkWhole(b, asking{c, "application/yaml"}.client(), list) })
	b.Run("protobuf/kubarium", func(b *testing.B) {
		benchmarkWhole(b, asking{c, "application/vnd.kubernetes.protobuf"}.client(), list)
	})
	b.Run("cbor/kubarium", func(b *testing.B) { benchmarkWhole(b, asking{c, "application/cbor"}.client(), list) })
	b.Run("table/kubarium", func(b *testing.B) {
		benchmarkWhole(b, asking{c, "application/json;as=Table;g=meta.k8s.io;v=v1"}.client(), list+"?includeObject=Object")
	})
	copied.take(b, c, p.URL, "/api/v1/configmaps", "pretty=true")
	b.Run("pretty/bare", func(b *testing.B) { benchmarkWhole(b, c, other+"/api/v1/configmaps?pretty=true") })
	copied.forget()
	b.Run("chunks/kubarium", func(b *testing.B) { benchmarkWalk(b, c, list) })
	copied.takeWalk(b, c, p.URL)
	b.Run("chunks/bare", func(b *testing.B) { benchmarkWalk(b, c, other+"/api/v1/configmaps") })
}

func benchmarkWhole(b *testing.B, c *http.Client, url string) {
	highest := watchResident(b)
	var first, whole float64
	for b.Loop() {
		f, w := readWhole(b, c, url)
		first, whole = first+f, whole+w
	}
	b.ReportMetric(first/float64(b.N), "ms-first-byte")
	b.ReportMetric(whole/float64(b.N), "ms-whole")
	b.ReportMetric(highest(), "MiB-more")
}

func benchmarkWalk(b *testing.B, c *http.Client, url string) {
	for b.Loop() {
		if n := walk(b, c, url, nil); n != (manyObjects+chunk-1)/chunk {
			b.Fatalf("%d pages", n)
		}
	}
	b.ReportMetric(float64(b.N)*manyObjects/b.Elapsed().Seconds(), "objects/s")
}

// walk reads a list page by page, tells each of them, and returns how many they were.
func walk(b *testing.B, c *http.Client, list string, each func(query string, page []byte)) (pages int) {
	for next := ""; ; pages++ {
		query := url.Values{"limit": {strconv.Itoa(chunk)}}
		if next != "" {
			query.Set("continue", next)
		}
		page := send(b, c, "GET", list+"?"+query.Encode(), nil)
		if each != nil {
			each(query.Encode(), page)
		}
		if next = continueOf(b, page); next == "" {
			return pages + 1
		}
	}
}

// continueOf reads the token in the metadata of a list, which is its beginning, and leaves the items alone.
func continueOf(b *testing.B, page []byte) string {
	var meta struct{ Continue string }
	_, rest, found := bytes.Cut(page, []byte(`"metadata":`))
	if !found {
		b.Fatalf("no metadata in %.100s", page)
	}
	if err := json.NewDecoder(&limited{rest}).Decode(&meta); err != nil {
		b.Fatal(err)
	}
	return meta.Continue
}

// limited gives a decoder no more than it asks for in small pieces, so that it does not copy a page for its first line.
type limited struct{ rest []byte }

func (l *limited) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 512)], l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// recorded is a bare handler that writes the answers it was given, by their queries.
type recorded struct {
	mu      sync.Mutex
	answers map[string][]byte
}

func (r *recorded) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	answer, ok := r.answers[req.URL.RawQuery]
	r.mu.Unlock()
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if req.Header.Get("Accept-Encoding") != "gzip" {
		_, _ = w.Write(answer)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	_, _ = z.Write(answer)
	_ = z.Close()
}

func (r *recorded) take(b *testing.B, c *http.Client, server, path, query string) {
	answer := send(b, c, "GET", server+path+"?"+query, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[query] = answer
}

// forget lets go of all answers.
func (r *recorded) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.answers)
}

// asking is a client that asks for one media type.
type asking struct {
	*http.Client
	accept string
}

func (a asking) client() *http.Client { return &http.Client{Transport: a} }

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", a.accept)
	return a.Transport.RoundTrip(r)
}

func (r *recorded) takeWalk(b *testing.B, c *http.Client, server string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	walk(b, c, server+"/api/v1/configmaps", func(query string, page []byte) { r.answers[query] = page })
}

// watchResident looks at the resident memory of this process again and again; what it returns ends that and returns by
// how many MiB it rose at most.
func watchResident(b *testing.B) (highest func() float64) {
	start := resident(b, os.Getpid(), "VmRSS")
	most := start
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, resident(b, os.Getpid(), "VmRSS"))
			}
		}
	}()
	return func() float64 {
		close(stop)
		<-done
		return most - start
	}
}
