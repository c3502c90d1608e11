package recording_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// update is a flow of a PUT of a 1 KB object, with its change.
func update(n int) (*flow.Flow, *recording.Change) {
	object := fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c%d","namespace":"default","uid":"%08x-0000"},"data":{"n":"%d","text":"%0900d"}}`, n%100, n, n, n)
	commit := flow.Commit{Revision: int64(n), Type: flow.Updated, Resource: "configmaps", Namespace: "default",
		Name: fmt.Sprintf("c%d", n%100), At: time.Unix(int64(n), 0)}
	f := &flow.Flow{
		Seq: uint64(n), Start: time.Unix(int64(n), 0), Duration: time.Millisecond,
		Client: flow.Client{Tag: "k1", UserAgent: "bench/v1.37", Remote: "127.0.0.1:4000", User: "system:admin"},
		Method: "PUT", Path: fmt.Sprintf("/api/v1/namespaces/default/configmaps/c%d", n%100), Proto: "HTTP/1.1",
		Target: flow.Target{Verb: "update", Version: "v1", Resource: "configmaps", Namespace: "default",
			Name: fmt.Sprintf("c%d", n%100)},
		RequestHeader: map[string][]string{"User-Agent": {"bench/v1.37"}, "Accept": {"application/json"},
			"Content-Type": {"application/json"}, "Content-Length": {"1020"}, "Accept-Encoding": {"gzip"}},
		RequestBody: flow.Body{Kept: object, Total: int64(len(object))}, Status: 200,
		ResponseHeader: map[string][]string{"Audit-Id": {fmt.Sprintf("%032x", n)},
			"Cache-Control": {"no-cache, private"}, "Content-Type": {"application/json"},
			"Date": {time.Unix(int64(n/100), 0).String()}, "Content-Length": {"1050"}},
		ResponseBody: flow.Body{Kept: object, Total: int64(len(object))}, Revision: int64(n),
		SentRevision: int64(n - 100),
		Effects:      []flow.Effect{{Commit: commit, Before: object, After: object}},
		Batch:        &flow.Batch{ID: uint64(n), Writes: 1, Commit: time.Millisecond, Outcome: "committed"},
	}
	for i, name := range []string{"route", "authenticate", "authorize", "negotiate", "decode", "mutate", "validate",
		"admit", "store", "encode", "respond"} {
		f.Stations = append(f.Stations, flow.Station{Name: name, Start: time.Duration(i*1000 + n%777),
			Length: time.Duration(n % 1000), Note: "1020 B"})
	}
	f.Statements = []flow.Statement{{SQL: "UPDATE objects SET value = ?3 WHERE resource = ?1 AND key = ?2 AND " +
		"revision = ?4", Args: []string{"configmaps", "default/c", flow.ShortArg(string(object)), "12"}, Kinds: "ttTn",
		Rows: 1, Start: 5000, Length: 40000}}
	return f, &recording.Change{Commit: commit, Before: int64(n - 100), Value: object}
}

// run is a recording of n updates.
func run(tb testing.TB, n int) []byte {
	flows, changes := make([]*flow.Flow, n), make([]*recording.Change, n)
	for i := range n {
		flows[i], changes[i] = update(i + 1000)
	}
	return tape(tb, func(e *recording.Encoder) {
		must(tb, e.Begin(recording.Begin{}))
		for i := range n {
			must(tb, e.Change(changes[i]))
			must(tb, e.Flow(flows[i]))
		}
	})
}

// BenchmarkEncoder is the cost of recording an update of a 1 KB object, with compression and the version.
func BenchmarkEncoder(b *testing.B) {
	flows, changes := make([]*flow.Flow, 1000), make([]*recording.Change, 1000)
	for i := range flows {
		flows[i], changes[i] = update(i + 1000)
	}
	var size counter
	e, err := recording.NewEncoder(&size)
	must(b, err)
	must(b, e.Begin(recording.Begin{}))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		must(b, e.Change(changes[i%1000]))
		must(b, e.Flow(flows[i%1000]))
	}
	b.ReportMetric(float64(size)/float64(b.N), "B/flow")
}

type counter int64

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// BenchmarkDecoder reads 10,000 updates.
func BenchmarkDecoder(b *testing.B) {
	data := run(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		d, err := recording.NewDecoder(bytes.NewReader(data))
		must(b, err)
		n := 0
		for ; ; n++ {
			if _, err := d.Next(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		d.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/flow")
	b.ReportMetric(float64(len(data))/10_000, "B/flow")
}
