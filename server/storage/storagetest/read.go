package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"kubarium/server/storage"
)

func getAtRevision(f *fixture) {
	k := key("a/x")
	other := f.create(key("a/y"), `1`)
	first := f.create(k, `1`)
	second := f.update(first, `2`)
	between := f.update(other, `2`)
	gone := f.remove(second)
	again := f.create(k, `3`)
	for _, c := range []struct {
		at   storage.Revision
		want *storage.Record
	}{{other.Revision, nil}, {first.Revision, &first}, {second.Revision, &second}, {between.Revision, &second},
		{gone.Revision, nil}, {again.Revision, &again}, {0, &again}} {
		r, err := f.Get(context.Background(), k, c.at)
		switch {
		case c.want == nil && !errors.Is(err, storage.ErrNotFound):
			f.Errorf("at %d: %v, %v", c.at, r, err)
		case c.want != nil && err != nil:
			f.Errorf("at %d: %v", c.at, err)
		case c.want != nil:
			f.expect(fmt.Sprint("at ", c.at), describeRecord(r), describeRecord(*c.want))
		}
	}
}

// tooLarge: a revision above the newest is an error that names the newest.
func tooLarge(f *fixture) {
	newest := f.create(key("a/x"), `1`).Revision
	_, get := f.Get(context.Background(), key("a/x"), newest+1)
	_, list := f.List(context.Background(), storage.ListOptions{Resource: "configmaps", At: newest + 1})
	_, changes := f.Changes(context.Background(), "", newest+1, 0)
	for name, err := range map[string]error{"get": get, "list": list, "changes": changes} {
		f.refusedRevision(name, err, storage.ErrTooLarge, newest+1, newest)
	}
}

func (f *fixture) refusedRevision(name string, err, kind error, asked, current storage.Revision) {
	f.Helper()
	var wrong *storage.RevisionError
	if !errors.Is(err, kind) || !errors.As(err, &wrong) {
		f.Errorf("%s: %v, want %v", name, err, kind)
		return
	}
	f.expect(name, []storage.Revision{wrong.Asked, wrong.Current}, []storage.Revision{asked, current})
}

// sorted are key names in the order of their bytes, with all that people would sort otherwise.
var sorted = []string{"A/x", "a", "a-b/x", "a.b/x", "a/", "a/x", "a/x-1", "a/x1", "a0/x", "ab/x", "b", "é/x", "☃/x"}

func listOrder(f *fixture) {
	for _, i := range rand.Perm(len(sorted)) {
		f.create(key(sorted[i]), `1`)
	}
	f.create(storage.NewKey("secrets", "a", "x"), `1`)
	f.create(storage.NewKey("configmaps.example.com", "a", "x"), `1`)
	f.expect("newest", names(f.list(storage.ListOptions{Resource: "configmaps"})), sorted)
	at := f.newest()
	f.create(key("0"), `1`)
	f.expect("older", names(f.list(storage.ListOptions{Resource: "configmaps", At: at})), sorted)
	f.expect("nothing", describe(f.list(storage.ListOptions{Resource: "pods"})), describe(storage.Page{Revision: at + 1}))
}

// bothAges reads a list newest and, after another change, at the same revision from the history.
func (f *fixture) bothAges(o storage.ListOptions, prove func(storage.Page)) {
	f.Helper()
	prove(f.list(o))
	o.At = f.newest()
	f.create(storage.NewKey("aging", "", fmt.Sprint(o.At)), `1`)
	prove(f.list(o))
}

func listPrefix(f *fixture) {
	for _, name := range sorted {
		f.create(key(name), `1`)
	}
	for prefix, want := range map[string][]string{"a/": {"a/", "a/x", "a/x-1", "a/x1"}, "a-b/": {"a-b/x"}, "c/": nil, "": sorted} {
		f.bothAges(storage.ListOptions{Resource: "configmaps", Prefix: prefix}, func(p storage.Page) {
			f.expect("prefix "+prefix, names(p), want)
		})
	}
}

// listAfter begins after any name, whether an object has it or not, and within a prefix or before it.
func listAfter(f *fixture) {
	for _, name := range sorted {
		f.create(key(name), `1`)
	}
	for i, name := range sorted {
		f.bothAges(storage.ListOptions{Resource: "configmaps", After: name}, func(p storage.Page) {
			f.expect("after "+name, names(p), sorted[i+1:])
		})
	}
	for after, want := range map[string][]string{"A": {"a/", "a/x", "a/x-1", "a/x1"}, "a/x": {"a/x-1", "a/x1"}, "a/x+": {"a/x-1", "a/x1"}, "b": nil} {
		f.bothAges(storage.ListOptions{Resource: "configmaps", Prefix: "a/", After: after}, func(p storage.Page) {
			f.expect("after "+after, names(p), want)
		})
	}
}

// listPages: whatever the page size, the pages put together are the list, and Remaining counts what follows.
func listPages(f *fixture) {
	for _, name := range sorted {
		f.create(key(name), `1`)
	}
	whole := f.list(storage.ListOptions{Resource: "configmaps"})
	f.expect("whole list", []any{whole.More, whole.Remaining}, []any{false, 0})
	f.create(key("0"), `1`)
	for limit := 1; limit <= len(sorted)+1; limit++ {
		f.expect(fmt.Sprint("pages of ", limit), f.pages(storage.ListOptions{Resource: "configmaps", At: whole.Revision, Limit: limit}, nil), names(whole))
	}
	f.expect("pages of the newest", f.pages(storage.ListOptions{Resource: "configmaps", Prefix: "a/", Limit: 3}, nil), sorted[4:8])
}

// pages follows a paged list to its end, does between before each page but the first, and returns the names.
func (f *fixture) pages(o storage.ListOptions, between func()) []string {
	f.Helper()
	var found []string
	remaining := -1
	for {
		p := f.list(o)
		if p.More != (p.Remaining > 0) || p.More && len(p.Records) != o.Limit {
			f.Fatalf("%+v: %d records, more=%t, remaining=%d", o, len(p.Records), p.More, p.Remaining)
		}
		if remaining >= 0 && remaining != len(p.Records)+p.Remaining {
			f.Fatalf("%+v: %d of %d remain after %d records", o, p.Remaining, remaining, len(p.Records))
		}
		if o.At != 0 && p.Revision != o.At {
			f.Fatalf("%+v: page at %d", o, p.Revision)
		}
		found = append(found, names(p)...)
		if !p.More {
			return found
		}
		o.At, o.After, remaining = p.Revision, found[len(found)-1], p.Remaining
		if between != nil {
			between()
		}
	}
}

// listPagesWhileOthersWrite: later pages are of the first page's revision, whatever is written in between.
func listPagesWhileOthersWrite(f *fixture) {
	var want []string
	for i := range 60 {
		want = append(want, f.create(key(fmt.Sprintf("a/%03d", i)), `0`).Key.Name)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	defer writers.Wait()
	defer close(stop)
	first := f.list(storage.ListOptions{Resource: "configmaps", Limit: 1})
	for w := range 4 {
		writers.Go(func() { f.churn(want[w:], stop) })
	}
	for limit := range 12 {
		o := storage.ListOptions{Resource: "configmaps", At: first.Revision, Limit: limit + 1}
		f.expect(fmt.Sprint("pages of ", o.Limit), f.pages(o, nil), want)
	}
	for range 5 { // the newest is consistent in itself too: pages proves that its remainders agree
		if found := f.pages(storage.ListOptions{Resource: "configmaps", Limit: 7}, nil); !slices.IsSorted(found) {
			f.Errorf("out of order: %v", found)
		}
	}
}

// churn deletes and creates every fourth of names until stop.
func (f *fixture) churn(names []string, stop <-chan struct{}) {
	for i := 0; ; i = (i + 4) % len(names) {
		select {
		case <-stop:
			return
		default:
		}
		r, err := f.Get(context.Background(), key(names[i]), 0)
		w := storage.Write{Op: storage.OpDelete, Key: key(names[i]), Expect: r.Revision}
		if err != nil {
			w = storage.Write{Op: storage.OpCreate, Key: key(names[i]), Value: []byte(`1`)}
		}
		if _, err := f.Write(context.Background(), w); err != nil && !isLost(err) {
			f.Error(err)
		}
	}
}

// isLost reports whether a write lost its condition, as happens among many writers.
func isLost(err error) bool {
	return errors.Is(err, storage.ErrExists) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrConflict)
}

func listAtRevision(f *fixture) {
	var past []storage.Page
	remember := func() { past = append(past, f.list(storage.ListOptions{Resource: "configmaps"})) }
	x := f.create(key("a/x"), `1`)
	remember()
	y := f.create(key("a/y"), `1`)
	remember()
	x = f.update(x, `2`)
	remember()
	f.remove(y)
	remember()
	f.create(key("a/y"), `3`)
	remember()
	f.remove(x)
	remember()
	for _, p := range past {
		f.expect("list", describe(f.list(storage.ListOptions{Resource: "configmaps", At: p.Revision})), describe(p))
	}
}
