package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// The figures, in the order of the table.
var (
	ready     = figure{title: "Start until ready", unit: "ms", goal: "≤ 500 ms"}
	firstPage = figure{title: "First page of 500 after the start", unit: "ms"}
	allRead   = figure{title: "All read after the start", unit: "ms"}
	fills     = figure{title: "Processor time to read an object after the start", unit: "µs"}
	meanwhile = figure{title: "Requests while ConfigMaps are read", unit: "ms"}
	memory    = figure{title: "Memory above an empty server by stored bytes", unit: "×", goal: "≤ 1.3 ×"}
	pages     = figure{title: "Page of 500", unit: "ms", goal: "first = last"}
	selected  = figure{title: "Page of 500 by label", unit: "ms", goal: "first = last"}
	past      = figure{title: "Page of 500 of an older revision", unit: "ms", goal: "first = last"}
	begins    = figure{title: "First byte of a whole list", unit: "ms", goal: "100,000: ≤ 50 ms, Protobuf's first ≤ 100 ms"}
	creates   = figure{title: "Create", unit: "µs", goal: "as on an empty store"}
	stops     = figure{title: "Longest write", unit: "ms", goal: "≤ 20 ms more by a compaction"}
)

const (
	configMaps = "/api/v1/configmaps"
	pods       = "/api/v1/pods"
)

// empty is the memory of a server with nothing in it, once it is measured, in bytes.
var empty int64

// measure takes all figures of one number of objects.
func measure(ctx context.Context, o options, n int, c column) error {
	m, err := makeDatabase(ctx, o.databases, n)
	if err != nil {
		return err
	}
	if empty == 0 && n > 0 {
		if empty, err = measureEmpty(ctx, o); err != nil {
			return err
		}
	}
	if err := measureStart(ctx, o, m, c); err != nil {
		return err
	}
	s, err := serve(ctx, o, "--db", m.path)
	if err != nil {
		return err
	}
	r := trial{server: s, made: m, column: c}
	return errors.Join(r.figures(ctx), s.stop())
}

// measureEmpty is the memory of a server without objects that has been asked for what the others are.
func measureEmpty(ctx context.Context, o options) (int64, error) {
	m, err := makeDatabase(ctx, o.databases, 0)
	if err != nil {
		return 0, err
	}
	s, err := serve(ctx, o, "--db", m.path)
	if err != nil {
		return 0, err
	}
	used, err := (&trial{server: s}).rest(ctx)
	return used, errors.Join(err, s.stop())
}

// starts is how many starts are measured.
const starts = 5

// measureStart takes the median of some starts.
func measureStart(ctx context.Context, o options, m made, c column) error {
	var took []time.Duration
	for range starts {
		s, err := serve(ctx, o, "--db", m.path)
		if err != nil {
			return err
		}
		took = append(took, s.ready)
		if err := s.stop(); err != nil {
			return err
		}
	}
	c.note(ready, "", 500, ms(median(took)))
	return nil
}

// A trial is a server whose figures are taken.
type trial struct {
	*server
	made
	column
}

// figures measures a running server.
func (r *trial) figures(ctx context.Context) error {
	for _, figure := range []func(context.Context) error{r.fill, r.memory, r.pages, r.begins, r.creates, r.past, r.compaction, r.clean} {
		if err := figure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fill asks for the first page of ConfigMaps, which makes the server read them, and sends other requests during that.
func (r *trial) fill(ctx context.Context) error {
	begun, busy := time.Now(), r.busy()
	done := make(chan error, 1)
	go func() {
		err := r.insist(ctx, "GET", configMaps+"?limit=500", "")
		r.note(firstPage, "ConfigMaps", 0, ms(time.Since(begun)))
		done <- err
	}()
	time.Sleep(5 * time.Millisecond) // so that it is under way
	others := []struct{ name, method, path, body string }{
		{"first list of Secrets", "GET", "/api/v1/secrets", ""},
		{"get of a Namespace", "GET", "/api/v1/namespaces/default", ""},
		{"create of a Secret", "POST", "/api/v1/namespaces/default/secrets", `{"metadata":{"generateName":"meanwhile-","labels":{"app":"m"}}}`},
		{"get of a ConfigMap", "GET", configMapPath(0), ""},
		{"create of a ConfigMap", "POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"generateName":"meanwhile-","labels":{"app":"m"}}}`},
	}
	for _, q := range others {
		if r.made.n == 0 && q.path == configMapPath(0) {
			continue
		}
		sent := time.Now()
		if err := r.insist(ctx, q.method, q.path, q.body); err != nil {
			return err
		}
		r.note(meanwhile, q.name, 0, ms(time.Since(sent)))
	}
	if err := errors.Join(<-done, r.awaitFill(ctx, "ConfigMaps", configMaps, begun)); err != nil {
		return err
	}
	r.noteFill("ConfigMaps", r.made.n, r.busy()-busy)
	begun, busy = time.Now(), r.busy()
	err := r.insist(ctx, "GET", pods+"?limit=500", "")
	r.note(firstPage, "Pods", 0, ms(time.Since(begun)))
	err = errors.Join(err, r.awaitFill(ctx, "Pods", pods, begun))
	r.noteFill("Pods", r.made.n/10, r.busy()-busy)
	return err
}

// awaitFill waits until a kind is read, as lists without a limit do.
func (r *trial) awaitFill(ctx context.Context, name, path string, begun time.Time) error {
	err := r.insist(ctx, "GET", path+"?labelSelector=no=such", "")
	r.note(allRead, name, 0, ms(time.Since(begun)))
	return err
}

// noteFill notes the processors' time for reading so many objects, where it is more than noise.
func (r *trial) noteFill(name string, n int, busy time.Duration) {
	if n >= 10_000 && busy > 0 {
		r.note(fills, name, 0, us(busy)/float64(n))
	}
}

// insist sends a request as often as the server says that it took too long.
func (r *trial) insist(ctx context.Context, method, path, body string) error {
	for {
		_, err := r.send(ctx, method, path, body)
		if !errors.Is(err, errTimeout) {
			return err
		}
	}
}

func configMapPath(i int) string {
	return "/api/v1/namespaces/" + namespace(i) + "/configmaps/" + name(i)
}

// memory compares what is resident with what is stored.
func (r *trial) memory(ctx context.Context) error {
	if r.made.n == 0 {
		return nil
	}
	used, err := r.rest(ctx)
	if err != nil || used == 0 {
		return err
	}
	r.note(memory, "at rest", 1.3, float64(used-empty)/float64(r.stored))
	r.note(memory, "peak", 0, float64(r.status("VmHWM")-empty)/float64(r.stored))
	return nil
}

// rest waits until the memory of a server that has read everything does not change any more, and returns it.
func (r *trial) rest(ctx context.Context) (used int64, err error) {
	for _, path := range []string{configMaps, pods} {
		if _, err := r.get(ctx, path+"?limit=1"); err != nil {
			return 0, err
		}
	}
	for least := int64(math.MaxInt64); ; least = min(least, used) {
		time.Sleep(5 * time.Second) // more than the server waits until it gives memory back
		if used = r.status("VmRSS"); used >= least-least/200 {
			return min(used, least), ctx.Err()
		}
	}
}

// again is how often a page is read.
const again = 15

// pages reads the first and the last page of all ConfigMaps by turns, and of those with a label that one of ten has.
func (r *trial) pages(ctx context.Context) error {
	if err := r.ends(ctx, pages, configMaps+"?limit=500"); err != nil {
		return err
	}
	return r.ends(ctx, selected, configMaps+"?limit=500&labelSelector=tier%3Dweb")
}

// ends reads the first page and the last one of a list by turns.
func (r *trial) ends(ctx context.Context, f figure, query string) error {
	if r.made.n < 1000 {
		return nil
	}
	page, err := r.get(ctx, configMaps+"?limit=1")
	if err != nil {
		return err
	}
	m, err := readListMeta(page)
	if err != nil {
		return err
	}
	after := r.keyFromEnd(500)
	if f.title == selected.title {
		after = r.keyFromEnd(5000)
	}
	return r.byTurns(ctx, f, query, query+"&continue="+continueToken(m.ResourceVersion, after))
}

// byTurns reads two pages by turns.
func (r *trial) byTurns(ctx context.Context, f figure, first, last string) error {
	var took [2][]time.Duration
	for range again {
		for i, path := range []string{first, last} {
			begun := time.Now()
			if _, err := r.get(ctx, path); err != nil {
				return err
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	r.note(f, "first", 0, ms(median(took[0])))
	r.note(f, "last", 0, ms(median(took[1])))
	return nil
}

// keyFromEnd is the key that is so many before the end, or the first.
func (r *trial) keyFromEnd(behind int) string {
	each := r.made.n / namespaces
	at := max(0, r.made.n-behind-1)
	ns, i := at/each, at%each
	return namespace(ns) + "/" + name(i*namespaces+ns)
}

// begins measures the first byte of whole lists: the first one of its form, and those after it.
func (r *trial) begins(ctx context.Context) error {
	const protobuf = "application/vnd.kubernetes.protobuf"
	for _, q := range []struct {
		name, path, accept string
		first, limit       float64
	}{
		{"ConfigMaps, Protobuf", configMaps, protobuf, 100, 50},
		{"Pods, Protobuf", pods, protobuf, 100, 50},
		{"ConfigMaps, JSON", configMaps, "application/json", 50, 50},
	} {
		var took []time.Duration
		for range again {
			d, err := r.firstByte(ctx, q.path, q.accept)
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		r.note(begins, q.name+", first", q.first, ms(took[0]))
		r.note(begins, q.name, q.limit, ms(median(took[1:])))
	}
	return nil
}

// created is how many objects are created to measure one create.
const created = 1000

// creates creates ConfigMaps one after the other.
func (r *trial) creates(ctx context.Context) error {
	var took []time.Duration
	before := r.busy()
	for i := range created {
		begun := time.Now()
		if err := r.create(ctx, "one", i); err != nil {
			return err
		}
		took = append(took, time.Since(begun))
	}
	r.note(creates, "median", 0, us(median(took)))
	if busy := r.busy() - before; busy > 0 {
		r.note(creates, "processor time of the server", 0, us(busy)/created)
	}
	return nil
}

// create creates the i-th object of a sort in the middle of the others.
func (r *trial) create(ctx context.Context, sort string, i int) error {
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"m-%s-","labels":{"app":"m"}},"data":{"settings":"%0850d"}}`, sort, i)
	_, err := r.send(ctx, "POST", "/api/v1/namespaces/default/configmaps", body)
	return err
}

// past reads pages of a revision from before the last changes, so that they come from the history.
func (r *trial) past(ctx context.Context) error {
	if r.made.n < 1000 {
		return nil
	}
	page, err := r.get(ctx, configMaps+"?limit=1")
	if err != nil {
		return err
	}
	m, err := readListMeta(page)
	if err != nil {
		return err
	}
	if err := r.create(ctx, "past", 0); err != nil {
		return err
	}
	query := configMaps + "?limit=500"
	return r.byTurns(ctx, past, query+"&continue="+continueToken(m.ResourceVersion, namespace(0)+"/"), query+"&continue="+continueToken(m.ResourceVersion, r.keyFromEnd(500)))
}

// clean removes what was created, so that the next run finds the database as this one did.
func (r *trial) clean(ctx context.Context) error {
	for _, resource := range []string{"configmaps", "secrets"} {
		if _, err := r.send(ctx, "DELETE", "/api/v1/namespaces/default/"+resource+"?labelSelector=app%3Dm", ""); err != nil {
			return err
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }
