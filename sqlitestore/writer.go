package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"kubarium/server/storage"
)

// prepare compiles the statements and reads the state of the file.
func (w *writer) prepare(ctx context.Context, c *sql.Conn) error {
	w.conn, w.rows, w.pages = c, sliceFirst, sliceFirst
	for _, p := range []struct {
		stmt **prepared
		text string
	}{
		{&w.begin, "BEGIN IMMEDIATE"}, {&w.commit, "COMMIT"}, {&w.markAt, sqlMarkAt}, {&w.unmarkAt, sqlUnmarkAt},
		{&w.create, sqlCreate}, {&w.update, sqlUpdate}, {&w.remove, sqlRemove},
	} {
		var err error
		if *p.stmt, err = prepare(c, p.text); err != nil {
			return err
		}
		w.closers = append(w.closers, (*p.stmt).close)
	}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.dataVersion, "PRAGMA data_version"},
		{&w.state, "SELECT revision, compacted, readable, swept FROM store"},
		{&w.mark, sqlMark}, {&w.unmark, sqlUnmark}, {&w.current, sqlCurrent}, {&w.exists, sqlExists},
		{&w.changesAfter, sqlChanges}, {&w.compact, sqlCompact}, {&w.sweepTo, sqlSweepTo}, {&w.sweepOld, sqlSweepOld},
		{&w.sweepDeleted, sqlSweepDeleted}, {&w.swept, sqlSwept}, {&w.firstSince, sqlFirstSince},
		{&w.newestRevision, "SELECT revision FROM store"},
		{&w.removeNew, sqlRemoveNew}, {&w.updateChanged, sqlUpdateChanged}, {&w.createDeleted, sqlCreateDeleted},
	} {
		var err error
		if *p.stmt, err = c.PrepareContext(ctx, p.text); err != nil {
			return err
		}
		w.closers = append(w.closers, (*p.stmt).Close)
	}
	var compacted, swept storage.Revision
	if err := w.state.QueryRow().Scan(&w.last, &compacted, &w.readable, &swept); err != nil {
		return err
	}
	w.sweeping = swept < compacted
	return w.dataVersion.QueryRow().Scan(&w.version)
}

// Write implements storage.Store. A caller that goes away while its write is performed still gets the outcome, so that
// the record of its request says so too.
func (s *Store) Write(ctx context.Context, w storage.Write) (storage.Record, error) {
	if err := valid(w); err != nil {
		return storage.Record{}, err
	}
	if err := s.unwritable(); err != nil {
		return storage.Record{}, err
	}
	t := startTrace(ctx)
	r := &request{ctx: ctx, write: w, traced: t.on(), queued: time.Now(), done: make(chan struct{})}
	select {
	case <-s.closing:
		return storage.Record{}, errClosed
	default:
	}
	select {
	case s.queue <- r:
	case <-s.closing:
		return storage.Record{}, errClosed
	case <-ctx.Done():
		return storage.Record{}, ctx.Err()
	}
	if err := s.outcome(r); err != nil {
		return storage.Record{}, err
	}
	t.wrote(r)
	return r.record, r.err
}

// outcome waits until a write is answered, or cannot be.
func (s *Store) outcome(r *request) error {
	gone := r.ctx.Done()
	var enough <-chan time.Time
	for {
		select {
		case <-r.done:
			return nil
		case <-gone:
			gone, enough = nil, time.After(outcomeWait)
		case <-enough:
			return r.ctx.Err()
		case <-s.done:
			select {
			case <-r.done:
				return nil
			default:
				return errClosed
			}
		}
	}
}

// run is the writer: batches first, and between them what keeps the store in order.
func (s *Store) run() {
	defer close(s.done)
	poll, maintenance := time.NewTicker(pollEvery), time.NewTicker(s.maintainEvery())
	defer poll.Stop()
	defer maintenance.Stop()
	for {
		select {
		case r := <-s.queue:
			s.writeBatch(s.gather(r))
			if s.unwritable() == nil {
				s.tidy()
			}
		case f := <-s.control:
			f()
		case <-poll.C:
			s.tick()
		case <-maintenance.C:
			if s.unwritable() == nil {
				s.maintain()
			}
		case <-s.closing:
			s.drain()
			return
		}
	}
}

// tick is what the writer does several times a second.
func (s *Store) tick() {
	if !s.attached() {
		s.abandon()
		return
	}
	s.poll()
	s.retry()
	for begun := time.Now(); s.unwritable() == nil && len(s.queue) == 0 && time.Since(begun) < pollEvery/4; {
		if !s.tidy() {
			return
		}
	}
}

// drain performs the writes that were under way when the store was closed.
func (s *Store) drain() {
	for {
		select {
		case r := <-s.queue:
			s.writeBatch(s.gather(r))
		default:
			return
		}
	}
}

// gather takes every write that waits into one batch. The writers that were answered last are likely to come again at
// once, so while fewer wait than the last batch held they get a chance to run.
func (s *Store) gather(first *request) []*request {
	batch := []*request{first}
	for yields := 0; len(batch) < maxBatch; {
		select {
		case r := <-s.queue:
			batch = append(batch, r)
			continue
		default:
		}
		if len(batch) >= s.writer.width || yields == 3 {
			break
		}
		yields++
		runtime.Gosched()
	}
	s.writer.width = len(batch)
	return batch
}

// writeBatch performs a batch and answers it. After an error that is not a lost precondition nothing of the batch has
// happened; then each write is tried in a transaction of its own, so that only the one with the error has it.
func (s *Store) writeBatch(batch []*request) {
	err := s.unwritable()
	if err == nil {
		batch, err = s.begin(batch)
	}
	if len(batch) == 0 {
		return
	}
	if err == nil {
		err = s.transact(batch)
	}
	if err != nil && len(batch) > 1 && !errors.Is(err, errCommit) && s.failure(err) == nil {
		for _, r := range batch {
			r.statements = nil
			s.writeBatch([]*request{r})
		}
		return
	}
	for _, r := range batch {
		if err != nil {
			r.record, r.err = storage.Record{}, s.explain("write "+r.write.Key.String(), err)
		}
		close(r.done)
	}
}

// begin starts the transaction. While another program holds the lock it goes on trying, answers the writes that have
// waited too long or whose callers went away, and returns those that are left.
func (s *Store) begin(batch []*request) ([]*request, error) {
	for {
		live := batch[:0]
		for _, r := range batch {
			if err := r.ctx.Err(); err != nil {
				r.err = err
				close(r.done)
				continue
			}
			live = append(live, r)
		}
		if batch = live; len(batch) == 0 {
			return nil, nil
		}
		_, err := s.writer.begin.exec()
		if !isBusy(err) {
			return batch, err
		}
		batch = s.giveUp(batch)
	}
}

// giveUp answers the writes that have waited too long for a foreign lock and returns the others.
func (s *Store) giveUp(batch []*request) []*request {
	live := batch[:0]
	for _, r := range batch {
		if time.Since(r.queued) < s.busyAfter {
			live = append(live, r)
			continue
		}
		r.err = explainBusy(r.write.Key)
		close(r.done)
	}
	return live
}

// errCommit marks an error of COMMIT itself, after which it is unknown whether the batch happened.
var errCommit = errors.New("commit")

// transact performs the batch in the transaction that has begun, commits it, and hands it to the follower.
func (s *Store) transact(batch []*request) error {
	w := &s.writer
	begun := time.Now()
	changes, err := s.apply(batch)
	if err != nil || len(changes) == 0 {
		w.rollback()
		if err == nil {
			s.state(batch, begun, 0)
		}
		return err
	}
	start := time.Now()
	if _, err := w.commit.exec(); err != nil {
		w.rollback()
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	if err := s.stillAttached(); err != nil {
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	s.recovered()
	w.batches++
	s.state(batch, begun, time.Since(start))
	s.deliver(storage.Batch{Changes: changes})
	s.copyInTime()
	return nil
}

// apply performs each write between the marks that say whose changes these are, and returns what was changed.
func (s *Store) apply(batch []*request) ([]storage.Change, error) {
	w := &s.writer
	at := s.Now().UnixMilli()
	if err := s.mark(at); err != nil {
		return nil, err
	}
	w.next = w.last + 1
	w.within = storage.Record{}
	for _, r := range batch {
		r.change, r.err = nil, nil
		if err := w.perform(r); err != nil {
			return nil, err
		}
		if r.change != nil {
			r.change.At = time.UnixMilli(at)
		}
	}
	if w.next == w.last+1 {
		return nil, nil
	}
	foreseen, err := w.unmarkAt.exec(int64(w.next - 1))
	if err != nil {
		return nil, err
	}
	if foreseen == 0 {
		return w.asLogged(batch)
	}
	return changesOf(batch), nil
}

// mark marks that the changes to come are Kubarium's. Where others have written since the last look, theirs are
// delivered first.
func (s *Store) mark(at int64) error {
	w := &s.writer
	if foreseen, err := w.markAt.exec(at, int64(w.last)); err != nil || foreseen > 0 {
		return err
	}
	var head storage.Revision
	if err := w.mark.QueryRow(at).Scan(&head); err != nil {
		return err
	}
	return s.catchUp()
}

// changesOf collects what the writes of a batch changed.
func changesOf(batch []*request) []storage.Change {
	changes := make([]storage.Change, 0, len(batch))
	for _, r := range batch {
		if r.change != nil {
			changes = append(changes, *r.change)
		}
	}
	return changes
}

// asLogged returns the changes as the log has them, when it has others than the writes of the batch one by one: a
// user's own triggers on the table objects made changes in addition to ours. Each write learns the revision that it
// was given.
func (w *writer) asLogged(batch []*request) ([]storage.Change, error) {
	var head storage.Revision
	if err := w.unmark.QueryRow().Scan(&head); err != nil {
		return nil, err
	}
	logged, err := scanChanges(w.changesAfter.Query(w.last, "", -1))
	if err != nil {
		return nil, err
	}
	rest := logged
	for _, r := range batch {
		if r.change == nil {
			continue
		}
		i := slices.IndexFunc(rest, func(c storage.Change) bool {
			return c.Key == r.change.Key && c.Type == r.change.Type && bytes.Equal(c.Value, r.change.Value)
		})
		if i < 0 { // a trigger changed the value too
			i = slices.IndexFunc(rest, func(c storage.Change) bool { return c.Key == r.change.Key })
		}
		if i < 0 {
			return nil, fmt.Errorf("write %s: the log does not have it", r.change.Key)
		}
		r.record.Revision = rest[i].Revision
		rest = rest[i+1:]
	}
	return logged, nil
}

// state notes for each request which transaction it shared.
func (s *Store) state(batch []*request, begun time.Time, commit time.Duration) {
	for _, r := range batch {
		r.batch = batchFacts{id: s.writer.batches, writes: len(batch), commit: commit, waited: begun.Sub(r.queued)}
	}
}
