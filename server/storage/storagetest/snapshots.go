package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"kubarium/server/storage"
)

// A Restorable is a store with states to go back to.
type Restorable interface {
	storage.Store
	storage.Snapshots
}

// snapshotPromises are the sentences of storage.Snapshots.
var snapshotPromises = []struct {
	name  string
	prove func(f *restorable)
}{
	{"Save", saveReturns},
	{"Save/ErrExists", saveMeetsName},
	{"Save/Replace", saveReplaces},
	{"Snapshots", snapshotsInOrder},
	{"Delete/ErrNotFound", deleteOfNoSnapshot},
	{"Restore", restoreGoesBack},
	{"Restore/ErrNotFound", restoreOfNoSnapshot},
	{"Restore/NothingDiffers", restoreOfSameState},
	{"Restore/Twice", restoreTwice},
	{"Restore/AfterCompaction", restoreAfterCompaction},
	{"Restore/Follower", followerHasRestore},
	{"Restore/Boundary", restoreCompacts},
	{"Restore/ErrRestored", writeOfBefore},
	{"Restore/BeforeOrAfter", restoreIsNeverBetween},
	{"Restore/UnderWriters", restoreUnderWriters},
	{"RandomSnapshots", randomSnapshots},
}

// RunSnapshots proves every promise of storage.Snapshots, as Run does those of storage.Store.
func RunSnapshots(t *testing.T, open func(t testing.TB) Restorable) {
	for _, p := range snapshotPromises {
		t.Run(p.name, func(t *testing.T) {
			s := open(t)
			p.prove(&restorable{fixture{T: t, Store: s}, s})
		})
	}
}

// A restorable is a fixture with snapshots.
type restorable struct {
	fixture
	storage.Snapshots
}

func (f *restorable) save(name string) storage.Snapshot {
	f.Helper()
	s, err := f.SaveSnapshot(context.Background(), name, storage.SaveNew)
	if err != nil {
		f.Fatalf("save %s: %v", name, err)
	}
	return s
}

func (f *restorable) restore(name string) storage.Restoration {
	f.Helper()
	done, err := f.Restore(context.Background(), name)
	if err != nil {
		f.Fatalf("restore %s: %v", name, err)
	}
	return done
}

func (f *restorable) snapshots() []storage.Snapshot {
	f.Helper()
	all, err := f.Snapshots.Snapshots(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	return all
}

// refusedName proves that something failed for a name.
func (f *restorable) refusedName(err, kind error, name string) {
	f.Helper()
	var wrong *storage.SnapshotError
	if !errors.Is(err, kind) || !errors.As(err, &wrong) || wrong.Name != name {
		f.Errorf("got %v, want %v for %q", err, kind, name)
	}
}

// state is all objects with their values, without revisions.
func (f *restorable) state() string {
	f.Helper()
	text := ""
	for _, resource := range randomResources {
		for _, r := range f.list(storage.ListOptions{Resource: resource}).Records {
			text += fmt.Sprintf("%s=%s\n", r.Key, r.Value)
		}
	}
	return text
}

func saveReturns(f *restorable) {
	f.story()
	begun := time.Now().Truncate(time.Millisecond)
	s := f.save("a")
	f.expect("revision", s.Revision, f.newest())
	if s.Name != "a" || s.At.Before(begun) || s.At.After(time.Now()) {
		f.Errorf("saved %+v", s)
	}
	f.expect("a second one takes no revision", f.save("b").Revision, s.Revision)
	f.expect("snapshots", f.snapshots(), []storage.Snapshot{s, {Name: "b", Revision: s.Revision, At: f.snapshots()[1].At}})
}

func saveMeetsName(f *restorable) {
	first := f.save("a")
	f.story()
	_, err := f.SaveSnapshot(context.Background(), "a", storage.SaveNew)
	f.refusedName(err, storage.ErrExists, "a")
	f.expect("snapshots", f.snapshots(), []storage.Snapshot{first})
}

func saveReplaces(f *restorable) {
	f.save("a")
	f.story()
	want := f.state()
	s, err := f.SaveSnapshot(context.Background(), "a", storage.Replace)
	f.expect("replaced", fmt.Sprint(s.Revision, err), fmt.Sprint(f.newest(), nil))
	f.expect("snapshots", f.snapshots(), []storage.Snapshot{s})
	f.story2()
	f.restore("a")
	f.expect("state", f.state(), want)
}

// story2 changes what story has left.
func (f *restorable) story2() {
	for _, r := range f.list(storage.ListOptions{Resource: "configmaps"}).Records {
		f.remove(r)
	}
	f.update(f.list(storage.ListOptions{Resource: "secrets"}).Records[0], `9`)
	f.create(key("new"), `1`)
}

func snapshotsInOrder(f *restorable) {
	f.expect("none", len(f.snapshots()), 0)
	second, first := f.save("b"), f.save("a")
	f.story()
	third := f.save("0")
	f.expect("snapshots", f.snapshots(), []storage.Snapshot{first, second, third})
	if err := f.DeleteSnapshot(context.Background(), "a"); err != nil {
		f.Error(err)
	}
	f.expect("snapshots", f.snapshots(), []storage.Snapshot{second, third})
}

func deleteOfNoSnapshot(f *restorable) {
	f.refusedName(f.DeleteSnapshot(context.Background(), "a"), storage.ErrNotFound, "a")
}

func restoreOfNoSnapshot(f *restorable) {
	f.story()
	want, head := f.state(), f.newest()
	_, err := f.Restore(context.Background(), "a")
	f.refusedName(err, storage.ErrNotFound, "a")
	f.expect("state", f.state(), want)
	_, compacted := f.Head()
	f.expect("head and boundary", fmt.Sprint(f.newest(), compacted), fmt.Sprint(head, 0))
}

// restoreGoesBack: what was deleted is there again, what was changed is as it was, what is new is gone; what is the
// same keeps its revision, and all others get one above all that were given.
func restoreGoesBack(f *restorable) {
	same := f.create(key("a/same"), `1`)
	changed, deleted := f.create(key("a/changed"), `1`), f.create(key("a/deleted"), `1`)
	again := f.create(key("a/again"), `1`)
	saved := f.save("s")
	f.remove(f.create(key("a/gone"), `1`))
	f.create(key("a/new"), `1`)
	f.update(changed, `2`)
	f.remove(deleted)
	f.remove(again)
	f.create(again.Key, `2`)
	touched := f.update(f.update(same, `2`), `1`)
	head := f.newest()
	done := f.restore("s")
	f.expect("restored", fmt.Sprintf("%+v", done), fmt.Sprintf("%+v", storage.Restoration{Snapshot: saved, Head: head + 4, Created: 1, Updated: 2, Deleted: 1}))
	want := map[string]string{"a/again": "1", "a/changed": "1", "a/deleted": "1", "a/same": "1"}
	for _, r := range f.list(storage.ListOptions{Resource: "configmaps"}).Records {
		if want[r.Key.Name] != string(r.Value) || (r.Revision > head) != (r.Key.Name != "a/same") {
			f.Errorf("%s", describeRecord(r))
		}
		delete(want, r.Key.Name)
	}
	f.expect("missing", len(want), 0)
	r, err := f.Get(context.Background(), same.Key, 0)
	f.expect("the same", fmt.Sprint(r.Revision, err), fmt.Sprint(touched.Revision, nil))
	if next := f.create(key("b"), `1`); next.Revision <= done.Head {
		f.Errorf("the next revision is %d, after %d", next.Revision, done.Head)
	}
}

func restoreOfSameState(f *restorable) {
	f.story()
	saved := f.save("s")
	done := f.restore("s")
	f.expect("restored", fmt.Sprintf("%+v", done), fmt.Sprintf("%+v", storage.Restoration{Snapshot: saved, Head: saved.Revision}))
	f.expect("head", f.newest(), saved.Revision)
}

// restoreTwice: a snapshot outlives a restore, and those made before and after it do too.
func restoreTwice(f *restorable) {
	f.story()
	first := f.state()
	f.save("first")
	f.story2()
	second := f.state()
	f.save("second")
	for range 2 {
		f.restore("first")
		f.expect("first", f.state(), first)
		f.create(key("between"), `1`)
		f.restore("second")
		f.expect("second", f.state(), second)
		f.restore("second")
		f.expect("second again", f.state(), second)
	}
}

// restoreAfterCompaction: what a snapshot needs stays for as long as there is one that needs it, and reads at its
// revision are expired all the same.
func restoreAfterCompaction(f *restorable) {
	f.story()
	first := f.state()
	saved, other := f.save("first"), f.save("other")
	for i := range 3 {
		f.story2()
		if i < 2 {
			f.restore("first")
		}
	}
	f.expect("both are of one revision", other.Revision, saved.Revision)
	if err := f.DeleteSnapshot(context.Background(), "other"); err != nil {
		f.Error(err)
	}
	f.compact(f.newest())
	for i := range 40 { // what is removed in turns gets them
		f.remove(f.create(key(fmt.Sprint("c/", i)), `1`))
	}
	f.compact(f.newest())
	f.expired(saved.Revision, f.newest())
	f.restore("first")
	f.expect("state", f.state(), first)
}

// followerHasRestore: in one batch, which says so, and the same that Changes returns.
func followerHasRestore(f *restorable) {
	var batches []storage.Batch
	if _, err := f.Follow(func(b storage.Batch) { batches = append(batches, b) }); err != nil {
		f.Fatal(err)
	}
	f.story()
	f.save("s")
	f.story2()
	before := f.newest()
	batches = nil
	done := f.restore("s")
	f.restore("s")
	if len(batches) != 2 || batches[0].Restored != done.Head || batches[1].Restored != done.Head || len(batches[1].Changes) != 0 {
		f.Fatalf("the follower had %+v", batches)
	}
	changes := batches[0].Changes
	f.expect("number of changes", len(changes), done.Created+done.Updated+done.Deleted)
	for i, c := range changes {
		f.expect("revision", c.Revision, before+storage.Revision(i)+1)
		if (c.Value == nil) != (c.Type == storage.Deleted) || (c.Before == nil) != (c.Type == storage.Created) || c.Outside {
			f.Errorf("change %+v", c)
		}
		if c.Type == storage.Deleted {
			continue
		}
		r, err := f.Get(context.Background(), c.Key, 0)
		f.expect("object", fmt.Sprint(describeRecord(r), err), fmt.Sprint(describeRecord(storage.Record{Key: c.Key, Revision: c.Revision, Value: c.Value}), nil))
	}
}

// restoreCompacts: everything before is expired, and the head is readable.
func restoreCompacts(f *restorable) {
	f.story()
	saved := f.save("s")
	f.story2()
	before := f.newest()
	done := f.restore("s")
	newest, compacted := f.Head()
	f.expect("head and boundary", fmt.Sprint(newest, compacted), fmt.Sprint(done.Head, done.Head))
	f.expired(before, done.Head)
	f.expired(saved.Revision, done.Head)
	_, err := f.Changes(context.Background(), "", before, 0)
	f.refusedRevision("changes", err, storage.ErrExpired, before, done.Head)
	f.expect("changes after it", describeChanges(f.changes("", done.Head, 0)), "")
	f.expect("list at the head", f.list(storage.ListOptions{Resource: "configmaps", At: done.Head}).Revision, done.Head)
}

// writeOfBefore: a write that was judged before a restore does not happen after it; one that was judged after it does.
func writeOfBefore(f *restorable) {
	r := f.create(key("a/x"), `1`)
	f.save("s")
	before := f.newest()
	f.create(key("a/y"), `1`)
	done := f.restore("s")
	for _, w := range []storage.Write{
		{Op: storage.OpCreate, Key: key("a/z"), Value: []byte(`1`), Since: before},
		{Op: storage.OpUpdate, Key: r.Key, Value: []byte(`2`), Expect: r.Revision, Since: done.Head - 1},
		{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision, Since: 1},
	} {
		f.refused(w, storage.ErrRestored, w.Key)
	}
	f.must(storage.Write{Op: storage.OpCreate, Key: key("a/z"), Value: []byte(`1`), Since: done.Head})
	f.must(storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision})
}

// restoreIsNeverBetween: while a store goes to and fro between two states, all who read see one of them.
func restoreIsNeverBetween(f *restorable) {
	const many = 40
	for i := range many {
		f.create(key(fmt.Sprint("a/", i)), `1`)
	}
	f.save("a")
	for _, r := range f.list(storage.ListOptions{Resource: "configmaps"}).Records {
		f.remove(r)
	}
	for i := range many {
		f.create(key(fmt.Sprint("b/", i)), `1`)
	}
	f.save("b")
	over := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				page, err := f.List(context.Background(), storage.ListOptions{Resource: "configmaps"})
				found := names(page)
				if err != nil || len(found) != many || found[0][0] != found[many-1][0] {
					f.Errorf("between: %v %v", found, err)
					return
				}
			}
		})
	}
	for i := range 20 {
		f.restore(string("ab"[i%2]))
	}
	close(over)
	readers.Wait()
}

// restoreUnderWriters: writers go on during restores. Right after each one the follower has what was saved, and in
// the end it has what the store has.
func restoreUnderWriters(f *restorable) {
	m := newModel()
	var faults []string
	want := map[storage.Key]string{}
	if _, err := f.Follow(func(b storage.Batch) {
		m.follow(b)
		if b.Restored == 0 {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		for k := range m.objects {
			if v := m.last(k); string(v.value) != want[k] {
				faults = append(faults, fmt.Sprintf("at %d %s is %q, want %q", b.Restored, k, v.value, want[k]))
			}
		}
	}); err != nil {
		f.Fatal(err)
	}
	for i := range 10 {
		r := f.create(key(fmt.Sprint("a/", i)), strconv.Itoa(i))
		want[r.Key] = strconv.Itoa(i)
	}
	f.save("s")
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 100 {
				k := key(fmt.Sprint("a/", (w*7+i)%15))
				write := storage.Write{Op: storage.OpCreate, Key: k, Value: fmt.Appendf(nil, `"%d-%d"`, w, i)}
				if r, err := f.Get(context.Background(), k, 0); err == nil {
					write.Op, write.Expect = storage.OpUpdate, r.Revision
					if i%3 == 0 {
						write.Op, write.Value = storage.OpDelete, nil
					}
				}
				_, err := f.Write(context.Background(), write)
				if !slices.ContainsFunc([]error{nil, storage.ErrConflict, storage.ErrExists, storage.ErrNotFound}, func(e error) bool { return errors.Is(err, e) }) {
					f.Errorf("write %s: %v", k, err)
				}
			}
		})
	}
	for range 10 {
		f.restore("s")
	}
	writers.Wait()
	for _, fault := range append(m.faults, faults...) {
		f.Error(fault)
	}
	o := storage.ListOptions{Resource: "configmaps", At: m.head}
	f.expect("at the end", describe(f.list(o)), describe(m.list(o)))
}

// randomSnapshots saves, deletes, restores, compacts and writes at random, one after the other, against a model that
// copies all objects at each save.
func randomSnapshots(f *restorable) {
	seed := rand.Uint64()
	f.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	a := &actor{fixture: &f.fixture, rand: random}
	saved := map[string]string{}
	for i := range 1500 {
		name := fmt.Sprint("s", random.IntN(6))
		switch random.IntN(30) {
		case 0, 1:
			if _, err := f.SaveSnapshot(context.Background(), name, storage.Replace); err != nil {
				f.Fatal(err)
			}
			saved[name] = f.state()
		case 2:
			_, there := saved[name]
			if err := f.DeleteSnapshot(context.Background(), name); there != (err == nil) || !there && !errors.Is(err, storage.ErrNotFound) {
				f.Fatalf("step %d, delete %s: %v", i, name, err)
			}
			delete(saved, name)
		case 3, 4:
			f.compact(f.newest() - storage.Revision(random.IntN(int(f.newest())+1)))
		case 5:
			_, err := f.Restore(context.Background(), name)
			if want, there := saved[name]; there && (err != nil || f.state() != want) {
				f.Fatalf("step %d, %s: %v, have\n%s\nwant\n%s", i, name, err, f.state(), want)
			}
		default:
			f.writeAny(a.key(), fmt.Sprint(random.IntN(3)), random.IntN(3) == 0)
		}
	}
	for name, want := range saved {
		f.restore(name)
		if have := f.state(); have != want {
			f.Fatalf("%s in the end: have\n%s\nwant\n%s", name, have, want)
		}
	}
	f.expect("number of snapshots", len(f.snapshots()), len(saved))
}

// writeAny creates, updates or removes an object, as it fits.
func (f *restorable) writeAny(k storage.Key, value string, remove bool) {
	f.Helper()
	r, err := f.Get(context.Background(), k, 0)
	switch {
	case err != nil:
		f.create(k, value)
	case remove:
		f.remove(r)
	default:
		f.update(r, value)
	}
}
