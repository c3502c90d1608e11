package hostile_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// streaming is a streaming list.
const streaming = configMaps + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

// The memory of streaming lists whose clients do not read depends neither on the number nor on the size of objects.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		name          string
		objects, size int
		streams, most int // in KiB of all streams
		header        string
	}{
		{"many objects", 20_000, 1000, 30, 30 * 200, ""},
		{"many objects in gzip", 20_000, 1000, 10, 10 * 200, "Accept-Encoding: gzip\r\n"},
		{"large objects", 16, 1_000_000, 50, 24 << 10, ""},
		{"large objects in Protobuf", 16, 1_000_000, 50, 24 << 10, "Accept: application/vnd.kubernetes.protobuf\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startFilled(t, c.objects, c.size)
			(&client{t: t, url: p.URL}).must(get(configMaps + "?labelSelector=no=such")) // the cache is filled
			before := heap()
			for range c.streams {
				leaveUnread(t, p, c.header)
			}
			awaitStill(t, p, c.streams)
			if more := (heap() - before) >> 10; more > c.most {
				t.Errorf("%d unread streams hold %d KiB, %d at most", c.streams, more, c.most)
			}
		})
	}
}

// startFilled starts a server with n ConfigMaps of so many bytes, which compress badly.
func startFilled(t *testing.T, n, size int) *program.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Sync: "off"})
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 64 {
		writers.Go(func() {
			for i := w; i < n; i += 64 {
				text := make([]byte, size/2)
				_, _ = rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)}).Read(text)
				key := storage.Key{Resource: "configmaps", Name: fmt.Sprintf("default/c%06d", i)}
				value := fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c%06d","namespace":"default"},"data":{"k":"%x"}}`, i, text)
				if _, err := s.Write(t.Context(),
					storage.Write{Op: storage.OpCreate, Key: key, Value: value}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := program.Start(context.Background(), program.Config{Listen: "127.0.0.1:0", DB: path, History: 5 * time.Minute,
		Sync: "off"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// leaveUnread requests a streaming list, and does not read it.
func leaveUnread(t *testing.T, p *program.Program, header string) {
	t.Helper()
	address := strings.TrimPrefix(p.URL, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: unread\r\n%s\r\n", streaming, address, header)
}

// awaitStill waits until all unread streams have stopped sending.
func awaitStill(t *testing.T, p *program.Program, streams int) {
	t.Helper()
	for end, last := time.Now().Add(3*time.Minute), ""; time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		n, sent := 0, uint64(0)
		for _, w := range p.Log.Watches(time.Hour) {
			if w.Client.UserAgent == "unread" {
				n++
				sent += w.State().Sent
			}
		}
		now := fmt.Sprint(n, sent)
		if n == streams && now == last {
			return
		}
		last = now
	}
	t.Fatal("the streams do not come to rest")
}

// heap is what is in use, in bytes.
func heap() int {
	runtime.GC()
	runtime.GC() // empties what the first leaves to pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
