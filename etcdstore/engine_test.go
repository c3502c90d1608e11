package etcdstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

// patience is how long anything may take that must happen.
const patience = time.Minute

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// A clock is one that goes when it is told to.
type clock struct{ passed atomic.Int64 }

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func (c *clock) now() time.Time          { return noon.Add(time.Duration(c.passed.Load())) }
func (c *clock) advance(d time.Duration) { c.passed.Add(int64(d)) }

func key(name string) storage.Key { return storage.NewKey("configmaps", "default", name) }

func write(t testing.TB, s storage.Store, w storage.Write) storage.Record {
	t.Helper()
	r, err := s.Write(t.Context(), w)
	if err != nil {
		t.Fatalf("write %c %s: %v", w.Op, w.Key, err)
	}
	return r
}

func create(t testing.TB, s storage.Store, name, value string) storage.Record {
	t.Helper()
	return write(t, s, storage.Write{Op: storage.OpCreate, Key: key(name), Value: []byte(value)})
}

func update(t testing.TB, s storage.Store, r storage.Record, value string) storage.Record {
	t.Helper()
	return write(t, s, storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte(value), Expect: r.Revision})
}

func put(t testing.TB, client *clientv3.Client, key, value string) storage.Revision {
	t.Helper()
	done, err := client.Put(t.Context(), key, value)
	if err != nil {
		t.Fatal(err)
	}
	return storage.Revision(done.Header.Revision)
}

// An etcd that is gone makes the store unhealthy after a while, with a line that says so, and well again once it is back. What is asked meanwhile
// fails as the store as a whole.
func TestStore_Healthy(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	var time clock
	var told atomic.Int32
	s := mustOpen(t, etcdstore.Options{Client: cluster.Client(t), Prefix: "/kubarium", Now: time.now, Health: func() { told.Add(1) }})
	r := create(t, s, "a", `1`)
	etcdstore.Look(t.Context(), s)
	if err := s.Healthy(); err != nil {
		t.Fatal(err)
	}
	member := cluster.Members()[0]
	member.Kill()
	etcdstore.Look(t.Context(), s)
	if err := s.Healthy(); err != nil {
		t.Errorf("at once: %v", err)
	}
	time.advance(10e9)
	etcdstore.Look(t.Context(), s)
	if err := s.Healthy(); !errors.Is(err, storage.ErrUnreachable) || !strings.Contains(err.Error(), member.Endpoint()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("after a while: %v", err)
	}
	_, err := s.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte(`2`), Expect: r.Revision, Before: r.Value})
	if f := (*storage.Failure)(nil); !errors.As(err, &f) || !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("a write: %v", err)
	}
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
	member.Restart()
	cluster.Await()
	eventually(t, "health", func() bool {
		etcdstore.Look(t.Context(), s)
		return s.Healthy() == nil
	})
	if told.Load() != 2 {
		t.Errorf("told %d times", told.Load())
	}
	update(t, s, r, `3`)
}

// An etcd whose quota is used up is a disk that is full, until its alarm is off.
func TestStore_Full(t *testing.T) {
	client := etcdtest.Start(t, 1, "--quota-backend-bytes", "2097152").Client(t)
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	value := `"` + strings.Repeat("x", 500_000) + `"`
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint(i)), Value: []byte(value)})
	}
	if !errors.Is(err, storage.ErrFull) || !errors.Is(s.Healthy(), storage.ErrFull) {
		t.Fatalf("got %v, and %v", err, s.Healthy())
	}
	etcdstore.Look(t.Context(), s)
	if !errors.Is(s.Healthy(), storage.ErrFull) {
		t.Errorf("etcd answers, and the store is %v", s.Healthy())
	}
	if _, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	etcdstore.Look(t.Context(), s)
	if err := s.Healthy(); err != nil {
		t.Error(err)
	}
}

// Where others compact etcd the boundary follows, for who asks and for who does not.
func TestStore_CompactedByOthers(t *testing.T) {
	for _, asked := range []bool{false, true} {
		client := etcdtest.Start(t, 1).Client(t)
		var told atomic.Int64
		s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium", Compacted: func(r storage.Revision) { told.Store(int64(r)) }})
		a := create(t, s, "a", `1`)
		b := update(t, s, a, `2`)
		c := update(t, s, b, `3`)
		if _, err := client.Compact(t.Context(), int64(b.Revision)); err != nil {
			t.Fatal(err)
		}
		if asked {
			var wrong *storage.RevisionError
			if _, err := s.Get(t.Context(), a.Key, a.Revision); !errors.As(err, &wrong) || !errors.Is(err, storage.ErrExpired) || wrong.Current != b.Revision {
				t.Errorf("get: %v", err)
			}
		} else {
			etcdstore.Look(t.Context(), s)
		}
		if _, readable := s.Head(); readable != b.Revision || told.Load() != int64(b.Revision) {
			t.Errorf("the boundary is %d, told %d, want %d", readable, told.Load(), b.Revision)
		}
		if _, err := s.Changes(t.Context(), "", a.Revision, 0); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("changes: %v", err)
		}
		if r, err := s.Get(t.Context(), a.Key, b.Revision); err != nil || string(r.Value) != `2` {
			t.Errorf("at the boundary: %s, %v", r.Value, err)
		}
		if changes, err := s.Changes(t.Context(), "", b.Revision, 0); err != nil || len(changes) != 1 || changes[0].Revision != c.Revision || string(changes[0].Before) != `2` {
			t.Errorf("changes behind the boundary: %+v, %v", changes, err)
		}
		if _, readable := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"}).Head(); readable != b.Revision {
			t.Errorf("opened anew, the boundary is %d", readable)
		}
	}
}

// A cluster that others compact at its newest revision can be read there still.
func TestStore_CompactedByOthersAtHead(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	a := create(t, s, "a", `1`)
	if _, err := client.Compact(t.Context(), int64(a.Revision)); err != nil {
		t.Fatal(err)
	}
	etcdstore.Look(t.Context(), s)
	p, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps", At: a.Revision})
	if err != nil || len(p.Records) != 1 {
		t.Errorf("at the head: %+v, %v", p, err)
	}
	b := update(t, s, a, `2`)
	if changes, err := s.Changes(t.Context(), "", a.Revision, 0); err != nil || len(changes) != 1 || changes[0].BeforeRevision != a.Revision || changes[0].Revision != b.Revision {
		t.Errorf("changes: %+v, %v", changes, err)
	}
}

// A cluster that others use is not compacted, unless that is allowed; the log is told once.
func TestStore_ErrShared(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	for _, foreign := range []string{"/a", "/kubarium-2/x", "\x00"} {
		var log bytes.Buffer
		o := etcdstore.Options{Client: client, Prefix: "/kubarium", Logger: slog.New(slog.NewTextHandler(&log, nil))}
		s := mustOpen(t, o)
		_, before := s.Head()
		put(t, client, foreign, "x")
		newest := put(t, client, "/kubarium/objects/configmaps/a", "{}")
		err := s.Compact(t.Context(), newest)
		if _, readable := s.Head(); !errors.Is(err, etcdstore.ErrShared) || readable != before {
			t.Errorf("%q: %v, and the boundary is %d", foreign, err, readable)
		}
		etcdstore.Report(t.Context(), s, err)
		etcdstore.Report(t.Context(), s, err)
		if n := strings.Count(log.String(), "not compacted"); n != 1 {
			t.Errorf("%q: the log was told %d times: %s", foreign, n, &log)
		}
		if _, err := client.Delete(t.Context(), foreign); err != nil {
			t.Fatal(err)
		}
		if err := s.Compact(t.Context(), newest); err != nil {
			t.Errorf("without %q: %v", foreign, err)
		}
	}
	put(t, client, "/a", "x")
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium", Shared: true})
	newest := put(t, client, "/kubarium/objects/configmaps/a", "{1}")
	if err := s.Compact(t.Context(), newest); err != nil {
		t.Error(err)
	}
}

// What is older than the history is compacted, by one of the servers for all: each tells of the new boundary.
func TestStore_History(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	var time clock
	var told [2]atomic.Int64
	var servers [2]*etcdstore.Store
	for i := range servers {
		servers[i] = mustOpen(t, etcdstore.Options{
			Client: client, Prefix: "/kubarium", Now: time.now, History: 60e9, Compacted: func(r storage.Revision) { told[i].Store(int64(r)) },
		})
	}
	followed := func() {
		t.Helper()
		for _, s := range servers {
			if _, err := s.Current(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	forget := func() {
		t.Helper()
		for _, s := range servers {
			if err := etcdstore.ForgetOld(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			followed() // the boundary is known to both
		}
	}
	time.advance(1e9)
	a := create(t, servers[0], "a", `1`)
	followed()
	time.advance(1e9)
	b := update(t, servers[1], a, `2`)
	followed()
	time.advance(30e9)
	c := update(t, servers[0], b, `3`)
	forget()
	if r, err := servers[0].Get(t.Context(), a.Key, a.Revision); err != nil || string(r.Value) != `1` {
		t.Errorf("inside the window: %s, %v", r.Value, err)
	}
	time.advance(31e9)
	before := newestOf(t, client)
	forget()
	for i, s := range servers {
		if _, readable := s.Head(); readable <= a.Revision || readable > b.Revision || told[i].Load() != int64(readable) {
			t.Errorf("server %d: the boundary is %d, told %d; want up to %d", i, readable, told[i].Load(), b.Revision)
		}
		if _, err := s.Get(t.Context(), a.Key, a.Revision); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("server %d, outside the window: %v", i, err)
		}
		if r, err := s.Get(t.Context(), a.Key, c.Revision); err != nil || string(r.Value) != `3` {
			t.Errorf("server %d, inside the window: %s, %v", i, r.Value, err)
		}
	}
	if after := newestOf(t, client); after != before+1 {
		t.Errorf("the servers moved the boundary %d times", after-before)
	}
	time.advance(3600e9)
	forget()
	time.advance(3600e9)
	forget()
	before = newestOf(t, client)
	time.advance(3600e9)
	forget()
	if after := newestOf(t, client); after != before {
		t.Errorf("nothing was changed, and the boundary was moved")
	}
}

func newestOf(t testing.TB, client *clientv3.Client) int64 {
	t.Helper()
	got, err := client.Get(t.Context(), "none")
	if err != nil {
		t.Fatal(err)
	}
	return got.Header.Revision
}

// Several changes of one foreign transaction share a revision; who reads changes in pieces gets all of them.
func TestStore_SharedRevision(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	a := create(t, s, "a", `1`)
	var puts []clientv3.Op
	for _, name := range []string{"b", "c", "d"} {
		puts = append(puts, clientv3.OpPut("/kubarium/objects/configmaps/default/"+name, "{}"))
	}
	if _, err := client.Txn(t.Context()).Then(puts...).Commit(); err != nil {
		t.Fatal(err)
	}
	create(t, s, "e", `1`)
	first, err := s.Changes(t.Context(), "", a.Revision-1, 2)
	if err != nil || len(first) != 4 {
		t.Fatalf("%d changes, %v", len(first), err)
	}
	rest, err := s.Changes(t.Context(), "", first[3].Revision, 2)
	if err != nil || len(rest) != 1 {
		t.Errorf("%d changes more, %v", len(rest), err)
	}
	if log, err := s.Log(t.Context(), storage.LogOptions{Revision: first[3].Revision}); err != nil || len(log) != 3 || !log[0].Outside {
		t.Errorf("the log of one revision is %+v, %v", log, err)
	}
}

// A state of several pages is told whole, in the order of revisions.
func TestStore_ReadHistoryOfMany(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	const many = 6000
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := w; i < many; i += 8 {
				create(t, s, fmt.Sprint(many-i), `1`)
			}
		})
	}
	all.Wait()
	n, last := 0, storage.Revision(0)
	err := s.ReadHistory(t.Context(), 0, func(storage.Span) error { return nil }, func(c storage.Change) error {
		if c.Revision <= last || string(c.Value) != `1` || c.Outside {
			t.Fatalf("told of %+v after %d", c, last)
		}
		n, last = n+1, c.Revision
		return nil
	}, nil)
	if err != nil || n != many {
		t.Errorf("told of %d objects, %v", n, err)
	}
}

// The time of a change that nobody has said anything about is when it came; of what was before the run only that it was before.
func TestStore_RevisionAt(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	put(t, client, "/kubarium/objects/configmaps/default/old", "{}")
	var time clock
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium", Now: time.now})
	begun, _ := s.Head()
	revisions := []storage.Revision{begun}
	for i := range 5 {
		time.advance(10e9)
		revisions = append(revisions, put(t, client, "/kubarium/objects/configmaps/default/new", fmt.Sprint(i)))
		if _, err := s.Current(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range revisions {
		for _, after := range []int{0, 9} {
			if i == 0 && after == 0 {
				after = -3600
			}
			at, err := s.RevisionAt(t.Context(), noon.Add(clockSeconds(10*i+after)))
			if err != nil || at != want {
				t.Errorf("after %d s: %d, %v, want %d", 10*i+after, at, err, want)
			}
		}
	}
	changes, err := s.Changes(t.Context(), "", begun, 0)
	if err != nil || len(changes) != 5 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	for i, c := range changes {
		if want := noon.Add(clockSeconds(10 * (i + 1))); !c.At.Equal(want) || !c.Outside {
			t.Errorf("change %d is of %v, outside=%t, want %v", i, c.At, c.Outside, want)
		}
	}
}

func clockSeconds(n int) time.Duration { return time.Duration(n) * time.Second }

// Any bytes can be put, those that look like an envelope too.
func TestStore_RewriteAnything(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	a := create(t, s, "a", `1`)
	for _, value := range []string{"", "\x00", "kubarium 1 a 1 1\n{}", "kubarium \n", "\xff"} {
		at, err := s.Rewrite(t.Context(), a.Key, []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Get(t.Context(), a.Key, 0)
		if err != nil || string(r.Value) != value || r.Revision != at {
			t.Errorf("%q: got %q at %d, %v", value, r.Value, r.Revision, err)
		}
		log, err := s.Log(t.Context(), storage.LogOptions{Revision: at})
		if err != nil || len(log) != 1 || !log[0].Outside || string(log[0].Value) != value {
			t.Errorf("%q: the log is %+v, %v", value, log, err)
		}
	}
}

// What one server writes the log of another tells as from outside, deletions too; and a page of the log is the same wherever it ends.
func TestStore_LogOfTwo(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	one := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	two := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	r := create(t, one, "a", `0`)
	for i := range 1500 {
		r = update(t, one, r, fmt.Sprint(i+1))
	}
	gone := write(t, one, storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision})
	for _, s := range []*etcdstore.Store{one, two} {
		for _, o := range []storage.LogOptions{{Limit: 1}, {Limit: 1, Key: r.Key}} {
			log, err := s.Log(t.Context(), o)
			if err != nil || len(log) != 1 || log[0].Revision != gone.Revision || log[0].Type != storage.Deleted || log[0].Outside != (s == two) || log[0].At.IsZero() {
				t.Errorf("%+v: %+v, %v", o, log, err)
			}
		}
	}
	whole, err := one.Log(context.Background(), storage.LogOptions{})
	if err != nil || len(whole) != 1502 {
		t.Fatalf("%d changes, %v", len(whole), err)
	}
	for i := 0; i < len(whole); i += 97 {
		page, err := one.Log(t.Context(), storage.LogOptions{Before: whole[i].Revision, Limit: 40})
		if want := whole[i:min(i+40, len(whole))]; err != nil || fmt.Sprint(page) != fmt.Sprint(want) {
			t.Errorf("the page from %d: %d changes, %v", i, len(page), err)
		}
	}
}
