package etcdstore

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/flow"
	"kubarium/server/storage"
)

// A trace records what etcd is asked on the flow that a context carries; without one it does nothing.
type trace struct {
	rec     *flow.Recorder
	began   time.Time     // when the trace was
	elapsed time.Duration // of the flow at that time
}

func startTrace(ctx context.Context) trace {
	rec := flow.From(ctx)
	if rec == nil {
		return trace{}
	}
	return trace{rec: rec, began: time.Now(), elapsed: rec.Elapsed()}
}

func (t trace) on() bool { return t.rec != nil }

// get asks etcd for keys, and records it.
func (s *Store) get(ctx context.Context, key string, which ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	return s.traced(ctx, s.client.Get, key, which...)
}

// getSoon is get for what takes no time to read.
func (s *Store) getSoon(ctx context.Context, key string, which ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	return s.traced(ctx, s.client.getSoon, key, which...)
}

// A getter is clientv3.KV's Get.
type getter func(ctx context.Context, key string, which ...clientv3.OpOption) (*clientv3.GetResponse, error)

func (s *Store) traced(ctx context.Context, get getter, key string, which ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if err := s.ended(); err != nil {
		return nil, err
	}
	had, _ := s.Head()
	t := startTrace(ctx)
	got, err := get(ctx, key, which...)
	if t.on() {
		var asked script
		asked.op(clientv3.OpGet(key, which...))
		t.add(&asked, keysOf(got))
	}
	if err != nil {
		return nil, err
	}
	return got, s.sameEtcd(had, got.Header.Revision)
}

// keysOf is how many keys were read; those that were counted alone were not.
func keysOf(got *clientv3.GetResponse) int {
	if got == nil {
		return 0
	}
	return len(got.Kvs)
}

// transact has etcd compare, and do the one or the other, and records it.
func (s *Store) transact(ctx context.Context, compares []clientv3.Cmp, then, otherwise []clientv3.Op) (*clientv3.TxnResponse, error) {
	if err := s.ended(); err != nil {
		return nil, err
	}
	had, _ := s.Head()
	t := startTrace(ctx)
	done, err := s.client.Txn(ctx).If(compares...).Then(then...).Else(otherwise...).Commit()
	if t.on() {
		var asked script
		asked.transaction(compares, then, otherwise)
		t.add(&asked, touched(done))
		t.last().Lost = done != nil && !done.Succeeded
	}
	if err != nil {
		return nil, err
	}
	return done, s.sameEtcd(had, done.Header.Revision)
}

// touched is how many keys a transaction read or changed.
func touched(done *clientv3.TxnResponse) int {
	if done == nil {
		return 0
	}
	n := 0
	for _, r := range done.Responses {
		n += len(r.GetResponseRange().GetKvs()) + int(r.GetResponseDeleteRange().GetDeleted())
		if r.GetResponsePut() != nil {
			n++
		}
	}
	return n
}

// add records what took from the start of the trace to now.
func (t trace) add(asked *script, keys int) {
	t.rec.Statement(asked.text(), keys, t.elapsed, asked.args...)
}

// last is what was recorded last.
func (t trace) last() *flow.Statement {
	all := t.rec.Flow.Statements
	return &all[len(all)-1]
}

// shared records a question that several requests had answered.
func (t trace) shared(k keys, q *question) {
	if !t.on() {
		return
	}
	var asked script
	asked.op(clientv3.OpGet(k.compacted(), clientv3.WithCountOnly()))
	t.add(&asked, 0)
	t.last().Start, t.last().Length = t.elapsed+q.begun.Sub(t.began), q.length
}

// watched records a watch of the past after a revision, which had so many changes.
func (t trace) watched(prefix string, after storage.Revision, changes int) {
	if !t.on() {
		return
	}
	var asked script
	asked.word("watch ")
	asked.bind(prefix)
	asked.word(" --prefix --prev-kv --rev=")
	asked.bind(int64(after) + 1)
	t.add(&asked, changes)
}
