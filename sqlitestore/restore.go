package sqlitestore

import (
	"context"
	"database/sql"

	"kubarium/server/storage"
)

// sqlThen is the row of the log that has an object, by its columns here, as it was at a revision.
const sqlThen = `(SELECT max(c.revision) FROM changes AS c INDEXED BY changes_by_key WHERE c.resource = n.resource AND c.key = n.key AND c.revision <= ?1)`

// The statements that make all objects what they were. Objects that have changed since have their newest row of the
// log after the revision. A statement for each object would take twice the time. The revision that a trigger is going
// to give is set already, where the order is foreseen, which saves it a second write of the row.
const (
	sqlRemoveNew = `DELETE FROM objects WHERE rowid IN (
	SELECT o.rowid FROM changes AS n CROSS JOIN objects AS o ON o.resource = n.resource AND o.key = n.key AND o.revision = n.revision
	WHERE n.revision > ?1 AND n.type <> 'D' AND ifnull((SELECT c.type FROM changes AS c INDEXED BY changes_by_key
		WHERE c.resource = n.resource AND c.key = n.key AND c.revision <= ?1 ORDER BY c.revision DESC LIMIT 1), 'D') = 'D')`
	sqlUpdateChanged = `UPDATE objects SET
	value = (SELECT p.value FROM changes AS p WHERE p.revision = (SELECT max(c.revision) FROM changes AS c INDEXED BY changes_by_key
		WHERE c.resource = objects.resource AND c.key = objects.key AND c.revision <= ?1)),
	revision = (SELECT s.revision + 1 FROM store AS s WHERE s.id = (objects.rowid IS NOT NULL))
	WHERE rowid IN (SELECT o.rowid
		FROM changes AS n CROSS JOIN objects AS o ON o.resource = n.resource AND o.key = n.key AND o.revision = n.revision
		CROSS JOIN changes AS p ON p.revision = ` + sqlThen + ` AND p.value IS NOT o.value
		WHERE n.revision > ?1 AND n.type <> 'D')`
	sqlCreateDeleted = `INSERT INTO objects (resource, key, value, revision)
	SELECT w.resource, w.key, (SELECT p.value FROM changes AS p WHERE p.revision = w.was), (SELECT revision FROM store) + w.n FROM (
		SELECT p.resource, p.key, p.revision AS was, row_number() OVER (ORDER BY p.revision) AS n
		FROM (SELECT DISTINCT resource, key FROM changes WHERE revision > ?1 AND type = 'D') AS n
		CROSS JOIN changes AS p ON p.revision = ` + sqlThen + ` AND p.type <> 'D'
		WHERE NOT EXISTS (SELECT 1 FROM objects AS o WHERE o.resource = p.resource AND o.key = p.key)) AS w`
)

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
	s.copyInTime()
	return done, nil
}

// goBack makes all objects what they were at a revision, in the writer's transaction, and returns the changes.
func (s *Store) goBack(to storage.Revision) ([]storage.Change, error) {
	w := &s.writer
	var head storage.Revision
	if err := w.mark.QueryRow(s.Now().UnixMilli()).Scan(&head); err != nil {
		return nil, err
	}
	for _, stmt := range []*sql.Stmt{w.removeNew, w.updateChanged, w.createDeleted} {
		if _, err := stmt.Exec(to); err != nil {
			return nil, err
		}
	}
	if err := w.unmark.QueryRow().Scan(&head); err != nil || head == w.last {
		return nil, err
	}
	return scanChanges(w.changesAfter.Query(w.last, "", -1))
}
