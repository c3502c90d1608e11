package etcdstore_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// A history is what etcd itself tells of a store's objects, from the beginning.
type history struct {
	mu     sync.Mutex // guards events
	events []storage.Change
}

func recordHistory(t *testing.T, etcd *clientv3.Client) *history {
	h := &history{}
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for r := range etcd.Watch(ctx, faultsPrefix+"/objects/", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(1)) {
			if err := r.Err(); err != nil && ctx.Err() == nil {
				t.Errorf("etcd's history: %v", err)
			}
			h.add(r.Events)
		}
	})
	t.Cleanup(func() { stop(); watching.Wait() })
	return h
}

func (h *history) add(events []*clientv3.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		resource, name, _ := strings.Cut(strings.TrimPrefix(string(e.Kv.Key), faultsPrefix+"/objects/"), "/")
		c := storage.Change{Revision: storage.Revision(e.Kv.ModRevision), Type: storage.Updated, Key: storage.Key{Resource: resource, Name: name}, Value: bare(e.Kv.Value)}
		switch {
		case e.IsCreate():
			c.Type = storage.Created
		case !e.IsModify():
			c.Type, c.Value = storage.Deleted, nil
		}
		if e.PrevKv != nil {
			c.Before, c.BeforeRevision = bare(e.PrevKv.Value), storage.Revision(e.PrevKv.ModRevision)
		}
		h.events = append(h.events, c)
	}
}

// bare is a value without its envelope, the first line.
func bare(sealed []byte) []byte {
	if _, value, ok := bytes.Cut(sealed, []byte("\n")); ok {
		return value
	}
	return sealed
}

func (h *history) head() storage.Revision {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return 0
	}
	return h.events[len(h.events)-1].Revision
}

func describe(c storage.Change) string {
	return fmt.Sprintf("%d %c %s %s (was %d %s)", c.Revision, c.Type, c.Key, c.Value, c.BeforeRevision, c.Before)
}

// judge holds what writers, followers and readers were told against etcd's history.
func (p *play) judge() {
	by := p.judgeWrites()
	for i, s := range p.servers {
		for j, r := range s.runs {
			p.judgeRun(fmt.Sprintf("server %d, run %d", i, j), r, by)
		}
		p.judgeReads(fmt.Sprintf("server %d", i), s.run().store)
	}
	p.t.Logf("%d changes by %d attempts, of which %d were acknowledged and %d unknown", len(p.history.events), len(p.attempts), p.acked.Load(), p.unknown.Load())
}

// judgeWrites finds for each change the one attempt that made it.
func (p *play) judgeWrites() map[storage.Revision]attempt {
	by, unknown := map[storage.Revision]attempt{}, map[string]attempt{}
	for _, a := range p.attempts {
		switch {
		case a.err == nil:
			if _, taken := by[a.got.Revision]; taken {
				p.t.Errorf("two writes were told that they made revision %d", a.got.Revision)
			}
			by[a.got.Revision] = a
		case !a.refused():
			unknown[made(a.w.Op, a.w.Key, a.w.Expect, a.w.Value)] = a
		}
	}
	happened := map[storage.Revision]bool{}
	for _, c := range p.history.events {
		if happened[c.Revision] = true; c.Key.Name == "outside" {
			continue
		}
		what := made(storage.WriteOp(c.Type), c.Key, c.BeforeRevision, c.Value)
		a, acked := by[c.Revision]
		if !acked {
			if a, acked = unknown[what]; !acked {
				p.t.Errorf("nobody wrote %s", describe(c))
				continue
			}
			delete(unknown, what)
			by[c.Revision] = a
		}
		if want := made(a.w.Op, a.w.Key, a.w.Expect, a.w.Value); what != want {
			p.t.Errorf("revision %d is %s, want %s", c.Revision, what, want)
		}
	}
	for revision, a := range by {
		if !happened[revision] {
			p.t.Errorf("%c %s was told that it made revision %d, which is not there", a.w.Op, a.w.Key, revision)
		}
	}
	return by
}

// made is what tells one attempt from all others: values are written once, and a revision of an object is deleted once.
func made(op storage.WriteOp, k storage.Key, expect storage.Revision, value []byte) string {
	return fmt.Sprintf("%c %s at %d %s", op, k, expect, value)
}

// judgeRun holds what a follower was told against what happened meanwhile.
func (p *play) judgeRun(name string, r *run, by map[storage.Revision]attempt) {
	head := r.from
	var told []storage.Change
	for _, b := range r.told {
		if b.Head <= head {
			p.t.Errorf("%s: a batch up to %d behind %d", name, b.Head, head)
		}
		for _, c := range b.Changes {
			if c.Revision <= head || c.Revision > b.Head {
				p.t.Errorf("%s: revision %d in a batch from %d to %d", name, c.Revision, head, b.Head)
			}
		}
		head, told = b.Head, append(told, b.Changes...)
	}
	p.same(name, told, r.from, head)
	for _, c := range told {
		a, ok := by[c.Revision]
		own := ok && a.run == r
		switch {
		case ok && a.err != nil && c.Type == storage.Deleted: // another attempt may have been the one
		case c.Outside == own:
			p.t.Errorf("%s: %s has outside=%t", name, describe(c), c.Outside)
		case own && a.err == nil && c.Summary != a.w.Summary:
			p.t.Errorf("%s: %s has another summary than its writer gave", name, describe(c))
		}
	}
}

// judgeReads holds against what happened what a store tells of its log and of its objects.
func (p *play) judgeReads(name string, s storage.Store) {
	newest, lowest := s.Head()
	told, err := s.Changes(p.t.Context(), "", lowest, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	p.same(name+", log", told, lowest, newest)
	for _, resource := range []string{"configmaps", "secrets"} {
		want := map[storage.Key]string{}
		for _, c := range p.history.events {
			if delete(want, c.Key); c.Key.Resource == resource && c.Type != storage.Deleted {
				want[c.Key] = fmt.Sprint(c.Revision, string(c.Value))
			}
		}
		page, err := s.List(p.t.Context(), storage.ListOptions{Resource: resource})
		if err != nil {
			p.t.Fatal(err)
		}
		have := map[storage.Key]string{}
		for _, r := range page.Records {
			have[r.Key] = fmt.Sprint(r.Revision, string(r.Value))
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			p.t.Errorf("%s has %s\n%v\nwant\n%v", name, resource, have, want)
		}
	}
}

// same proves that changes are all that happened between two revisions.
func (p *play) same(name string, told []storage.Change, from, to storage.Revision) {
	var want []storage.Change
	for _, c := range p.history.events {
		if c.Revision > from && c.Revision <= to {
			want = append(want, c)
		}
	}
	for i := range max(len(told), len(want)) {
		have, should := "nothing", "nothing"
		if i < len(told) {
			have = describe(told[i])
		}
		if i < len(want) {
			should = describe(want[i])
		}
		if have != should {
			p.t.Errorf("%s: change %d of %d is\n%s\nwant, of %d,\n%s", name, i, len(told), have, len(want), should)
			return
		}
	}
}
