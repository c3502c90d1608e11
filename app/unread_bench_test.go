package app_test

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/program/programtest"
)

// unread is how many clients BenchmarkUnread lets ask for all objects, and read nothing.
const unread = 300

// BenchmarkUnread lets 300 clients ask the built binary for 100,000 small ConfigMaps and read nothing, while another client writes one of them
// every 20 ms for 30 s. It reports how long the writes took, and the resident memory, at rest and at its peak. Limits for streaming lists:
// 250 ms at the 99th percentile, and 600 MiB.
//
//	go test ./app -run '^$' -bench Unread -benchtime 1x
func BenchmarkUnread(b *testing.B) {
	binary, path := mustBuild(b), filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", manyObjects, func(i int) []byte {
		return fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"app-%06d-7d4b9c5f6d-x2v9k","namespace":"default",`+
			`"uid":"0b6e1f0a-7a3c-4c9e-9d1f-%012d","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"k":"x"}}`, i, i)
	})
	const stream = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	for _, c := range []struct{ name, query, header string }{
		{"streaming list", stream, ""},
		{"streaming list, gzip", stream, "Accept-Encoding: gzip\r\n"},
		{"streaming list, Protobuf", stream, "Accept: application/vnd.kubernetes.protobuf\r\n"},
		{"list", "", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			server, pid, stop := mustServe(b, binary, path, "--controllers=false")
			defer stop()
			for b.Loop() {
				writeBesideUnread(b, server, c.query, c.header, func(name string) float64 { return resident(b, pid, name) })
			}
		})
	}
}

func writeBesideUnread(b *testing.B, server, query, header string, resident func(string) float64) {
	maps := "/api/v1/namespaces/default/configmaps"
	c := programtest.NewClient()
	fillCache(b, c, server+maps)
	b.ReportMetric(resident("VmRSS"), "MiB-before")
	address := strings.TrimPrefix(server, "http://")
	for range unread {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET %s?%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", maps, query, address, header)
	}
	var took []float64
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		start := time.Now()
		patchConfigMap(b, c, server+maps+"/app-000000-7d4b9c5f6d-x2v9k", len(took))
		took = append(took, float64(time.Since(start).Microseconds())/1000)
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2], "ms-p50")
	b.ReportMetric(took[len(took)*99/100], "ms-p99")
	b.ReportMetric(took[len(took)-1], "ms-max")
	b.ReportMetric(resident("VmRSS"), "MiB-with")
	b.ReportMetric(resident("VmHWM"), "MiB-most")
}
