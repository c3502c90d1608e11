package server_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kubarium/server"
)

// BenchmarkServer_Read asks for an object of 1 KB, and for a list of 1,000, without sockets and without a client: what is left is what
// the line itself takes, of which every request pays nearly all that a get does. The context is one as net/http gives it.
//
//	go test ./server -run '^$' -bench Server_Read
func BenchmarkServer_Read(b *testing.B) {
	s, _ := mustNew(b, nil)
	const path = "/api/v1/namespaces/default/configmaps"
	made(b, s, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	for i := range 1000 {
		made(b, s, path, fmt.Sprintf(`{"metadata":{"name":"c%d","labels":{"app":"bench"}},"data":{"k":"%s"}}`, i, strings.Repeat("x", 1000)))
	}
	b.Run("get", func(b *testing.B) { reads(b, s, path+"/c0") })
	b.Run("list1000", func(b *testing.B) { reads(b, s, path) })
}

func made(b *testing.B, s *server.Server, path, body string) {
	r := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusCreated {
		b.Fatal(w.Code, w.Body)
	}
}

// reads asks for a path b.N times. A request has a header of its own each time, as it keeps it.
func reads(b *testing.B, s *server.Server, path string) {
	b.ReportAllocs()
	connection, closed := context.WithCancel(context.WithValue(b.Context(), http.LocalAddrContextKey, net.Addr(nil)))
	defer closed()
	asked := httptest.NewRequest("GET", "http://localhost"+path, nil)
	header := http.Header{"User-Agent": {"bench/1"}, "Accept": {"application/json"}}
	for b.Loop() {
		ctx, done := context.WithCancel(connection)
		w := discarding{header: http.Header{}}
		r := asked.WithContext(ctx)
		r.Header = header
		s.ServeHTTP(&w, r)
		done()
		if w.code != http.StatusOK {
			b.Fatal(w.code)
		}
	}
}

// discarding is an http.ResponseWriter that keeps nothing.
type discarding struct {
	header http.Header
	code   int
}

func (w *discarding) Header() http.Header         { return w.header }
func (w *discarding) WriteHeader(code int)        { w.code = code }
func (w *discarding) Write(b []byte) (int, error) { return len(b), nil }
