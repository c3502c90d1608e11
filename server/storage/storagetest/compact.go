package storagetest

import (
	"context"
	"errors"
	"fmt"

	"kubarium/server/storage"
)

func (f *fixture) compact(at storage.Revision) {
	f.Helper()
	if err := f.Compact(context.Background(), at); err != nil {
		f.Fatalf("compact at %d: %v", at, err)
	}
}

// compactBelowHead: all up to the boundary is expired, all above stays as it was.
func compactBelowHead(f *fixture) {
	var told []storage.Change
	for range 3 {
		told = append(told, f.story()...)
		for _, r := range f.list(storage.ListOptions{Resource: "configmaps"}).Records {
			f.remove(r)
		}
		f.remove(f.list(storage.ListOptions{Resource: "secrets"}).Records[0])
	}
	f.story()
	start := told[6].Revision
	before := map[storage.Revision]string{}
	for at := start + 1; at <= f.newest(); at++ {
		before[at] = describe(f.list(storage.ListOptions{Resource: "configmaps", At: at}))
	}
	changes := describeChanges(f.changes("", start, 0))
	f.compact(start)
	_, compacted := f.Head()
	f.expect("boundary", compacted, start+1)
	for at, want := range before {
		f.expect("list", describe(f.list(storage.ListOptions{Resource: "configmaps", At: at})), want)
	}
	f.expect("changes", describeChanges(f.changes("", start, 0)), changes)
	f.expired(start, start+1)
	_, err := f.Changes(context.Background(), "", start-1, 0)
	if !errors.Is(err, storage.ErrExpired) {
		f.Errorf("changes after %d: %v", start-1, err)
	}
}

// expired proves that objects cannot be read at a revision.
func (f *fixture) expired(at, compacted storage.Revision) {
	f.Helper()
	_, get := f.Get(context.Background(), key("a/x"), at)
	_, list := f.List(context.Background(), storage.ListOptions{Resource: "configmaps", At: at})
	f.refusedRevision("get", get, storage.ErrExpired, at, compacted)
	f.refusedRevision("list", list, storage.ErrExpired, at, compacted)
}

// compactAtHead leaves the head readable, then and after more changes, and changes can be read from there.
func compactAtHead(f *fixture) {
	f.story()
	head := f.list(storage.ListOptions{Resource: "configmaps"})
	f.compact(head.Revision)
	_, compacted := f.Head()
	f.expect("boundary", compacted, head.Revision)
	next := f.create(key("b"), `1`)
	f.expect("head", describe(f.list(storage.ListOptions{Resource: "configmaps", At: head.Revision})), describe(head))
	f.expect("changes", describeChanges(f.changes("", head.Revision, 0)),
		describeChanges([]storage.Change{{Revision: next.Revision, Type: storage.Created, Key: next.Key, Value: []byte(`1`)}}))
	f.expired(head.Revision-1, head.Revision)
}

// compactKeepsNewest: an object that was never changed again stays, and its next change knows what it met.
func compactKeepsNewest(f *fixture) {
	first := f.create(key("a/x"), `1`)
	var old []storage.Record
	for i := range 50 {
		old = append(old, f.update(f.create(key(fmt.Sprintf("b/%02d", i)), `1`), `2`))
	}
	gone := f.remove(old[0])
	f.compact(gone.Revision)
	f.compact(f.create(key("c"), `1`).Revision)
	f.expect("objects", len(f.list(storage.ListOptions{Resource: "configmaps"}).Records), len(old)+1)
	r, err := f.Get(context.Background(), first.Key, 0)
	f.expect("oldest", fmt.Sprint(describeRecord(r), err), fmt.Sprint(describeRecord(first), nil))
	start := f.newest()
	next := f.update(first, `2`)
	f.expect("oldest at the boundary", names(f.list(storage.ListOptions{Resource: "configmaps", At: start, Limit: 1})), []string{"a/x"})
	again := f.create(old[0].Key, `3`)
	f.expect("changes", describeChanges(f.changes("", start, 0)), describeChanges([]storage.Change{
		{Revision: next.Revision, Type: storage.Updated, Key: first.Key, Value: []byte(`2`), Before: []byte(`1`), BeforeRevision: first.Revision},
		{Revision: again.Revision, Type: storage.Created, Key: again.Key, Value: []byte(`3`)},
	}))
}

func compactBelowBoundary(f *fixture) {
	told := f.story()
	f.compact(told[3].Revision)
	f.compact(told[1].Revision)
	f.compact(0)
	_, compacted := f.Head()
	f.expect("boundary", compacted, told[3].Revision+1)
	f.expired(told[3].Revision, told[3].Revision+1)
}

func compactTooLarge(f *fixture) {
	newest := f.create(key("a/x"), `1`).Revision
	f.refusedRevision("compact", f.Compact(context.Background(), newest+1), storage.ErrTooLarge, newest+1, newest)
	_, compacted := f.Head()
	f.expect("boundary", compacted, 0)
}
