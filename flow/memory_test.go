package flow_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"testing"

	"kubarium/flow"
)

// The size of a log's flows is right within a fifth: its limit is one of memory.
func TestLog_bytesAreMemory(t *testing.T) {
	const flows = 5000
	l := flow.NewLog(flow.Limits{Flows: flows})
	before := heap()
	for i := range flows {
		recordCreate(l, i)
	}
	grown, counted := heap()-before, l.Stats().Bytes
	t.Logf("%d flows count as %d KiB and take %d KiB", flows, counted>>10, grown>>10)
	if grown < counted*8/10 || grown > counted*12/10 {
		t.Errorf("%d flows count as %d bytes and take %d", flows, counted, grown)
	}
	runtime.KeepAlive(l)
}

// recordCreate publishes the record of the creation of a 1 KB object.
func recordCreate(l *flow.Log, i int) {
	r := l.Begin(nil)
	f := &r.Flow
	f.Method, f.Path, f.Proto = "POST", fmt.Sprintf("/api/v1/namespaces/default/configmaps/c-%d", i), "HTTP/1.1"
	f.RequestHeader = headers("Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent")
	f.ResponseHeader = headers("Audit-Id", "Cache-Control", "Content-Length", "Content-Type")
	for n := range 11 {
		r.Enter(flow.Stations[n%len(flow.Stations)])
		r.Leave(strconv.Itoa(i+1000)+" B", nil)
	}
	r.Statement("INSERT INTO objects", 1, 0, "configmaps", f.Path, make([]byte, 1000), i)
	f.RequestBody, f.ResponseBody = flow.Keep(make([]byte, 1000)), flow.Keep(make([]byte, 1300))
	f.Effects = []flow.Effect{{After: make([]byte, 1300)}}
	r.Publish(flow.Whole)
}

func headers(names ...string) http.Header {
	h := http.Header{}
	for _, name := range names {
		h.Set(name, "application/json; "+name)
	}
	return h
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
