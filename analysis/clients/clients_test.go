package clients_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
)

// A client has its counts, and what it read and wrote last of each object. A list is one line, and so are its Events.
func TestClient_Objects(t *testing.T) {
	s := newStory(t)
	s.send("ctl", "list pods shop", 200, func(f *flow.Flow) { f.Revision, f.Page = 100, &flow.Page{Items: 50} })
	s.send("ctl", "get deployments.apps shop/web", 200, func(f *flow.Flow) { f.Revision = 99 })
	s.write("ctl", "create configmaps shop/a", "", obj(""))
	s.write("ctl", "update deployments.apps shop/web", obj(""), obj(""))
	s.send("ctl", "update deployments.apps shop/web", 409, stale(100, 102))
	s.send("ctl", "get secrets shop/none", 404)
	s.send("ctl", "patch pods shop/dry", 200, func(f *flow.Flow) { f.Query = "dryRun=All" })
	for i := range 3 {
		s.write("ctl", fmt.Sprintf("create events shop/e%d", i), "", obj(""))
	}
	s.send("b", "get pods shop/x", 200)
	c := s.of("ctl")
	if c.Requests != 10 || c.Writes != 5 || c.Refused != 2 || !c.First.Equal(noon) ||
		!c.Last.Equal(noon.Add(9*time.Millisecond)) {
		t.Errorf("%d requests, %d writes, %d refused, from %v to %v", c.Requests, c.Writes, c.Refused, c.First,
			c.Last)
	}
	var got []string
	for _, o := range c.Objects {
		got = append(got, fmt.Sprintf("%s/%s read %d at %d wrote %d×%d at %d: %d",
			o.Resource, o.Name, o.Read, o.ReadRevision, o.Wrote, o.Writes, o.WroteRevision, o.Status))
	}
	want := []string{
		"events/ read 0 at 0 wrote 10×3 at 105: 200",
		"deployments.apps/web read 2 at 99 wrote 5×2 at 0: 409",
		"configmaps/a read 0 at 0 wrote 3×1 at 101: 200",
		"pods/ read 1 at 100 wrote 0×0 at 0: 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if tags := s.r.Tags(); !slices.Equal(tags, []string{"b", "ctl"}) {
		t.Errorf("%q, the newest first", tags)
	}
	if s.r.Of("nobody", s.now) != nil {
		t.Error("a client that sent nothing is known")
	}
}

// What was refused and sent again has its tries with their delays, until it was accepted.
func TestClient_Retries(t *testing.T) {
	s := newStory(t)
	for i, pause := range []time.Duration{0, 5, 10, 20} {
		s.after(pause*time.Millisecond).send("ctl", "update pods shop/a", 409, stale(100+int64(i), 200))
	}
	s.send("ctl", "update pods shop/b", 409, stale(1, 2))
	if n := len(s.of("ctl").Retries); n != 1 {
		t.Fatalf("%d retries, want that of pods/a alone: the other was not sent again", n)
	}
	s.after(40*time.Millisecond).write("ctl", "patch pods shop/a", obj(""), obj(""))
	r := s.of("ctl").Retries[0]
	var got []string
	for _, x := range r.Tries {
		got = append(got, fmt.Sprintf("%v %d %d≠%d", x.Delay, x.Status, x.Sent, x.Stored))
	}
	// The refused update of pods/b took 1 ms.
	want := "0s 409 100≠200, 5ms 409 101≠200, 10ms 409 102≠200, 20ms 409 103≠200, 41ms 200 0≠0"
	if is := strings.Join(got, ", "); is != want || r.All != 5 || !r.Ended || r.Name != "a" {
		t.Errorf("%s, ended %v, want %s", is, r.Ended, want)
	}
	for range 40 {
		s.send("ctl", "update pods shop/a", 409, stale(300, 301))
	}
	if r := s.of("ctl").Retries[0]; r.All != 40 || len(r.Tries) != 12 || r.Ended || r.Tries[11].Delay != 0 {
		t.Errorf("%d tries of %d, ended %v", len(r.Tries), r.All, r.Ended)
	}
	if r := s.after(time.Minute).of("ctl").Retries[0]; !r.Ended {
		t.Error("a minute after the last of quick tries it goes on")
	}
	if n := len(s.after(5 * time.Minute).of("ctl").Retries); n != 0 {
		t.Errorf("%d retries, 5 minutes later", n)
	}
}

// A client whose delays have grown is given the time that it takes.
func TestClient_Retries_slow(t *testing.T) {
	s := newStory(t)
	for _, pause := range []time.Duration{0, 20, 40, 80} {
		s.after(pause*second).send("ctl", "update pods shop/a", 500)
	}
	if w := s.after(150 * second).of("ctl").Waits[0]; !strings.Contains(w.What, "in a row") {
		t.Errorf("%s", text(w))
	}
	if w := s.after(150 * second).of("ctl").Waits[0]; !strings.Contains(w.What, "not sent again since") {
		t.Errorf("%s", text(w))
	}
}

// Refusals are counted by code, reason and object, with the newest one's message.
func TestClient_Refusals(t *testing.T) {
	s := newStory(t)
	s.send("ctl", "update pods shop/a", 429, retryIn(3))
	say := func(f *flow.Flow) { f.Reason, f.Message = "Forbidden", "no\nway" }
	s.send("ctl", "list pods shop", 403, say)
	s.send("ctl", "list pods shop", 403, say)
	c := s.of("ctl")
	if len(c.Refusals) != 2 {
		t.Fatalf("%+v", c.Refusals)
	}
	f := c.Refusals[0]
	if f.Status != 403 || f.Reason != "Forbidden" || f.Message != "no way" || f.Count != 2 || f.Seq != 3 ||
		f.Verb != "list" ||
		f.Resource != "pods" || f.Namespace != "shop" || !f.Last.After(f.First) {
		t.Errorf("%+v", f)
	}
	if c.Refusals[1].RetryAfter != 3*second {
		t.Errorf("%+v", c.Refusals[1])
	}
}

// Watches are those of the client, then those of other clients of its program; one that has ended is known when the log
// has forgotten it.
func TestClient_Watches(t *testing.T) {
	s := newStory(t)
	other := s.watch("ctl", "pods", "")
	other.Client.Tag = "inf"
	own := s.watch("ctl", "nodes", "")
	s.watch("b", "pods", "")
	s.write("k1", "update nodes", obj(""), obj(""))
	s.event(own, "n")
	s.after(3 * second)
	s.end(own, "timeout")
	s.watches = slices.Delete(s.watches, 1, 2)
	s.write("k1", "update pods shop/a", obj(""), obj(""))
	s.after(7 * second)
	ws := s.of("ctl").Watches
	if len(ws) != 2 || ws[0].ID != own.ID || ws[0].Other || ws[0].State().Cause != "timeout" || ws[0].Lag != 0 ||
		ws[1].ID != other.ID || !ws[1].Other || ws[1].Lag != 7*second+time.Millisecond {
		t.Errorf("%+v", ws)
	}
	if f := ws[0].Frames(); len(f) != 1 || f[0].Name != "n" {
		t.Errorf("the last frames of the ended watch: %+v", f)
	}
}

// A run of kubectl that sends nothing more has ended, and says how; one that waits for its user has not.
func TestClient_kubectl(t *testing.T) {
	s := newStory(t)
	s.send("k1", "get pods shop/a", 200)
	s.send("k1", "patch pods shop/a", 422, func(f *flow.Flow) { f.Message = "bad image" })
	if w := s.after(second).of("k1").Waits[0]; w.Kind == clients.Gone {
		t.Errorf("after a second: %s", text(w))
	}
	const want = "gone: for nothing: it ended 3.0 s ago — its last request was refused with 422: bad image"
	if w := s.after(2 * second).of("k1").Waits[0]; text(w) != want || w.Seq != 2 {
		t.Errorf("%s, want %s", text(w), want)
	}
	s.send("k2", "get pods shop/a", 200, func(f *flow.Flow) { f.Client.Command = "kubectl edit" })
	if w := s.after(30 * second).of("k2").Waits[0]; w.Kind != clients.Idle {
		t.Errorf("an editor is open: %s", text(w))
	}
	w := s.watch("k3", "pods", "")
	if w := s.after(30 * second).of("k3").Waits[0]; w.Kind != clients.Idle {
		t.Errorf("it watches: %s", text(w))
	}
	s.end(w, "client went away")
	if w := s.after(3 * second).of("k3").Waits[0]; text(w) != "gone: for nothing: it ended 3.0 s ago" {
		t.Errorf("%s", text(w))
	}
}

// Where requests are missing, what was going on is forgotten, and the reader learns of it.
func TestReader_Missed(t *testing.T) {
	s := newStory(t)
	for range 5 {
		s.send("ctl", "update pods shop/a", 409, stale(100, 101))
	}
	s.write("ctl", "create configmaps shop/a", "", obj(`,"finalizers":["x.io/f"]`))
	s.write("ctl", "delete configmaps shop/a", obj(`,"finalizers":["x.io/f"]`),
		obj(`,"finalizers":["x.io/f"],"deletionTimestamp":"2026-11-24T12:00:00Z"`))
	s.end(s.watch("ctl", "pods shop", ""), "timeout")
	s.watches = nil
	s.after(12 * second)
	s.r.Missed(0)
	if n := len(s.of("ctl").Waits); n != 3 {
		t.Fatalf("%d waits before", n)
	}
	s.r.Missed(7)
	c := s.of("ctl")
	if len(c.Waits) != 1 || c.Waits[0].Kind != clients.Idle || c.Missed != 7 || len(c.Retries) != 0 ||
		len(c.Watches) != 0 ||
		!strings.Contains(c.Waits[0].Why, "7 older requests of all clients were no longer kept") {
		t.Errorf("%+v", c)
	}
}

// Nothing grows without bound, whatever clients send; the newest stays.
func TestReader_bounds(t *testing.T) {
	s := newStory(t)
	for i := range 70_000 {
		s.send(fmt.Sprintf("c%d", i/1000), fmt.Sprintf("get pods shop/p%d", i), 404+i%2*-204)
	}
	for i := range 3000 {
		s.send("many", fmt.Sprintf("update pods shop/p%d", i), 403)
	}
	for i := range 2000 {
		s.send(fmt.Sprintf("d%d", i), "get pods shop/p", 200)
	}
	if n := len(s.r.Tags()); n != 1024 {
		t.Errorf("%d clients", n)
	}
	s.send("c", "update pods shop/"+strings.Repeat("x", 10_000), 403,
		func(f *flow.Flow) { f.Message = strings.Repeat("é", 10_000) })
	c := s.of("c")
	if len(c.Objects[0].Name) > 253 || len(c.Refusals[0].Message) > 200 || len(c.Waits[0].What) > 500 {
		t.Errorf("%+v", c)
	}
	if s.r.Of("c1", s.now) != nil {
		t.Error("the oldest client is known still")
	}
}

// The objects of one client, its retries and its refusals are bounded.
func TestReader_boundsOfClient(t *testing.T) {
	s := newStory(t)
	for i := range 3000 {
		for range 2 {
			s.send("many", fmt.Sprintf("update pods shop/p%d", i), 403)
		}
	}
	c := s.of("many")
	if len(c.Objects) != 1000 || len(c.Retries) != 100 || len(c.Refusals) != 50 ||
		len(c.Waits) != 20 || c.Requests != 6000 {
		t.Errorf("%d objects, %d retries, %d refusals, %d waits", len(c.Objects), len(c.Retries),
			len(c.Refusals), len(c.Waits))
	}
	if c.Objects[0].Name != "p2999" || c.Refusals[0].Name != "p2999" || c.Retries[0].Name != "p2999" {
		t.Error("the newest is not the first")
	}
}
