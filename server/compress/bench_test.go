package compress_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"kubarium/server/compress"
)

// BenchmarkWriter compresses an answer of 200 KB, with a writer that was used before and with a new one.
//
//	go test ./server/compress -run '^$' -bench Writer
func BenchmarkWriter(b *testing.B) {
	answer := bytes.Repeat([]byte(`{"kind":"ConfigMap","metadata":{"name":"a"}},`), 200<<10/45)
	for name, begin := range map[string]func() (io.WriteCloser, error){
		"used": func() (io.WriteCloser, error) { return compress.New(io.Discard), nil },
		"new":  func() (io.WriteCloser, error) { return gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, err := begin()
				if err != nil {
					b.Fatal(err)
				}
				_, _ = w.Write(answer)
				_ = w.Close()
			}
		})
	}
}
