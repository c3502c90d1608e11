package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"kubarium/server/storage"
)

func createReturns(f *fixture) {
	r := f.create(key("a/x"), `{"n":1}`)
	if r.Revision <= 0 {
		f.Errorf("revision is %d", r.Revision)
	}
	f.expect("created", describeRecord(r), fmt.Sprintf(`configmaps/a/x@%d={"n":1}`, r.Revision))
	stored, err := f.Get(context.Background(), r.Key, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.expect("stored", describeRecord(stored), describeRecord(r))
	newest, compacted := f.Head()
	f.expect("head", []storage.Revision{newest, compacted}, []storage.Revision{r.Revision, 0})
}

func createMeetsObject(f *fixture) {
	f.create(key("a/x"), `1`)
	f.refused(storage.Write{Op: storage.OpCreate, Key: key("a/x"), Value: []byte(`2`)}, storage.ErrExists, key("a/x"))
}

func updateReturns(f *fixture) {
	first := f.create(key("a/x"), `1`)
	second := f.update(first, `2`)
	if second.Revision <= first.Revision {
		f.Errorf("revision %d after %d", second.Revision, first.Revision)
	}
	f.expect("updated", describeRecord(second), fmt.Sprintf("configmaps/a/x@%d=2", second.Revision))
	stored, err := f.Get(context.Background(), first.Key, 0)
	f.expect("stored", fmt.Sprint(describeRecord(stored), err), fmt.Sprint(describeRecord(second), nil))
}

// updateToSameValue: such an update is no change, but still must expect the right revision.
func updateToSameValue(f *fixture) {
	changes, _ := f.follow()
	first := f.create(key("a/x"), `1`)
	f.expect("updated", describeRecord(f.update(first, `1`)), describeRecord(first))
	f.expect("newest", f.newest(), first.Revision)
	f.expect("changes", len(*changes), 1)
	f.refused(storage.Write{Op: storage.OpUpdate, Key: first.Key, Value: []byte(`1`), Expect: first.Revision + 1},
		storage.ErrConflict, first.Key)
}

func deleteReturns(f *fixture) {
	first := f.create(key("a/x"), `1`)
	gone := f.remove(first)
	if gone.Revision <= first.Revision {
		f.Errorf("revision %d after %d", gone.Revision, first.Revision)
	}
	f.expect("deleted", describeRecord(gone), fmt.Sprintf("configmaps/a/x@%d=1", gone.Revision))
	if _, err := f.Get(context.Background(), first.Key, 0); !errors.Is(err, storage.ErrNotFound) {
		f.Errorf("get: %v", err)
	}
	if again := f.create(first.Key, `2`); again.Revision <= gone.Revision {
		f.Errorf("revision %d after %d", again.Revision, gone.Revision)
	}
}

func changeOfNothing(f *fixture) {
	k := key("a/x")
	f.refused(storage.Write{Op: storage.OpUpdate, Key: k, Value: []byte(`1`), Expect: 1}, storage.ErrNotFound, k)
	f.refused(storage.Write{Op: storage.OpDelete, Key: k, Expect: 1}, storage.ErrNotFound, k)
	gone := f.remove(f.create(k, `1`))
	f.refused(storage.Write{Op: storage.OpUpdate, Key: k, Value: []byte(`1`), Expect: gone.Revision}, storage.ErrNotFound, k)
}

func changeOfOtherRevision(f *fixture) {
	first := f.create(key("a/x"), `1`)
	second := f.update(first, `2`)
	for _, expect := range []storage.Revision{0, first.Revision, second.Revision + 1} {
		for _, w := range []storage.Write{
			{Op: storage.OpUpdate, Key: first.Key, Value: []byte(`3`), Expect: expect},
			{Op: storage.OpDelete, Key: first.Key, Expect: expect},
		} {
			wrong := f.refused(w, storage.ErrConflict, first.Key)
			f.expect("stored", describeRecord(wrong.Stored), describeRecord(second))
		}
	}
}

func createWithin(f *fixture) {
	space := storage.NewKey("namespaces", "", "a")
	w := storage.Write{Op: storage.OpCreate, Key: key("a/x"), Value: []byte(`1`), Within: space}
	f.refused(w, storage.ErrNotFound, space)
	r := f.create(space, `{}`)
	f.must(w)
	f.remove(r)
	w.Key = key("a/y")
	f.refused(w, storage.ErrNotFound, space)
}

// createWithinAt refuses a create whose namespace has changed since its caller looked at it.
func createWithinAt(f *fixture) {
	first := f.create(storage.NewKey("namespaces", "", "a"), `1`)
	w := storage.Write{Op: storage.OpCreate, Key: key("a/x"), Value: []byte(`1`), Within: first.Key, WithinAt: first.Revision}
	f.must(w)
	second := f.update(first, `2`)
	w.Key = key("a/y")
	wrong := f.refused(w, storage.ErrConflict, first.Key)
	f.expect("stored", describeRecord(wrong.Stored), describeRecord(second))
	w.WithinAt = second.Revision
	f.must(w)
	f.remove(second)
	w.Key = key("a/z")
	f.refused(w, storage.ErrNotFound, first.Key)
}

// losersLeaveOthersAlone lets half of many writes at once fail their condition; each other one happens.
func losersLeaveOthersAlone(f *fixture) {
	taken := f.create(key("a/taken"), `1`)
	changes, _ := f.follow()
	const writers = 64
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			w := storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprintf("a/%d", i)), Value: []byte(`1`)}
			if i%2 == 1 {
				w = storage.Write{Op: storage.OpUpdate, Key: taken.Key, Value: []byte(`2`), Expect: taken.Revision + 1000}
			}
			_, err := f.Write(context.Background(), w)
			if lost := errors.Is(err, storage.ErrConflict); lost != (i%2 == 1) || (err != nil && !lost) {
				f.Errorf("writer %d: %v", i, err)
			}
		})
	}
	all.Wait()
	f.expect("objects", len(f.list(storage.ListOptions{Resource: "configmaps"}).Records), writers/2+1)
	f.expect("changes", len(*changes), writers/2)
}

// oneWinner lets many update one object at one revision: one of them does, and the others learn what it made.
func oneWinner(f *fixture) {
	r := f.create(key("a/x"), `0`)
	for round := range 20 {
		var all sync.WaitGroup
		won := make(chan storage.Record, 8)
		for i := range cap(won) {
			all.Go(func() {
				value := fmt.Sprintf(`"%d by %d"`, round, i)
				next, err := f.Write(context.Background(), storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte(value), Expect: r.Revision})
				if err == nil {
					won <- next
				} else if !errors.Is(err, storage.ErrConflict) {
					f.Error(err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			f.Fatalf("round %d has %d winners", round, len(won))
		}
		r = <-won
	}
}

// largeValue is what the API lets an object be (1.5 MiB), and comes back as the same bytes in every way of reading.
func largeValue(f *fixture) {
	changes, start := f.follow()
	value := `"` + strings.Repeat("snowman ☃ ", 3<<19/12) + `"`
	r := f.create(key("a/x"), value)
	stored, err := f.Get(context.Background(), r.Key, 0)
	if err != nil || string(stored.Value) != value {
		f.Errorf("get: %d bytes, %v", len(stored.Value), err)
	}
	told, err := f.Changes(context.Background(), "", start, 0)
	if err != nil || len(told) != 1 || string(told[0].Value) != value {
		f.Errorf("changes: %d, %v", len(told), err)
	}
	if len(*changes) != 1 || string((*changes)[0].Value) != value {
		f.Errorf("followed: %d changes", len(*changes))
	}
}

func contextEnded(f *fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, write := f.Write(ctx, storage.Write{Op: storage.OpCreate, Key: key("a/x"), Value: []byte(`1`)})
	_, get := f.Get(ctx, key("a/x"), 0)
	_, list := f.List(ctx, storage.ListOptions{Resource: "configmaps"})
	_, changes := f.Changes(ctx, "", 0, 0)
	for name, err := range map[string]error{"write": write, "get": get, "list": list, "changes": changes} {
		if !errors.Is(err, context.Canceled) {
			f.Errorf("%s: %v", name, err)
		}
	}
	f.create(key("a/y"), `1`)
}

// revisionsGrow: over all resources, and over deletions.
func revisionsGrow(f *fixture) {
	last := f.newest()
	for i := range 10 {
		r := f.create(storage.NewKey([]string{"secrets", "configmaps"}[i%2], "a", "x"+fmt.Sprint(i/2)), `1`)
		for _, next := range []storage.Record{r, f.update(r, `2`)} {
			if next.Revision <= last {
				f.Errorf("revision %d after %d", next.Revision, last)
			}
			last = next.Revision
		}
		if last = f.remove(storage.Record{Key: r.Key, Revision: last}).Revision; last <= r.Revision {
			f.Errorf("deleted at %d", last)
		}
	}
	f.expect("newest", f.newest(), last)
}

// closeFinishesWrites: a write that was under way when the store was closed has happened or has failed.
func closeFinishesWrites(f *fixture) {
	told := map[storage.Revision]bool{}
	if _, err := f.Follow(func(b storage.Batch) {
		for _, c := range b.Changes {
			told[c.Revision] = true
		}
	}); err != nil {
		f.Fatal(err)
	}
	var all sync.WaitGroup
	acked := make(chan storage.Revision, 8*100)
	begun := make(chan struct{}, cap(acked))
	for w := range 8 {
		all.Go(func() {
			for i := range 100 {
				r, err := f.Write(context.Background(), storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprintf("a/%d-%d", w, i)), Value: []byte(`1`)})
				if err != nil {
					return
				}
				acked <- r.Revision
				begun <- struct{}{}
			}
		})
	}
	<-begun
	if err := f.Close(); err != nil {
		f.Error(err)
	}
	all.Wait()
	close(acked)
	for revision := range acked {
		if !told[revision] {
			f.Errorf("the follower did not have %d", revision)
		}
	}
	if _, err := f.Write(context.Background(), storage.Write{Op: storage.OpCreate, Key: key("a/late"), Value: []byte(`1`)}); err == nil {
		f.Error("a closed store wrote")
	}
}
