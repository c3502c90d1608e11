package etcdstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

// A followed is a store with what its follower was told.
type followed struct {
	*etcdstore.Store
	mu    sync.Mutex // guards the rest
	told  []storage.Change
	ended error
}

func mustFollow(t *testing.T, client *clientv3.Client) *followed {
	t.Helper()
	s, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: "/kubarium"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	f := &followed{Store: s}
	if _, err := s.Follow(func(b storage.Batch) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.told = append(f.told, b.Changes...)
		if b.Ended != nil && (f.ended != nil || len(b.Changes) > 0) {
			t.Errorf("the store ended with %+v after %v", b, f.ended)
		}
		f.ended = b.Ended
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

// changes are what the follower was told of everything until now, in words.
func (f *followed) changes(t *testing.T) []string {
	t.Helper()
	if _, err := f.Current(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f.soFar()
}

func (f *followed) soFar() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, c := range f.told {
		all = append(all, describe(c))
	}
	return all
}

// why returns why the follower hears no more. The follower learns it just after the first call fails, so why waits for it.
func (f *followed) why() error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		ended := f.ended
		f.mu.Unlock()
		if ended != nil || time.Now().After(deadline) {
			return ended
		}
	}
}

// refuses proves that a store that has ended reads and writes nothing.
func (f *followed) refuses(t *testing.T, want error) {
	t.Helper()
	ctx, at := t.Context(), storage.Revision(1)
	_, get := f.Get(ctx, object, 0)
	_, list := f.List(ctx, storage.ListOptions{Resource: object.Resource})
	_, changes := f.Changes(ctx, "", at, 0)
	_, log := f.Log(ctx, storage.LogOptions{})
	_, rewrite := f.Rewrite(ctx, object, []byte(`3`))
	_, current := f.Current(ctx)
	_, write := f.Write(ctx, storage.Write{Op: storage.OpCreate, Key: object, Value: []byte(`2`)})
	history := f.ReadHistory(ctx, 0, func(storage.Span) error { return nil }, func(storage.Change) error { return nil }, nil)
	for name, err := range map[string]error{
		"Get": get, "List": list, "Changes": changes, "Log": log, "Rewrite": rewrite, "Current": current, "Write": write,
		"ReadHistory": history, "Compact": f.Compact(ctx, at), "Healthy": f.Healthy(), "the follower": f.why(),
	} {
		if !errors.Is(err, want) || !errors.As(err, new(*storage.Failure)) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func (f *followed) must(t *testing.T, w storage.Write) storage.Record {
	t.Helper()
	r, err := f.Write(t.Context(), w)
	if err != nil {
		t.Fatalf("%c %s: %v", w.Op, w.Key, err)
	}
	return r
}

var object = storage.NewKey("configmaps", "a", "x")

// A store that is cut off for so long that etcd forgets what happened meanwhile says so, and neither tells its follower of less nor of
// something else, nor writes any more. One that is opened then knows all.
func TestStore_ErrMissed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		behind int64 // the last revision that is compacted, behind the one that was told last
	}{
		{"the change", 2},
		{"only what the change met", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := etcdtest.Start(t, 1).Members()[0]
			near := mustFollow(t, etcdtest.Connect(t, []string{m.Inside()}))
			client := etcdtest.Connect(t, []string{m.Endpoint()})
			far := mustFollow(t, client)
			r := far.must(t, storage.Write{Op: storage.OpCreate, Key: object, Value: []byte(`1`)})
			want := far.changes(t)
			m.Cut()
			last := r.Revision
			for range 3 {
				r = near.must(t, storage.Write{Op: storage.OpUpdate, Key: object, Value: append(r.Value, '1'), Expect: r.Revision})
			}
			if _, err := etcdtest.Connect(t, []string{m.Inside()}).Compact(t.Context(), int64(last)+tt.behind); err != nil {
				t.Fatal(err)
			}
			m.Mend()
			if _, err := far.Current(t.Context()); !errors.Is(err, storage.ErrMissed) {
				t.Errorf("the newest revision: %v", err)
			}
			w := storage.Write{Op: storage.OpUpdate, Key: object, Value: []byte(`2`), Expect: r.Revision}
			if _, err := far.Write(t.Context(), w); !errors.Is(err, storage.ErrMissed) || !errors.As(err, new(*storage.Failure)) {
				t.Errorf("write: %v", err)
			}
			far.refuses(t, storage.ErrMissed)
			if told := far.soFar(); !slices.Equal(told, want) {
				t.Errorf("the follower was told %q, want %q", told, want)
			}
			if err := far.Close(); err != nil {
				t.Error(err)
			}
			mustFollow(t, client).must(t, w)
		})
	}
}

// A store whose etcd has lost what it was told of says so: it neither answers by what is gone, nor takes for new what has an old revision. Nor
// does it go on once etcd has given the lost revisions again.
func TestStore_ErrDetached(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first func(*followed) error
	}{
		{"Current", func(f *followed) error {
			_, err := f.Current(t.Context())
			return err
		}},
		{"Write", func(f *followed) error {
			_, err := f.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: object, Value: []byte(`1`)})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := etcdtest.Start(t, 1)
			s := mustFollow(t, c.Client(t))
			for _, name := range []string{"a", "b", "c"} {
				s.must(t, storage.Write{Op: storage.OpCreate, Key: storage.NewKey("secrets", "a", name), Value: []byte(`1`)})
			}
			want := s.changes(t)
			m := c.Members()[0]
			m.Kill()
			m.Forget()
			m.Restart()
			c.Await()
			if err := tt.first(s); !errors.Is(err, storage.ErrDetached) {
				t.Error(err)
			}
			client := c.Client(t)
			other := mustFollow(t, client)
			for head, _ := s.Head(); newestOf(t, client) <= int64(head)+3; {
				other.must(t, storage.Write{Op: storage.OpCreate, Key: storage.NewKey("secrets", "b", rand.Text()), Value: []byte(`1`)})
			}
			s.refuses(t, storage.ErrDetached)
			time.Sleep(20 * etcdstore.WatchAgain) // in which a watch that goes on would tell
			if told := s.soFar(); !slices.Equal(told, want) {
				t.Errorf("the follower was told %q, want %q", told, want)
			}
		})
	}
}

// A write of which the answer is lost has happened, and is told, once: its error says that it may have, and nobody tried it again.
func TestStore_WriteUnknown(t *testing.T) {
	var lose atomic.Bool
	var sent atomic.Int64
	client := etcdtest.Start(t, 1).Client(t, grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoker(ctx, method, req, reply, cc, opts...)
		if method != "/etcdserverpb.KV/Txn" {
			return err
		}
		if sent.Add(1); lose.Load() {
			return status.Error(codes.Unavailable, "the connection broke")
		}
		return err
	}))
	s := mustFollow(t, client)
	unknown := func(w storage.Write) {
		t.Helper()
		before := sent.Load()
		lose.Store(true)
		_, err := s.Write(t.Context(), w)
		lose.Store(false)
		if err == nil || errors.As(err, new(*storage.KeyError)) {
			t.Errorf("%c: %v", w.Op, err)
		}
		if n := sent.Load() - before; n != 1 {
			t.Errorf("%c was sent %d times", w.Op, n)
		}
	}
	unknown(storage.Write{Op: storage.OpCreate, Key: object, Value: []byte(`1`)})
	made, err := s.Get(t.Context(), object, 0)
	if err != nil || string(made.Value) != `1` {
		t.Fatalf("%q, %v", made.Value, err)
	}
	unknown(storage.Write{Op: storage.OpUpdate, Key: object, Value: []byte(`2`), Expect: made.Revision})
	changed, err := s.Get(t.Context(), object, 0)
	if err != nil || string(changed.Value) != `2` {
		t.Fatalf("%q, %v", changed.Value, err)
	}
	unknown(storage.Write{Op: storage.OpDelete, Key: object, Expect: changed.Revision})
	if _, err := s.Get(t.Context(), object, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	newest, err := s.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		describe(storage.Change{Revision: made.Revision, Type: storage.Created, Key: object, Value: []byte(`1`)}),
		describe(storage.Change{Revision: changed.Revision, Type: storage.Updated, Key: object, Value: []byte(`2`), Before: []byte(`1`), BeforeRevision: made.Revision}),
		describe(storage.Change{Revision: newest, Type: storage.Deleted, Key: object, Before: []byte(`2`), BeforeRevision: changed.Revision}),
	}
	if told := s.changes(t); !slices.Equal(told, want) {
		t.Errorf("the follower was told\n%q, want\n%q", told, want)
	}
}

// A write whose change does not reach the follower ends with its context. It has happened, and is told once the follower can be told.
func TestStore_WriteFollowerBehind(t *testing.T) {
	held := &gate{}
	c := etcdtest.Start(t, 1)
	s := mustFollow(t, c.Client(t, grpc.WithChainStreamInterceptor(held.intercept)))
	held.close()
	t.Cleanup(held.open)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := s.Write(ctx, storage.Write{Op: storage.OpCreate, Key: object, Value: []byte(`1`)})
		ended <- err
	}()
	other := c.Client(t)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got, err := other.Get(t.Context(), "/kubarium/objects/", clientv3.WithPrefix())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Kvs) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is not written")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	if told := s.soFar(); len(told) != 0 {
		t.Errorf("the follower was told %q", told)
	}
	held.open()
	if told := s.changes(t); len(told) != 1 {
		t.Errorf("the follower was told %q", told)
	}
}

// A gate holds what streams are told while it is closed.
type gate struct {
	mu     sync.Mutex // guards opened
	opened chan struct{}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
}

func (g *gate) pass() {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened != nil {
		<-opened
	}
}

func (g *gate) intercept(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := streamer(ctx, desc, cc, method, opts...)
	return gated{s, g}, err
}

type gated struct {
	grpc.ClientStream
	gate *gate
}

func (s gated) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	s.gate.pass()
	return err
}
