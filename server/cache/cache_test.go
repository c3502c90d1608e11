package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

const things = "things"

// index reads labels and the field spec.n; a value that is no such object is damaged.
func index(_ string, r storage.Record, _ *storage.Summary) cache.Indexed {
	var o struct {
		Metadata struct{ Labels labels.Set }
		Spec     struct{ N string }
	}
	if err := json.Unmarshal(r.Value, &o); err != nil {
		return cache.Indexed{Err: err}
	}
	x := cache.Indexed{Labels: o.Metadata.Labels}
	if o.Spec.N != "" {
		x.Fields = fields.Set{"spec.n": o.Spec.N}
	}
	return x
}

func newCache(t testing.TB, s storage.Store, o cache.Options) *cache.Cache {
	t.Helper()
	if o.Index == nil {
		o.Index = index
	}
	c, err := cache.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func key(name string) storage.Key { return storage.Key{Resource: things, Name: name} }

func value(n int) []byte {
	return []byte(fmt.Sprintf(`{"metadata":{"labels":{"app":"a"}},"spec":{"n":"%d"}}`, n))
}

func mustWrite(t testing.TB, s storage.Store, w storage.Write) storage.Record {
	t.Helper()
	rec, err := s.Write(t.Context(), w)
	if err != nil {
		t.Fatalf("write %c %s: %v", w.Op, w.Key, err)
	}
	return rec
}

func mustCreate(t testing.TB, s storage.Store, name string, n int) storage.Record {
	t.Helper()
	return mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: key(name), Value: value(n)})
}

// mustUpdate writes a value that must differ from the one before: an update that changes nothing is no change.
func mustUpdate(t testing.TB, s storage.Store, at storage.Record, n int) storage.Record {
	t.Helper()
	return mustWrite(t, s, storage.Write{Op: storage.OpUpdate, Key: at.Key, Value: value(n), Expect: at.Revision})
}

func mustDelete(t testing.TB, s storage.Store, at storage.Record) storage.Record {
	t.Helper()
	return mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: at.Key, Expect: at.Revision})
}

func mustSnapshot(t testing.TB, c *cache.Cache, min storage.Revision) *cache.Snapshot {
	t.Helper()
	s, err := c.Snapshot(t.Context(), things, min)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// held returns the revisions of a snapshot's objects by name.
func held(s *cache.Snapshot) map[string]storage.Revision {
	m := map[string]storage.Revision{}
	s.Ascend("", "", func(o *cache.Object) bool {
		m[o.Key.Name] = o.Revision
		return true
	})
	return m
}

// A reader after its own write sees it, from the map and from the snapshot, and a deletion too.
func TestCache_Get(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	a := mustCreate(t, s, "ns/a", 1)
	o, head, err := c.Get(t.Context(), a.Key, 0)
	if err != nil || o.Revision != a.Revision || head != a.Revision || string(o.Value) != string(a.Value) {
		t.Fatalf("got %+v at %d, %v", o, head, err)
	}
	if o.Labels().Get("app") != "a" || o.Fields["spec.n"] != "1" || o.Err != nil {
		t.Errorf("indexed as %+v", o)
	}
	b := mustUpdate(t, s, a, 2)
	if o, _, _ := c.Get(t.Context(), a.Key, 0); o.Revision != b.Revision {
		t.Errorf("after the update: revision %d, want %d", o.Revision, b.Revision)
	}
	d := mustDelete(t, s, b)
	o, head, err = c.Get(t.Context(), a.Key, d.Revision)
	var ke *storage.KeyError
	if o != nil || head != d.Revision || !errors.As(err, &ke) || !errors.Is(err, storage.ErrNotFound) || ke.Key != a.Key {
		t.Errorf("after the deletion: %+v at %d, %v", o, head, err)
	}
}

// A field selector finds name and namespace though they are not kept beside each object.
func TestObject_Selectable(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	mustCreate(t, s, "ns/a", 7)
	o, _, err := c.Get(t.Context(), key("ns/a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"metadata.name=a,metadata.namespace=ns,spec.n=7": true,
		"metadata.name=b":       false,
		"metadata.namespace!=x": true,
		"spec.n=8":              false,
	} {
		if got := fields.ParseSelectorOrDie(text).Matches(o.Selectable()); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A damaged value stays in the snapshot, marked, and harms no other.
func TestCache_Damaged(t *testing.T) {
	s := openStore(t)
	broken := func(resource string, r storage.Record, sum *storage.Summary) cache.Indexed {
		if r.Key.Name == "b" {
			return cache.Indexed{Err: errors.New("broken")}
		}
		return index(resource, r, sum)
	}
	c := newCache(t, s, cache.Options{Index: broken})
	mustCreate(t, s, "a", 1)
	mustCreate(t, s, "b", 2)
	snap := mustSnapshot(t, c, 0)
	mustCreate(t, s, "c", 3)
	if len(held(snap)) != 2 {
		t.Fatalf("held %v", held(snap))
	}
	for name, bad := range map[string]bool{"a": false, "b": true, "c": false} {
		o, _, err := c.Get(t.Context(), key(name), 0)
		if err != nil || (o.Err != nil) != bad {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

// A future version is waited for; one that does not come is too large after Options.Wait and says where the store is.
func TestCache_Wait(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{Wait: 50 * time.Millisecond})
	a := mustCreate(t, s, "a", 1)
	err := c.Wait(t.Context(), a.Revision+1)
	var re *storage.RevisionError
	if !errors.As(err, &re) || !errors.Is(err, storage.ErrTooLarge) || re.Asked != a.Revision+1 || re.Current != a.Revision {
		t.Fatalf("got %v", err)
	}
	if _, _, err := c.Get(t.Context(), a.Key, a.Revision+1); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("get: %v", err)
	}
	if _, err := c.Snapshot(t.Context(), things, a.Revision+1); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("snapshot: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx, a.Revision+1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestCache_Wait_Arrives(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{Wait: 10 * time.Second})
	a := mustCreate(t, s, "a", 1)
	got := make(chan storage.Revision, 1)
	go func() {
		o, _, err := c.Get(t.Context(), a.Key, a.Revision+1)
		if err != nil {
			t.Error(err)
			o = &cache.Object{}
		}
		got <- o.Revision
	}()
	b := mustUpdate(t, s, a, 2)
	if r := <-got; r != b.Revision {
		t.Errorf("the wait ended with %d, want %d", r, b.Revision)
	}
}

// A gate is a store whose lists stop between reading and returning.
type gate struct {
	storage.Store
	read, release chan struct{}
	once          sync.Once
	lists         int
}

func (g *gate) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	p, err := g.Store.List(ctx, o)
	g.lists++ // one fill alone calls it
	g.once.Do(func() {
		close(g.read)
		<-g.release
	})
	return p, err
}

// Changes that are made while a resource is filled are joined to the list without gap or double, and users that come
// at the same time share the one fill.
func TestCache_Fill_Races(t *testing.T) {
	g := &gate{Store: openStore(t), read: make(chan struct{}), release: make(chan struct{})}
	c := newCache(t, g, cache.Options{})
	a := mustCreate(t, g, "a", 1)
	b := mustCreate(t, g, "b", 1)
	var users sync.WaitGroup
	snaps := make([]*cache.Snapshot, 8)
	for i := range snaps {
		users.Go(func() {
			s, err := c.Snapshot(context.Background(), things, 0)
			if err != nil {
				t.Error(err)
				return
			}
			snaps[i] = s
		})
	}
	<-g.read
	a2 := mustUpdate(t, g, a, 2)
	mustDelete(t, g, b)
	d := mustCreate(t, g, "d", 1)
	close(g.release)
	users.Wait()
	want := fmt.Sprint(map[string]storage.Revision{"a": a2.Revision, "d": d.Revision})
	for _, s := range snaps {
		if got := fmt.Sprint(held(s)); got != want || s.Revision() != d.Revision {
			t.Errorf("snapshot at %d: %s, want %s at %d", s.Revision(), got, want, d.Revision)
		}
	}
	if g.lists != 1 {
		t.Errorf("%d lists, want one", g.lists)
	}
	if st := c.Stats().Resources; len(st) != 1 || st[0].Objects != 2 || st[0].Bytes != int64(len(a2.Value)+len(d.Value)) {
		t.Errorf("stats %+v", st)
	}
}

// Under random concurrent writes, a snapshot taken at any moment is what the store says of that revision.
func TestCache_Fill_Random(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() { churn(t, s, fmt.Sprintf("w%d", i), stop) })
	}
	for range 30 {
		snap := mustSnapshot(t, c, 0)
		if got, want := held(snap), replay(t, s, snap.Revision()); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %d: %v, want %v", snap.Revision(), got, want)
		}
		c.Drop(things) // the next one fills again
	}
	close(stop)
	writers.Wait()
}

// churn creates, updates and deletes a few objects of its own until stop is closed.
func churn(t *testing.T, s storage.Store, own string, stop <-chan struct{}) {
	at := map[string]storage.Record{}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Microsecond): // leaves the readers some of the machine
		}
		name := fmt.Sprintf("%s/%d", own, i%7)
		w := storage.Write{Op: storage.OpCreate, Key: key(name), Value: value(i)}
		if old, ok := at[name]; ok {
			w.Op, w.Expect = storage.OpUpdate, old.Revision
			if i%3 == 0 {
				w.Op, w.Value = storage.OpDelete, nil
			}
		}
		rec, err := s.Write(context.Background(), w)
		if err != nil {
			t.Error(err)
			return
		}
		if at[name] = rec; w.Op == storage.OpDelete {
			delete(at, name)
		}
	}
}

// replay makes of the whole change log what was there at a revision.
func replay(t *testing.T, s storage.Store, at storage.Revision) map[string]storage.Revision {
	t.Helper()
	changes, err := s.Changes(t.Context(), things, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]storage.Revision{}
	for _, ch := range changes {
		if ch.Revision > at {
			break
		}
		if m[ch.Key.Name] = ch.Revision; ch.Type == storage.Deleted {
			delete(m, ch.Key.Name)
		}
	}
	return m
}

// A late store shows its commits to readers before its follower has them.
type late struct {
	storage.Store
	hold chan struct{} // closed when the follower may go on
}

func (l *late) Follow(fn func(storage.Batch)) (storage.Revision, error) {
	return l.Store.Follow(func(b storage.Batch) {
		<-l.hold
		fn(b)
	})
}

// A list that is ahead of the follower is joined without a double: what it has already is no event behind it, and the
// snapshot's revision is not below what it holds.
func TestCache_Fill_Ahead(t *testing.T) {
	s := &late{Store: openStore(t), hold: make(chan struct{})}
	c := newCache(t, s, cache.Options{})
	var writer sync.WaitGroup
	writer.Go(func() { mustCreate(t, s, "a", 1) })
	ahead := func() bool {
		p, err := s.List(t.Context(), storage.ListOptions{Resource: things})
		return err != nil || len(p.Records) > 0
	}
	for !ahead() {
		time.Sleep(time.Millisecond)
	}
	time.AfterFunc(30*time.Millisecond, func() { close(s.hold) })
	snap, w, err := c.SnapshotAndWatch(t.Context(), things, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	writer.Wait()
	if a := held(snap)["a"]; a == 0 || snap.Revision() < a {
		t.Errorf("the snapshot at %d holds %v", snap.Revision(), held(snap))
	}
	b := mustCreate(t, s, "b", 1)
	if events, err := until(w, b.Revision); err != nil || len(events) != 1 {
		t.Errorf("behind the snapshot came %v, %v", revisions(events), err)
	}
	if st := c.Stats().Resources[0]; st.Ring != 1 || st.Objects != 2 {
		t.Errorf("stats %+v, want the one change behind the list in the ring", st)
	}
}

// A fill that fails tells its users, and the next one tries again.
func TestCache_Fill_Error(t *testing.T) {
	s := &failing{Store: openStore(t), err: errors.New("disk on fire")}
	c := newCache(t, s, cache.Options{})
	a := mustCreate(t, s, "a", 1)
	if _, err := c.Snapshot(t.Context(), things, 0); !errors.Is(err, s.err) {
		t.Fatalf("got %v", err)
	}
	if snap, err := c.Snapshot(t.Context(), things, 0); err != nil || snap.Len() != 1 {
		t.Errorf("second try: %v", err)
	}
	if o, _, err := c.Get(t.Context(), a.Key, 0); err != nil || o.Revision != a.Revision {
		t.Errorf("second try: %+v, %v", o, err)
	}
}

// A failing store's first list fails.
type failing struct {
	storage.Store
	err  error
	once sync.Once
}

func (f *failing) List(ctx context.Context, o storage.ListOptions) (p storage.Page, err error) {
	f.once.Do(func() { err = f.err })
	if err != nil {
		return p, err
	}
	return f.Store.List(ctx, o)
}

// Committed is called with every change in order, after a reader can see it, also for resources that nobody uses.
func TestOptions_Committed(t *testing.T) {
	s := openStore(t)
	var c *cache.Cache
	var seen []storage.Revision
	c = newCache(t, s, cache.Options{Committed: func(batch storage.Batch) {
		for _, ch := range batch.Changes {
			seen = append(seen, ch.Revision)
		}
		if c != nil && c.Head() != seen[len(seen)-1] {
			t.Errorf("head %d when %d was announced", c.Head(), seen[len(seen)-1])
		}
	}})
	a := mustCreate(t, s, "a", 1)
	b := mustUpdate(t, s, a, 2)
	if want := []storage.Revision{a.Revision, b.Revision}; fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("announced %v, want %v", seen, want)
	}
}

func TestCache_Close(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	_, w, err := c.SnapshotAndWatch(t.Context(), things, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := w.Next(context.Background())
		ended <- err
	}()
	c.Close()
	if err := <-ended; !errors.Is(err, cache.ErrClosed) {
		t.Errorf("the watcher ended with %v", err)
	}
	if _, err := c.Watch(t.Context(), things, 0); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("a new watch: %v", err)
	}
	if err := c.Wait(t.Context(), 1000); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("a wait: %v", err)
	}
}
