// Package storagetest proves that a storage.Store keeps the contract. It uses the interface alone, so that any store
// can be put to it; promises of one store only are proved next to that store.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"kubarium/server/storage"
)

// promises are the sentences of the contract, each with what proves it on a store of its own.
var promises = []struct {
	name  string
	prove func(f *fixture)
}{
	{"Write/Create", createReturns},
	{"Write/ErrExists", createMeetsObject},
	{"Write/Update", updateReturns},
	{"Write/UpdateToSameValue", updateToSameValue},
	{"Write/Delete", deleteReturns},
	{"Write/ErrNotFound", changeOfNothing},
	{"Write/ErrConflict", changeOfOtherRevision},
	{"Write/Within", createWithin},
	{"Write/WithinAt", createWithinAt},
	{"Write/LoserLeavesOthersAlone", losersLeaveOthersAlone},
	{"Write/OneWinner", oneWinner},
	{"Write/LargeValue", largeValue},
	{"Write/ContextEnded", contextEnded},
	{"Revisions", revisionsGrow},
	{"Get/AtRevision", getAtRevision},
	{"Get/ErrTooLarge", tooLarge},
	{"List/Order", listOrder},
	{"List/Prefix", listPrefix},
	{"List/After", listAfter},
	{"List/Pages", listPages},
	{"List/PagesWhileOthersWrite", listPagesWhileOthersWrite},
	{"List/AtRevision", listAtRevision},
	{"Changes", changesTell},
	{"Changes/OfOneResource", changesOfOneResource},
	{"Changes/Limit", changesLimit},
	{"Follow", followerSeesAll},
	{"FollowSummary", followerHasSummary},
	{"Follow/BeforeWriterIsAnswered", followerComesFirst},
	{"Follow/Second", secondFollowPanics},
	{"Compact", compactBelowHead},
	{"Compact/AtHead", compactAtHead},
	{"Compact/KeepsNewestVersions", compactKeepsNewest},
	{"Compact/Below", compactBelowBoundary},
	{"Compact/ErrTooLarge", compactTooLarge},
	{"Current", currentIsFollowed},
	{"Close", closeFinishesWrites},
	{"Random", randomRun},
}

// Run proves every promise of storage.Store, each as a subtest with a store of its own. open returns a new, empty store
// and arranges that it is closed when t ends; closing twice must do no harm.
func Run(t *testing.T, open func(t testing.TB) storage.Store) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.prove(&fixture{T: t, Store: open(t)}) })
	}
}

// A fixture is a store under test with words that make a proof short.
type fixture struct {
	*testing.T
	storage.Store
}

// key is the key of a ConfigMap; name may hold a namespace.
func key(name string) storage.Key { return storage.Key{Resource: "configmaps", Name: name} }

func (f *fixture) must(w storage.Write) storage.Record {
	f.Helper()
	r, err := f.Write(context.Background(), w)
	if err != nil {
		f.Fatalf("write %c %s: %v", w.Op, w.Key, err)
	}
	return r
}

func (f *fixture) create(k storage.Key, value string) storage.Record {
	f.Helper()
	return f.must(storage.Write{Op: storage.OpCreate, Key: k, Value: []byte(value)})
}

func (f *fixture) update(r storage.Record, value string) storage.Record {
	f.Helper()
	return f.must(storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte(value), Expect: r.Revision})
}

func (f *fixture) remove(r storage.Record) storage.Record {
	f.Helper()
	return f.must(storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision})
}

// refused proves that a write fails with a KeyError of one kind for one key, and changes nothing.
func (f *fixture) refused(w storage.Write, kind error, about storage.Key) *storage.KeyError {
	f.Helper()
	before := f.list(storage.ListOptions{Resource: w.Key.Resource})
	_, err := f.Write(context.Background(), w)
	var wrong *storage.KeyError
	if !errors.Is(err, kind) || !errors.As(err, &wrong) {
		f.Fatalf("write %c %s: %v, want %v", w.Op, w.Key, err, kind)
	}
	if wrong.Key != about {
		f.Errorf("write %c %s: error is about %s, want %s", w.Op, w.Key, wrong.Key, about)
	}
	if after := f.list(storage.ListOptions{Resource: w.Key.Resource}); describe(after) != describe(before) {
		f.Errorf("a refused write changed %s to %s", describe(before), describe(after))
	}
	return wrong
}

func (f *fixture) list(o storage.ListOptions) storage.Page {
	f.Helper()
	p, err := f.List(context.Background(), o)
	if err != nil {
		f.Fatalf("list %+v: %v", o, err)
	}
	return p
}

// newest reads the newest revision from the store itself.
func (f *fixture) newest() storage.Revision {
	f.Helper()
	return f.list(storage.ListOptions{Resource: "none", Limit: 1}).Revision
}

// follow collects what the follower gets; the slice may be read when no write is under way.
func (f *fixture) follow() (*[]storage.Change, storage.Revision) {
	f.Helper()
	changes := new([]storage.Change)
	at, err := f.Follow(func(b storage.Batch) { *changes = append(*changes, b.Changes...) })
	if err != nil {
		f.Fatal(err)
	}
	return changes, at
}

// expect proves that two descriptions are one.
func (f *fixture) expect(what string, have, want any) {
	f.Helper()
	if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
		f.Errorf("%s:\nhave %s\nwant %s", what, h, w)
	}
}

// describe writes a page down whole: its revision, what follows, and each record.
func describe(p storage.Page) string {
	text := fmt.Sprintf("at %d more=%t remaining=%d", p.Revision, p.More, p.Remaining)
	for _, r := range p.Records {
		text += " " + describeRecord(r)
	}
	return text
}

func describeRecord(r storage.Record) string {
	return fmt.Sprintf("%s@%d=%s", r.Key, r.Revision, r.Value)
}

// describeChanges writes changes down whole, but for their time.
func describeChanges(changes []storage.Change) string {
	text := ""
	for _, c := range changes {
		text += fmt.Sprintf("%d %c %s %s (was %d %s)\n", c.Revision, c.Type, c.Key, c.Value, c.BeforeRevision, c.Before)
	}
	return text
}

// names returns the key names of a page.
func names(p storage.Page) []string {
	var found []string
	for _, r := range p.Records {
		found = append(found, r.Key.Name)
	}
	return found
}
