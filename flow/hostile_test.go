package flow_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"kubarium/flow"
)

// Long headers count with their real size, and clients with long names are distinguished only by the beginning: neither
// takes more memory than a log may have.
func TestLog_longHeaders(t *testing.T) {
	const most = 4 << 20
	l := flow.NewLog(flow.Limits{Bytes: most})
	before := heap()
	for i := range 200 {
		agent := strings.Repeat("x", 600+i%2) + strings.Repeat("y", 300_000) + fmt.Sprint(i)
		r := l.Begin(nil)
		r.Flow.RequestHeader = http.Header{"User-Agent": {agent}}
		r.Flow.Client.UserAgent, r.Flow.Client.Tag = agent, l.Tag(flow.Client{UserAgent: agent})
		r.Publish(flow.Whole)
	}
	if grown, counted := heap()-before, l.Stats().Bytes; counted > most || grown > 2*most {
		t.Errorf("counted %d KiB, took %d KiB of %d", counted>>10, grown>>10, most>>10)
	}
	tag := func(n int) string { return l.Tag(flow.Client{UserAgent: strings.Repeat("z", n)}) }
	if a, b := tag(10_000), tag(20_000); a != b {
		t.Errorf("one client is %s and %s", a, b)
	}
	runtime.KeepAlive(l)
}
