// Package hostile_test has requests whose cost could grow faster than their size, a test that it does not, and a load
// of them together with a normal client.
package hostile_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow"
)

// long lets each request grow to its longest input, in smaller steps, and limits remaining work to 100 ms.
var long = flag.Bool("long", false, "let hostile requests grow to their full size")

// A cost is what one request cost the whole process.
type cost struct {
	cpu   time.Duration
	took  time.Duration // by the clock: longer where other programs have the processors
	bytes uint64        // allocated
	code  int
}

const (
	// steps by which an input grows.
	factor = 4
	// faster is how much faster than the input a cost may grow; clock resolution and garbage collection add to it.
	faster = 1.9
	// Costs below this, and below freeCPU, are not compared.
	freeBytes = 24 << 20
	// leave is how long work may go on after its client has left.
	leave = 100 * time.Millisecond
)

// Neither time nor memory grows faster than the input, up to the longest that is accepted; and work ends with its
// client.
func TestGrowth(t *testing.T) {
	p := start(t)
	c := &client{t: t, url: p.URL, log: p.Log}
	c.prepare()
	for _, group := range []struct {
		name     string
		requests []growing
	}{
		{"bodies", bodies}, {"metadata", metadata}, {"patches", patches}, {"queries", queries}, {"asked", asked},
		{"debugged", debugged}, {"schemas", schemas}, {"kinds", kinds()},
	} {
		for _, g := range group.requests {
			t.Run(group.name+"/"+g.name, func(t *testing.T) { c.grow(t, g) })
		}
	}
}

func start(t testing.TB) *program.Program {
	t.Helper()
	p, err := program.Start(context.Background(), program.Config{
		Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal",
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// A client sends hostile requests to one server.
type client struct {
	t   testing.TB
	url string
	log *flow.Log // nil for a server in another process
}

// prepare creates the objects that the requests need.
func (c *client) prepare() {
	c.t.Helper()
	c.must(create(definitions, jsonType, definition("free",
		`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
		`,"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".spec`+times(8, "..a")+`"}]`)))
	c.must(create(definitions, jsonType, definition("ruled",
		`{"type":"object","properties":{"spec":{"type":"object","properties":{`+
			`"choices":{"type":"array","items":{"type":"string","enum":[`+numbered(2000, `"v%d"`)+`]}},`+
			`"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},`+
			`"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}},`+
			`"any":{"type":"array","items":{"type":"integer","anyOf":[`+numbered(200, `{"minimum":%d,"maximum":5}`)+`]}},`+
			`"text":{"type":"string","pattern":"^(a|b|c|d)*(e?){100}$"},`+
			`"counted":{"type":"array","maxItems":100000,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]}}}}}}`, ``)))
	c.until(get(free), http.StatusOK)
	c.until(get(ruled), http.StatusOK)
	c.must(create("/api/v1/namespaces/default/serviceaccounts", jsonType,
		`{"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"default"}}`))
	c.must(create(configMaps, jsonType, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"`+kept+`"},"data":{"a":"b"}}`))
	c.must(create(free, jsonType, `{"kind":"Free","apiVersion":"hostile.example.com/v1","metadata":{"name":"`+kept+`"},"spec":{"a":1}}`))
	c.must(create(deployments, jsonType, `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"`+kept+`"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[`+
		numbered(500, `{"name":"c%d","image":"i"}`)+`]}}}}`))
	for i := range 1000 {
		c.must(create(configMaps, jsonType, fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m%d","labels":{"a":"%d"}}}`, i, i)))
	}
}

func (c *client) must(a asking) {
	c.t.Helper()
	if code, body := c.send(context.Background(), a, ""); code >= 400 && code != http.StatusConflict { // a controller may have created it
		c.t.Fatalf("%s %s: %d %.300s", a.method, a.path, code, body)
	}
}

func (c *client) until(a asking, want int) {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if code, _ := c.send(context.Background(), a, ""); code == want {
			return
		}
	}
	c.t.Fatalf("%s never answered %d", a.path, want)
}

// send sends a request and reads its answer; the code is 0 if there was none.
func (c *client) send(ctx context.Context, a asking, agent string) (code int, beginning string) {
	r, err := http.NewRequestWithContext(ctx, a.method, c.url+a.path, strings.NewReader(a.body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = a.header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if a.contentType != "" {
		r.Header.Set("Content-Type", a.contentType)
	}
	if agent != "" {
		r.Header.Set("User-Agent", agent)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, string(head)
}

// grow sends one request with longer and longer inputs, and the most expensive one again without waiting for it.
func (c *client) grow(t *testing.T, g growing) {
	most := g.most
	if !*long && most > 1000 {
		most /= shortShare
	}
	worst, size := cost{}, 0
	for n, before := max(1, most/factor/factor), (cost{}); n <= most; n *= factor {
		now := c.cost(g.make(n))
		if before != (cost{}) && grewFaster(before, now) {
			now = c.cost(g.make(n)) // a collection of garbage may have fallen into it
		}
		if now.code == 0 || now.code == http.StatusInternalServerError {
			t.Errorf("%d: answered %d", n, now.code)
		}
		if before != (cost{}) && grewFaster(before, now) {
			t.Errorf("%d times the input (%d) cost %v and %d MiB, then %v and %d MiB", factor, n, before.cpu,
				before.bytes>>20, now.cpu, now.bytes>>20)
		}
		if testing.Verbose() {
			t.Logf("%8d: %d %6d ms %5d MiB", n, now.code, now.cpu.Milliseconds(), now.bytes>>20)
		}
		if now.cpu >= worst.cpu {
			worst, size = now, n
		}
		before = now
	}
	if worst.cpu > allowed(g.name, worst) {
		c.left(t, g, size, worst)
	}
}

func grewFaster(before, now cost) bool {
	const most = factor * faster
	return now.cpu > freeCPU && float64(now.cpu) > most*float64(max(before.cpu, freeCPU/factor)) ||
		now.bytes > freeBytes && float64(now.bytes) > most*float64(max(before.bytes, freeBytes/factor))
}

// allowed is how long the work of a request of that cost may go on after its client has left.
func allowed(name string, whole cost) time.Duration {
	most := max(leave, lasting[name]) * slowdown
	if *long {
		return most
	}
	busy := max(1, whole.took.Seconds()/max(whole.cpu, time.Millisecond).Seconds())
	return time.Duration(5 * busy * float64(most))
}

// cost is the cost of a request, the lower one of two tries.
func (c *client) cost(a asking) cost {
	var least cost
	for i := range 2 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cpu, begun := cpuTime(), time.Now()
		code, _ := c.send(context.Background(), a, "")
		one := cost{cpu: cpuTime() - cpu, took: time.Since(begun), code: code}
		runtime.ReadMemStats(&after)
		one.bytes = after.TotalAlloc - before.TotalAlloc
		if i == 0 || one.cpu < least.cpu {
			least = one
		}
	}
	return least
}

// left sends a request, leaves while it is in progress, and measures how long its work goes on. The shortest of some
// tries counts.
func (c *client) left(t *testing.T, g growing, size int, whole cost) {
	a := g.make(size)
	var after []time.Duration
	for try := range 4 {
		agent := fmt.Sprintf("leaver-%s-%d", strings.ReplaceAll(t.Name(), " ", "-"), try)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan time.Time, 1)
		time.AfterFunc(whole.cpu/4+time.Duration(try)*whole.cpu/8, func() {
			gone <- time.Now()
			cancel()
		})
		c.send(ctx, a, agent)
		cancel()
		ended := c.ended(agent)
		if lasted := ended.Sub(<-gone); lasted <= allowed(g.name, whole) {
			return
		} else {
			after = append(after, lasted.Round(time.Millisecond))
		}
	}
	t.Errorf("%v went on for %v after its client left", whole.cpu, slices.Min(after))
}

// ended returns when the request with this User-Agent ended in the server; now, if it never got there.
func (c *client) ended(agent string) time.Time {
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		flows, _ := c.log.Since(0, 0)
		for _, f := range slices.Backward(flows) {
			if f.Client.UserAgent == agent {
				return f.Start.Add(f.Duration)
			}
		}
		if time.Since(begun) > 2*time.Second && c.idle() {
			break
		}
	}
	return time.Now()
}

// idle reports whether the process does nothing for a moment.
func (c *client) idle() bool {
	before := cpuTime()
	time.Sleep(100 * time.Millisecond)
	return cpuTime()-before < 20*time.Millisecond
}
