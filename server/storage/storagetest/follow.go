package storagetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kubarium/server/storage"
)

// story makes one change of each kind, and returns what must be reported of them.
func (f *fixture) story() []storage.Change {
	x := f.create(key("a/x"), `1`)
	s := f.create(storage.NewKey("secrets", "a", "s"), `1`)
	u := f.update(x, `2`)
	d := f.remove(u)
	n := f.create(key("a/x"), `3`)
	return []storage.Change{
		{Revision: x.Revision, Type: storage.Created, Key: x.Key, Value: []byte(`1`)},
		{Revision: s.Revision, Type: storage.Created, Key: s.Key, Value: []byte(`1`)},
		{Revision: u.Revision, Type: storage.Updated, Key: x.Key, Value: []byte(`2`), Before: []byte(`1`), BeforeRevision: x.Revision},
		{Revision: d.Revision, Type: storage.Deleted, Key: x.Key, Before: []byte(`2`), BeforeRevision: u.Revision},
		{Revision: n.Revision, Type: storage.Created, Key: x.Key, Value: []byte(`3`)},
	}
}

func (f *fixture) changes(resource string, after storage.Revision, limit int) []storage.Change {
	f.Helper()
	found, err := f.Changes(context.Background(), resource, after, limit)
	if err != nil {
		f.Fatalf("changes of %q after %d: %v", resource, after, err)
	}
	return found
}

// changesTell: from any revision, each change after it, with what it met, what it left, and when.
func changesTell(f *fixture) {
	start, begun := f.newest(), time.Now().Truncate(time.Millisecond)
	want := f.story()
	f.expect("changes", describeChanges(f.changes("", start, 0)), describeChanges(want))
	for i, c := range want {
		f.expect(fmt.Sprint("after ", c.Revision), describeChanges(f.changes("", c.Revision, 0)), describeChanges(want[i+1:]))
	}
	for _, c := range f.changes("", start, 0) {
		if c.At.Before(begun) || c.At.After(time.Now()) || c.Outside {
			f.Errorf("change %d at %v, outside=%t", c.Revision, c.At, c.Outside)
		}
		if (c.Value == nil) != (c.Type == storage.Deleted) || (c.Before == nil) != (c.Type == storage.Created) {
			f.Errorf("change %d: nil value %t, nil before %t", c.Revision, c.Value == nil, c.Before == nil)
		}
	}
}

func changesOfOneResource(f *fixture) {
	start := f.newest()
	want := f.story()
	f.expect("secrets", describeChanges(f.changes("secrets", start, 0)), describeChanges(want[1:2]))
	f.expect("configmaps", describeChanges(f.changes("configmaps", want[0].Revision, 0)), describeChanges(want[2:]))
	f.expect("pods", describeChanges(f.changes("pods", start, 0)), "")
}

func changesLimit(f *fixture) {
	start := f.newest()
	want := f.story()
	f.expect("two", describeChanges(f.changes("", start, 2)), describeChanges(want[:2]))
	f.expect("two of a resource", describeChanges(f.changes("configmaps", start, 2)), describeChanges([]storage.Change{want[0], want[2]}))
	f.expect("more than there are", describeChanges(f.changes("", start, 99)), describeChanges(want))
}

// followerSeesAll: from where it begins, once, in order, and the same that Changes returns.
func followerSeesAll(f *fixture) {
	f.create(key("a/before"), `1`)
	changes, start := f.follow()
	f.expect("start", start, f.newest())
	f.story()
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 20 {
				r := f.create(key(fmt.Sprintf("b/%d-%d", w, i)), `1`)
				f.remove(f.update(r, `2`))
			}
		})
	}
	writers.Wait()
	f.expect("number of changes", len(*changes), 5+8*20*3)
	f.expect("followed", describeChanges(*changes), describeChanges(f.changes("", start, 0)))
	last := start
	for _, c := range *changes {
		if c.Revision <= last {
			f.Fatalf("revision %d after %d", c.Revision, last)
		}
		last = c.Revision
	}
}

// followerHasSummary: the writer's summary of a value comes with it, and with nothing else.
func followerHasSummary(f *fixture) {
	changes, _ := f.follow()
	first, second := &storage.Summary{Labels: map[string]string{"n": "1"}}, &storage.Summary{}
	r := f.must(storage.Write{Op: storage.OpCreate, Key: key("a/x"), Value: []byte(`1`), Summary: first})
	r = f.must(storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte(`2`), Expect: r.Revision, Summary: second})
	r = f.update(r, `3`)
	f.remove(r)
	var got []*storage.Summary
	for _, c := range *changes {
		got = append(got, c.Summary)
	}
	if want := []*storage.Summary{first, second, nil, nil}; !slices.Equal(got, want) {
		f.Errorf("summaries %v, want %v", got, want)
	}
}

// followerComesFirst: who has an answer finds that the follower has had the change.
func followerComesFirst(f *fixture) {
	var told atomic.Int64
	if _, err := f.Follow(func(b storage.Batch) {
		time.Sleep(time.Millisecond) // time in which a writer could be answered too soon
		told.Store(int64(b.Head))
	}); err != nil {
		f.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 20 {
				r := f.create(key(fmt.Sprintf("a/%d-%d", w, i)), `1`)
				if had := storage.Revision(told.Load()); had < r.Revision {
					f.Errorf("answered %d when the follower had %d", r.Revision, had)
				}
				if newest, _ := f.Head(); newest < r.Revision {
					f.Errorf("answered %d when the head was %d", r.Revision, newest)
				}
			}
		})
	}
	writers.Wait()
}

func secondFollowPanics(f *fixture) {
	f.follow()
	defer func() {
		if recover() == nil {
			f.Error("a second Follow did not panic")
		}
	}()
	f.follow()
}

// currentIsFollowed: what is current is not older than what was acknowledged, also with callers at the same time, and
// the follower has had it.
func currentIsFollowed(f *fixture) {
	var had atomic.Int64
	begin, err := f.Follow(func(b storage.Batch) { had.Store(int64(b.Head)) })
	if err != nil {
		f.Fatal(err)
	}
	had.CompareAndSwap(0, int64(begin))
	var asking sync.WaitGroup
	for i := range 4 {
		asking.Go(func() {
			r, err := f.Write(context.Background(), storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint("a/", i)), Value: []byte(`0`)})
			for n := 1; err == nil && n < 50; n++ {
				if current, failed := f.Current(context.Background()); failed != nil || current < r.Revision || had.Load() < int64(current) {
					f.Errorf("current is %d, %v, and the follower at %d, after %d was acknowledged", current, failed, had.Load(), r.Revision)
				}
				r, err = f.Write(context.Background(), storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: fmt.Append(nil, n), Expect: r.Revision})
			}
			if err != nil {
				f.Error(err)
			}
		})
	}
	asking.Wait()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Current(ended); err != nil && err != context.Canceled {
		f.Error(err)
	}
}
