package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	"kubarium/server/storage"
)

// How large the random run is: enough for every pair of operations to meet on an object often.
const (
	randomWriters    = 8
	randomReaders    = 4
	writesOfAWriter  = 150
	readsOfAReader   = 150
	compactionEvery  = 40 // of a writer's writes, by one writer
	compactionBehind = 150
)

// randomRun lets many actors write and read at random, and proves every answer against the model. Their actions
// depend on the seed, which is printed; KUBARIUM_SEED sets it. How they meet depends on the machine.
func randomRun(f *fixture) {
	seed := rand.Uint64()
	if text := os.Getenv("KUBARIUM_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			f.Fatal(err)
		}
	}
	f.Logf("KUBARIUM_SEED=%d", seed)
	m := newModel()
	if _, err := f.Follow(m.follow); err != nil {
		f.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range randomWriters + randomReaders {
		a := &actor{fixture: f, model: m, number: i, rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		if i < randomWriters {
			all.Go(a.writeOften)
		} else {
			all.Go(a.readOften)
		}
	}
	all.Wait()
	for _, fault := range m.faults {
		f.Error(fault)
	}
	for _, resource := range randomResources {
		o := storage.ListOptions{Resource: resource, At: m.head}
		f.expect("at the end", describe(f.list(o)), describe(m.list(o)))
	}
	held, _ := m.boundaries()
	f.expect("changes at the end", describeChanges(f.changes("", held, 0)), describeChanges(m.since("", held, 0)))
}

var (
	randomResources = []string{"configmaps", "secrets", "deployments.apps"}
	randomSpaces    = []string{"a", "a-b", "b"}
)

// An actor is one of the writers or readers of a random run.
type actor struct {
	*fixture
	model  *model
	number int
	rand   *rand.Rand
}

func (a *actor) key() storage.Key {
	return storage.NewKey(pick(a.rand, randomResources), pick(a.rand, randomSpaces), fmt.Sprint("x", a.rand.IntN(4)))
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (a *actor) writeOften() {
	for i := range writesOfAWriter {
		a.writeOnce(i)
		if a.number == 0 && i%compactionEvery == compactionEvery-1 {
			a.compactOnce()
		}
	}
}

// writeOnce writes at random, often with the revision that the model has, sometimes with another.
func (a *actor) writeOnce(i int) {
	since := a.model.headNow()
	w := storage.Write{Op: storage.OpCreate, Key: a.key(), Value: fmt.Appendf(nil, `"%d by %d"`, i, a.number)}
	if v := a.model.get(w.Key, since); v.value != nil && a.rand.IntN(8) > 0 {
		w.Op, w.Expect = pick(a.rand, []storage.WriteOp{storage.OpUpdate, storage.OpUpdate, storage.OpDelete}), v.from
		if a.rand.IntN(2) == 0 {
			w.Before = v.value
		}
		if a.rand.IntN(8) == 0 {
			w.Expect -= storage.Revision(a.rand.IntN(3))
		}
	}
	if w.Op == storage.OpDelete {
		w.Value = nil
	}
	if a.rand.IntN(4) == 0 {
		w.Within = a.key()
		if a.rand.IntN(2) == 0 {
			w.WithinAt = a.model.get(w.Within, since).from
		}
	}
	r, err := a.Write(context.Background(), w)
	if err == nil {
		a.happened(w, r)
	} else {
		a.lost(w, err, since)
	}
}

// happened proves that the follower has had a write, and that its conditions were true just before it.
func (a *actor) happened(w storage.Write, r storage.Record) {
	if head := a.model.headNow(); head < r.Revision {
		a.Errorf("%s answered at %d, before the follower, at %d", w.Key, r.Revision, head)
		return
	}
	before, after := a.model.get(w.Key, r.Revision-1), a.model.get(w.Key, r.Revision)
	if after.from != r.Revision || string(after.value) != string(w.Value) {
		a.Errorf("%c %s answered %d, but the follower had %d %s", w.Op, w.Key, r.Revision, after.from, after.value)
	}
	switch {
	case w.Op == storage.OpCreate && before.value != nil:
		a.Errorf("created %s at %d over %d", w.Key, r.Revision, before.from)
	case w.Op != storage.OpCreate && before.from != w.Expect:
		a.Errorf("%c %s at %d met %d, expected %d", w.Op, w.Key, r.Revision, before.from, w.Expect)
	}
	if w.Within.Resource != "" && w.Within != w.Key && a.model.get(w.Within, r.Revision).value == nil {
		a.Errorf("%c %s at %d without %s", w.Op, w.Key, r.Revision, w.Within)
	}
	if w.WithinAt != 0 && a.model.get(w.Within, r.Revision-1).from != w.WithinAt {
		a.Errorf("%c %s at %d within %s, which was not at %d", w.Op, w.Key, r.Revision, w.Within, w.WithinAt)
	}
}

// lost proves that a write failed for something that was so while it was under way.
func (a *actor) lost(w storage.Write, err error, since storage.Revision) {
	until := a.newest()
	a.model.await(until)
	var wrong *storage.KeyError
	if !errors.As(err, &wrong) {
		a.Errorf("%c %s: %v", w.Op, w.Key, err)
		return
	}
	for _, v := range a.model.between(wrong.Key, since, until) {
		switch {
		case errors.Is(err, storage.ErrNotFound) && v.value == nil && (wrong.Key == w.Within || wrong.Key == w.Key && w.Op != storage.OpCreate),
			errors.Is(err, storage.ErrExists) && v.value != nil && wrong.Key == w.Key && w.Op == storage.OpCreate,
			errors.Is(err, storage.ErrConflict) && v.value != nil && (v.from != w.Expect || wrong.Key == w.Within && v.from != w.WithinAt) &&
				v.from == wrong.Stored.Revision && string(v.value) == string(wrong.Stored.Value):
			return
		}
	}
	a.Errorf("%c %s expecting %d, from %d to %d: %v, but it never was so", w.Op, w.Key, w.Expect, since, until, err)
}

func (a *actor) compactOnce() {
	at := max(a.model.headNow()-compactionBehind, 0)
	a.model.mu.Lock()
	a.model.asked = max(a.model.asked, at)
	a.model.mu.Unlock()
	if err := a.Compact(context.Background(), at); err != nil {
		a.Errorf("compact at %d: %v", at, err)
	}
	a.model.mu.Lock()
	a.model.held = max(a.model.held, at)
	a.model.mu.Unlock()
}

func (a *actor) readOften() {
	for range readsOfAReader {
		pick(a.rand, []func(){a.getOnce, a.getNewest, a.listOnce, a.changesOnce})()
	}
}

// revision is one that the model has had, recent more often than old, or 1 above the head now and then.
func (a *actor) revision() storage.Revision {
	head := a.model.headNow()
	if a.rand.IntN(3) == 0 {
		return max(head-storage.Revision(a.rand.IntN(20)), 1)
	}
	return 1 + storage.Revision(a.rand.Int64N(int64(head)+1))
}

// readable reports whether a read at a revision succeeded, and proves that its error, if any, was due.
func (a *actor) readable(what string, at, held storage.Revision, err error) bool {
	_, asked := a.model.boundaries()
	switch {
	case err == nil && at > held:
		return true
	case errors.Is(err, storage.ErrExpired) && at <= asked:
		return false
	case errors.Is(err, storage.ErrTooLarge):
		var wrong *storage.RevisionError
		if errors.As(err, &wrong) && wrong.Current < at && wrong.Asked == at {
			return false
		}
	}
	a.Errorf("%s at %d, compacted between %d and %d: %v", what, at, held, asked, err)
	return false
}

func (a *actor) getOnce() {
	k, at := a.key(), a.revision()
	held, _ := a.model.boundaries()
	r, err := a.Get(context.Background(), k, at)
	missing := errors.Is(err, storage.ErrNotFound)
	if missing {
		err = nil
	}
	if !a.readable("get", at, held, err) {
		return
	}
	a.model.await(at)
	v := a.model.get(k, at)
	if missing != (v.value == nil) || !missing && (v.from != r.Revision || string(v.value) != string(r.Value)) {
		a.Errorf("%s at %d is %d %s, want %d %s", k, at, r.Revision, r.Value, v.from, v.value)
	}
}

// getNewest proves that the newest is not older than any write that was acknowledged before.
func (a *actor) getNewest() {
	k, since := a.key(), a.model.headNow()
	r, err := a.Get(context.Background(), k, 0)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		a.Error(err)
		return
	}
	until := a.newest()
	a.model.await(until)
	for _, v := range a.model.between(k, since, until) {
		if err != nil && v.value == nil || err == nil && v.from == r.Revision && string(v.value) == string(r.Value) {
			return
		}
	}
	a.Errorf("newest %s is %d %s, %v, but was not from %d to %d", k, r.Revision, r.Value, err, since, until)
}

func (a *actor) listOnce() {
	o := storage.ListOptions{Resource: pick(a.rand, randomResources), Limit: a.rand.IntN(5)}
	if a.rand.IntN(2) == 0 {
		o.Prefix = pick(a.rand, randomSpaces) + "/"
	}
	if a.rand.IntN(2) == 0 {
		o.After = a.key().Name
	}
	since := a.model.headNow()
	at := since
	if a.rand.IntN(2) == 0 {
		at = a.revision()
		o.At = at
	}
	held, _ := a.model.boundaries()
	p, err := a.List(context.Background(), o)
	if o.At == 0 && (err != nil || p.Revision < since) {
		a.Errorf("newest list at %d, when %d was acknowledged: %v", p.Revision, since, err)
		return
	}
	if o.At != 0 && !a.readable("list", at, held, err) {
		return
	}
	o.At = p.Revision
	a.model.await(p.Revision)
	a.expect(fmt.Sprintf("list %+v", o), describe(p), describe(a.model.list(o)))
}

func (a *actor) changesOnce() {
	since := a.model.headNow()
	after := a.revision() - 1
	resource, limit := pick(a.rand, append([]string{""}, randomResources...)), a.rand.IntN(20)
	held, _ := a.model.boundaries()
	found, err := a.Changes(context.Background(), resource, after, limit)
	if !a.readable("changes", after+1, held, err) {
		return
	}
	if len(found) > 0 {
		a.model.await(found[len(found)-1].Revision)
	}
	want := a.model.since(resource, after, limit)
	for len(want) > len(found) && want[len(want)-1].Revision > since { // made since then
		want = want[:len(want)-1]
	}
	a.expect(fmt.Sprintf("changes of %q after %d", resource, after), describeChanges(found), describeChanges(want))
}
