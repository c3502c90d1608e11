package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// chunk is how many objects a page of the walk has, as in client-go's pager.
const chunk = 500

// A listed is a form in which a long list is read.
type listed struct {
	name, accept, query string
	gzip                bool
	bare                bool // whether a bare handler writes the same bytes by turns
}

// listForms are the forms of lists. Protobuf and CBOR have no Tables.
var listForms = []listed{
	{name: "json", bare: true},
	{name: "gzip", gzip: true, bare: true},
	{name: "pretty", query: "pretty=true"},
	{name: "yaml", accept: "application/yaml"},
	{name: "protobuf", accept: "application/vnd.kubernetes.protobuf", bare: true},
	{name: "cbor", accept: "application/cbor"},
	{name: "table", accept: "application/json;as=Table;g=meta.k8s.io;v=v1"},
	{name: "table-objects", accept: "application/json;as=Table;g=meta.k8s.io;v=v1", query: "includeObject=Object"},
	{name: "metadata-json", accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{name: "metadata-protobuf", accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{name: "metadata-cbor", accept: "application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
}

// BenchmarkList100000 reads 100,000 ConfigMaps of 1.4 KB from the built binary, whole in every form and in pages, of which
// the client keeps nothing. It reports in milliseconds the first byte of the first list in that form (cold), the median of
// those after it (first), and of their ends (whole); and by how many MiB the binary's resident memory rose at most over
// what it was at rest, the first list included. The limits are 50 ms for the first byte, and 32 MiB. What Protobuf needs
// beyond that when it is cold is that it tells its length first: of ConfigMaps, which are not decoded for the cache, each
// object has to be measured once.
//
// A bare handler of net/http in a process of its own writes the same bytes by turns: ratio is its time divided by
// Kubarium's, whose limit is 0.7 for JSON whole and in pages.
//
//	go test ./app -run '^$' -bench List100000 -benchtime 6x
func BenchmarkList100000(b *testing.B) {
	binary, path := mustBuild(b), filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", manyObjects, storedConfigMap)
	server, pid, stop := mustServe(b, binary, path, "--controllers=false")
	defer stop()
	c, list := programtest.NewClient(), server+"/api/v1/configmaps"
	fillCache(b, c, list)
	other := mustCopy(b, server) + "/api/v1/configmaps"
	for _, f := range listForms {
		b.Run(f.name, func(b *testing.B) { f.benchmark(b, list, pid, other) })
	}
	b.Run("chunks", func(b *testing.B) {
		walk(b, c, other) // copies the pages
		benchmarkWalk(b, c, list, other)
	})
}

// benchmark reads a list in a form, and by turns the same bytes from a bare handler.
func (f listed) benchmark(b *testing.B, list string, pid int, other string) {
	c := f.client()
	var first, whole, bareWhole []float64
	settle(pid)
	at := resident(b, pid, "VmRSS")
	for b.Loop() {
		start, end := readWhole(b, c, list+"?"+f.query)
		first, whole = append(first, start), append(whole, end)
		if !f.bare || len(first) == 1 {
			continue
		}
		if len(bareWhole) == 0 {
			readWhole(b, c, other+"?"+f.query) // copies the list
		}
		_, end = readWhole(b, c, other+"?"+f.query)
		bareWhole = append(bareWhole, end)
	}
	b.ReportMetric(0, "ns/op") // bare handlers are in it, too
	b.ReportMetric(first[0], "ms-cold")
	b.ReportMetric(median(first[len(first)-max(1, len(first)-1):]), "ms-first")
	b.ReportMetric(median(whole[len(whole)-max(1, len(whole)-1):]), "ms-whole")
	b.ReportMetric(resident(b, pid, "VmHWM")-at, "MiB-more")
	if len(bareWhole) > 0 {
		b.ReportMetric(median(bareWhole)/median(whole[1:]), "ratio")
	}
}

// settle waits until a server is at rest and has given memory back, and lets its peak be measured from there.
func settle(pid int) {
	time.Sleep(5 * time.Second)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) // Linux alone has it; resident is 0 elsewhere
}

func median(times []float64) float64 {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

// client is one that asks for the form.
func (f listed) client() *http.Client {
	if f.gzip {
		return &http.Client{Transport: &http.Transport{}}
	}
	return f.plain()
}

// plain is a client that asks for the form uncompressed.
func (f listed) plain() *http.Client { return asking{programtest.NewClient(), f.accept}.client() }

// benchmarkWalk walks a list in pages, and the same pages from a bare handler by turns.
func benchmarkWalk(b *testing.B, c *http.Client, list, other string) {
	var times, bareTimes []float64
	for b.Loop() {
		for at, url := range []string{list, other} {
			start := time.Now()
			if n := walk(b, c, url); n != (manyObjects+chunk-1)/chunk {
				b.Fatalf("%d pages", n)
			}
			took := float64(time.Since(start).Microseconds()) / 1000
			if at == 0 {
				times = append(times, took)
			} else {
				bareTimes = append(bareTimes, took)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(times), "ms-whole")
	b.ReportMetric(median(bareTimes)/median(times), "ratio")
}

// walk reads a list page by page, and returns how many they were.
func walk(b *testing.B, c *http.Client, list string) (pages int) {
	for next := ""; ; pages++ {
		query := url.Values{"limit": {strconv.Itoa(chunk)}}
		if next != "" {
			query.Set("continue", next)
		}
		page := programtest.Send(b, c, "GET", list+"?"+query.Encode(), nil)
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

// asking is a client that asks for one media type; for the default if it is "".
type asking struct {
	*http.Client
	accept string
}

func (a asking) client() *http.Client { return &http.Client{Transport: a} }

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.accept == "" {
		return a.Transport.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Accept", a.accept)
	return a.Transport.RoundTrip(r)
}
