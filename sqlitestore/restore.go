package sqlitestore

import (
	"context"
	"database/sql"
	"time"

	"kubarium/server/storage"
)

// sqlDifferences reads the objects that are not what they were at a revision: their versions then and now, NULL for none.
// Whatever differs has a row behind that revision. What has to go comes first, then the others in the order in which they came
// to be what they were.
const sqlDifferences = `SELECT k.resource, k.key, p.value, o.value, ifnull(o.revision, 0)
FROM (SELECT DISTINCT resource, key FROM changes WHERE revision > ?1) AS k
LEFT JOIN changes AS p ON p.type <> 'D' AND p.revision = (SELECT max(c.revision) FROM changes AS c INDEXED BY changes_by_key
	WHERE c.resource = k.resource AND c.key = k.key AND c.revision <= ?1)
LEFT JOIN objects AS o ON o.resource = k.resource AND o.key = k.key
WHERE p.value IS NOT o.value ORDER BY p.revision, k.resource, k.key`

// Restore implements storage.Snapshots.
func (s *Store) Restore(ctx context.Context, name string) (done storage.Restoration, err error) {
	if err := s.unwritable(); err != nil {
		return done, err
	}
	err = s.inTurn(ctx, func() (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		done, err = s.restore(name)
		return err
	})
	return done, s.snapshotError(ctx, "restore", err)
}

// restore is Restore in the writer's goroutine.
func (s *Store) restore(name string) (done storage.Restoration, err error) {
	w := &s.writer
	var changes []storage.Change
	err = s.transaction(func() (err error) {
		if err := s.catchUp(); err != nil {
			return err
		}
		if done.Snapshot, err = s.snapshot(name); err != nil {
			return err
		}
		if changes, err = s.goBack(done.Revision); err != nil {
			return err
		}
		done.Head = w.last
		if n := len(changes); n > 0 {
			done.Head = changes[n-1].Revision
		}
		_, err = w.compact.Exec(done.Head, done.Head)
		return err
	})
	if err != nil {
		return done, err
	}
	if err := s.acknowledge(); err != nil {
		return done, err
	}
	for _, c := range changes {
		switch c.Type {
		case storage.Created:
			done.Created++
		case storage.Updated:
			done.Updated++
		case storage.Deleted:
			done.Deleted++
		}
	}
	w.batches++
	w.restored = done.Head
	s.deliver(storage.Batch{Changes: changes, Restored: done.Head})
	s.compactedTo(done.Head)
	s.wroteAhead(changes)
	return done, nil
}

// goBack makes all objects what they were at a revision, in the writer's transaction, and returns the changes.
func (s *Store) goBack(to storage.Revision) ([]storage.Change, error) {
	w := &s.writer
	writes, err := w.differences(to)
	if err != nil || len(writes) == 0 {
		return nil, err
	}
	at := s.Now().UnixMilli()
	var head storage.Revision
	if err := w.mark.QueryRow(at).Scan(&head); err != nil {
		return nil, err
	}
	w.next = w.last + 1
	w.within = storage.Record{}
	for _, r := range writes {
		if err := w.perform(r); err != nil {
			return nil, err
		}
		if r.err != nil {
			return nil, r.err // cannot be: nobody else writes
		}
		if r.change != nil {
			r.change.At = time.UnixMilli(at)
		}
	}
	if err := w.unmark.QueryRow().Scan(&head); err != nil {
		return nil, err
	}
	if head != w.next-1 {
		return w.asLogged(writes)
	}
	return changesOf(writes), nil
}

// differences returns the writes that make the objects what they were at a revision.
func (w *writer) differences(to storage.Revision) (writes []*request, err error) {
	found, err := w.differing.Query(to)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		r := &request{}
		var was, is sql.RawBytes
		if err := found.Scan(&r.write.Key.Resource, &r.write.Key.Name, &was, &is, &r.write.Expect); err != nil {
			return nil, err
		}
		r.write.Value, r.write.Before = cloned(was), cloned(is)
		switch {
		case was == nil:
			r.write.Op = storage.OpDelete
		case is == nil:
			r.write.Op = storage.OpCreate
		default:
			r.write.Op = storage.OpUpdate
		}
		writes = append(writes, r)
	}
	return writes, found.Err()
}

// cloned copies a value of a row; nil stays nil, and an empty one does not become it.
func cloned(value sql.RawBytes) []byte {
	if value == nil {
		return nil
	}
	return append(make([]byte, 0, len(value)), value...)
}
