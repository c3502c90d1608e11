package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

const faultsPrefix = "/kubarium"

// Two servers write the same objects while members of their cluster are killed, cut off and isolated in turn, the leader is moved, the store is
// compacted, and one of the two is closed and opened again. Then no acknowledged write is lost, no write happened twice or that was refused,
// and each follower was told each change once, in order and as etcd's own history has it.
func TestStore_Faults(t *testing.T) {
	c := etcdtest.Start(t, 3)
	p := &play{t: t, c: c, etcd: c.Client(t)}
	p.history = recordHistory(t, p.etcd)
	for range 2 {
		s := &server{p: p, client: c.Client(t)}
		s.open()
		p.servers = append(p.servers, s)
	}
	p.begin(6)

	follower := func() *etcdtest.Member { return c.Members()[(p.index(c.Leader())+1)%3] }
	for _, which := range []func() *etcdtest.Member{c.Leader, follower} {
		m := which()
		p.step("kill "+m.Name(), m.Kill, m.Restart)
		m = which()
		p.step("cut "+m.Name(), m.Cut, m.Mend)
		m = which()
		p.step("isolate "+m.Name(), func() {
			m.Isolate()
			p.followed("isolate "+m.Name(), p.put("isolated"))
		}, m.Mend)
	}
	p.step("move the leader", func() { c.MoveLeader(follower()) }, func() {})
	p.step("compact", p.compact, func() {})
	p.step("close a server", p.servers[0].close, p.servers[0].open)
	p.step("compact", p.compact, func() {})
	p.without("two members", func() { c.Members()[0].Kill(); c.Members()[1].Kill() }, func() { c.Members()[0].Restart(); c.Members()[1].Restart() })
	p.end()
	p.judge()
}

// A play is two servers, those who write through them, and what they did.
type play struct {
	t       *testing.T
	c       *etcdtest.Cluster
	etcd    *clientv3.Client
	history *history
	servers []*server

	stop     func() // ends writers, and waits for them
	writers  sync.WaitGroup
	acked    atomic.Int64 // writes
	unknown  atomic.Int64 // writes that may have happened
	failed   atomic.Int64 // reads that etcd did not answer, and the above
	newest   atomic.Int64 // the highest revision that was acknowledged
	mu       sync.Mutex   // guards attempts
	attempts []attempt
}

// A server is a Kubarium as its store sees it: one run after the other.
type server struct {
	p      *play
	client *clientv3.Client
	mu     sync.Mutex // guards runs
	runs   []*run
}

// A run is a store from when it is opened until it is closed, and what its follower was told.
type run struct {
	store *etcdstore.Store
	from  storage.Revision
	mu    sync.Mutex // guards told
	told  []storage.Batch
}

// An attempt is a write and what came of it.
type attempt struct {
	run *run
	w   storage.Write
	got storage.Record
	err error
}

func (a attempt) refused() bool { return errors.As(a.err, new(*storage.KeyError)) }

func (s *server) open() {
	store, err := etcdstore.Open(s.p.t.Context(), etcdstore.Options{Client: s.client, Prefix: faultsPrefix})
	if err != nil {
		s.p.t.Fatal(err)
	}
	r := &run{store: store}
	if r.from, err = store.Follow(func(b storage.Batch) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.told = append(r.told, b)
	}); err != nil {
		s.p.t.Fatal(err)
	}
	s.p.t.Cleanup(func() { store.Close() })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
}

func (s *server) close() {
	if err := s.run().store.Close(); err != nil {
		s.p.t.Error(err)
	}
}

// run is the present run, or the last one.
func (s *server) run() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[len(s.runs)-1]
}

func (p *play) index(m *etcdtest.Member) int {
	for i, other := range p.c.Members() {
		if other == m {
			return i
		}
	}
	return -1
}

// begin begins writers, and for each server one who asks what is the newest.
func (p *play) begin(writers int) {
	ctx, stop := context.WithCancel(p.t.Context())
	p.stop = func() { stop(); p.writers.Wait() }
	p.t.Cleanup(p.stop)
	for i := range writers {
		p.writers.Go(func() { p.loop(ctx, func(n int) { p.write(i, n) }) })
	}
	for _, s := range p.servers {
		p.writers.Go(func() { p.loop(ctx, func(int) { p.ask(s.run()) }) })
	}
}

// loop does something again and again, not quicker than what leaves others their share of the machine.
func (p *play) loop(ctx context.Context, do func(n int)) {
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
			do(n)
		}
	}
}

// impatience is after how long a write or a question is given up.
const impatience = 10 * time.Second

// write makes, changes or deletes an object of the writer's own or one that all share, through one of the servers.
func (p *play) write(writer, n int) {
	r := p.servers[rand.IntN(len(p.servers))].run()
	k := storage.NewKey("configmaps", "shared", fmt.Sprint(rand.IntN(3)))
	if n%2 == 0 {
		k = storage.NewKey("secrets", fmt.Sprint("of-", writer), fmt.Sprint(rand.IntN(3)))
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), impatience)
	defer cancel()
	w := storage.Write{Op: storage.OpCreate, Key: k, Value: fmt.Appendf(nil, `{"writer":%d,"n":%d}`, writer, n), Summary: &storage.Summary{}}
	switch old, err := r.store.Get(ctx, k, 0); {
	case errors.Is(err, storage.ErrNotFound):
	case err != nil:
		p.failed.Add(1)
		return
	case rand.IntN(3) == 0:
		w.Op, w.Value, w.Summary, w.Expect = storage.OpDelete, nil, nil, old.Revision
	default:
		w.Op, w.Expect = storage.OpUpdate, old.Revision
		if n%3 == 0 {
			w.Before = old.Value
		}
	}
	a := attempt{run: r, w: w}
	a.got, a.err = r.store.Write(ctx, w)
	switch {
	case a.err == nil:
		if head, _ := r.store.Head(); head < a.got.Revision {
			p.t.Errorf("revision %d was acknowledged when the follower had %d", a.got.Revision, head)
		}
		for newest := p.newest.Load(); newest < int64(a.got.Revision) && !p.newest.CompareAndSwap(newest, int64(a.got.Revision)); {
			newest = p.newest.Load()
		}
		p.acked.Add(1)
	case !a.refused():
		p.unknown.Add(1)
		p.failed.Add(1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attempts = append(p.attempts, a)
}

// ask asks for the newest revision, which is not older than what anybody was told before.
func (p *play) ask(r *run) {
	ctx, cancel := context.WithTimeout(p.t.Context(), impatience)
	defer cancel()
	before := storage.Revision(p.newest.Load())
	newest, err := r.store.Current(ctx)
	if err != nil {
		return
	}
	if head, _ := r.store.Head(); newest < before || head < newest {
		p.t.Errorf("asked behind %d, the newest revision is %d, and the follower had %d", before, newest, head)
	}
}

// step lets writes go on in spite of a fault, and behind it.
func (p *play) step(name string, fault, mend func()) {
	p.t.Helper()
	begun := time.Now()
	fault()
	p.until(name, 100, &p.acked)
	mend()
	p.settle(name)
	p.t.Logf("%s: %v, %d writes acknowledged, %d unknown", name, time.Since(begun).Round(time.Millisecond), p.acked.Load(), p.unknown.Load())
}

// without lets writes fail for want of too many members, and go on when these are back.
func (p *play) without(name string, fault, mend func()) {
	p.t.Helper()
	p.step(name, func() {
		fault()
		p.until(name, 3, &p.failed)
		mend()
	}, func() {})
}

// until waits until a count has grown.
func (p *play) until(name string, more int64, count *atomic.Int64) {
	p.t.Helper()
	enough := count.Load() + more
	p.wait(name, func() bool { return count.Load() >= enough })
}

func (p *play) wait(name string, done func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s: nothing goes on", name)
		}
	}
}

// settle waits until all members answer and all followers have had what there is now.
func (p *play) settle(name string) storage.Revision {
	p.t.Helper()
	p.c.Await()
	newest := p.put(name)
	p.followed(name, newest)
	p.wait(name, func() bool { return p.history.head() >= newest })
	return newest
}

// followed waits until all followers have had a revision.
func (p *play) followed(name string, newest storage.Revision) {
	p.t.Helper()
	p.wait(name, func() bool {
		for _, s := range p.servers {
			if head, _ := s.run().store.Head(); head < newest {
				return false
			}
		}
		return true
	})
}

// put changes an object from outside, once or more.
func (p *play) put(value string) (newest storage.Revision) {
	p.t.Helper()
	p.wait("put", func() bool {
		ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Second)
		defer cancel()
		got, err := p.etcd.Put(clientv3.WithRequireLeader(ctx), faultsPrefix+"/objects/configmaps/outside", value)
		if err == nil {
			newest = storage.Revision(got.Header.Revision)
		}
		return err == nil
	})
	return newest
}

// compact compacts what all have had.
func (p *play) compact() {
	at := p.settle("before the compaction")
	if err := p.servers[1].run().store.Compact(p.t.Context(), at-50); err != nil {
		p.t.Error(err)
	}
}

func (p *play) end() {
	p.stop()
	p.settle("the end")
}
