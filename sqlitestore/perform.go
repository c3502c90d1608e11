package sqlitestore

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"kubarium/server/storage"
)

// The statements of one write. Each states its precondition itself: when it is lost, no row is changed. The revision
// that the trigger gives is the next one: no other transaction writes during ours. So the statements of a write set
// it already, which saves the trigger a second write of the row. RETURNING would not show it, and asking the log
// would cost a statement more for each write; apply asks once for all of them.
const (
	sqlCurrent = `SELECT value, revision FROM objects WHERE resource = ? AND key = ?`
	sqlExists  = `SELECT revision FROM objects WHERE resource = ? AND key = ?`
	sqlCreate  = `INSERT INTO objects (resource, key, value, revision) VALUES (?, ?, ?, ?) ON CONFLICT (resource, key) DO NOTHING`
	sqlUpdate  = `UPDATE objects SET value = ?, revision = ? WHERE resource = ? AND key = ? AND revision = ?`
	sqlRemove  = `DELETE FROM objects WHERE resource = ? AND key = ? AND revision = ?`
)

// valid refuses a write that no caller should make.
func valid(w storage.Write) error {
	switch {
	case w.Key.Resource == "" || w.Key.Name == "":
		return fmt.Errorf("write %q: the key is not whole", w.Key)
	case w.Op != storage.OpCreate && w.Op != storage.OpUpdate && w.Op != storage.OpDelete:
		return fmt.Errorf("write %s: no such operation %q", w.Key, w.Op)
	case w.Op != storage.OpDelete && len(w.Value) == 0:
		return fmt.Errorf("write %s: no value", w.Key)
	}
	return nil
}

// perform does one write in the writer's transaction. A lost precondition is noted in the request; an error that is
// returned is one of the database, and ends the transaction.
func (w *writer) perform(r *request) error {
	if since := r.write.Since; since != 0 && since < w.restored {
		r.err = &storage.KeyError{Err: storage.ErrRestored, Key: r.write.Key}
		return nil
	}
	if err := w.require(r); err != nil {
		return err
	}
	if r.err != nil {
		return nil
	}
	if r.write.Op == storage.OpCreate {
		return w.performCreate(r)
	}
	return w.performChange(r)
}

// require checks what a write demands of the object that it is within.
func (w *writer) require(r *request) error {
	in := r.write.Within
	if in.Resource == "" {
		return nil
	}
	if in != w.within.Key {
		var at storage.Revision
		start := time.Now()
		err := w.exists.QueryRow(in.Resource, in.Name).Scan(&at)
		if errors.Is(err, sql.ErrNoRows) {
			r.trace(start, sqlExists, 0, in.Resource, in.Name)
			r.err = &storage.KeyError{Err: storage.ErrNotFound, Key: in}
			return nil
		}
		if err != nil {
			return err
		}
		r.trace(start, sqlExists, 1, in.Resource, in.Name)
		w.within = storage.Record{Key: in, Revision: at}
	}
	if at := r.write.WithinAt; at != 0 && at != w.within.Revision {
		return w.refuse(r, in)
	}
	return nil
}

func (w *writer) performCreate(r *request) error {
	k := r.write.Key
	start := time.Now()
	n, err := w.create.exec(k.Resource, k.Name, text(r.write.Value), int64(w.next))
	if err != nil {
		return err
	}
	r.trace(start, sqlCreate, n, k.Resource, k.Name, text(r.write.Value), w.next)
	if n == 0 {
		r.err = &storage.KeyError{Err: storage.ErrExists, Key: k}
		return nil
	}
	w.note(r, storage.Created, storage.Record{})
	return nil
}

// performChange trusts the caller's word on the value that the object has at the expected revision. That the object
// is at that revision is for the statement to say; when it is not, the object is read all the same.
func (w *writer) performChange(r *request) error {
	before := storage.Record{Key: r.write.Key, Revision: r.write.Expect, Value: r.write.Before}
	if before.Value == nil || bytes.Equal(before.Value, r.write.Value) {
		var err error
		if before, err = w.stored(r, r.write.Key); err != nil || r.err != nil {
			return err
		}
	}
	if r.write.Op == storage.OpUpdate {
		return w.performUpdate(r, before)
	}
	return w.performRemove(r, before)
}

// stored reads the object of a change, or the one that it is within. One that is not there is noted in the request.
func (w *writer) stored(r *request, k storage.Key) (storage.Record, error) {
	found := storage.Record{Key: k}
	start := time.Now()
	err := w.current.QueryRow(k.Resource, k.Name).Scan(&found.Value, &found.Revision)
	if errors.Is(err, sql.ErrNoRows) {
		r.trace(start, sqlCurrent, 0, k.Resource, k.Name)
		r.err = &storage.KeyError{Err: storage.ErrNotFound, Key: k}
		return found, nil
	}
	if err != nil {
		return found, err
	}
	r.trace(start, sqlCurrent, 1, k.Resource, k.Name)
	return found, nil
}

// refuse notes in the request that an object is not at the revision that it expects.
func (w *writer) refuse(r *request, k storage.Key) error {
	found, err := w.stored(r, k)
	if err == nil && r.err == nil {
		r.err = &storage.KeyError{Err: storage.ErrConflict, Key: k, Stored: found}
	}
	return err
}

func (w *writer) performRemove(r *request, before storage.Record) error {
	k := r.write.Key
	w.within = storage.Record{} // it may be this one
	start := time.Now()
	n, err := w.remove.exec(k.Resource, k.Name, int64(r.write.Expect))
	if err != nil {
		return err
	}
	r.trace(start, sqlRemove, n, k.Resource, k.Name, r.write.Expect)
	if n == 0 {
		return w.refuse(r, k)
	}
	w.note(r, storage.Deleted, before)
	return nil
}

// performUpdate leaves an object that already has the value as it is, with its revision.
func (w *writer) performUpdate(r *request, before storage.Record) error {
	k := r.write.Key
	if before.Revision == r.write.Expect && bytes.Equal(before.Value, r.write.Value) {
		r.record = before
		return nil
	}
	if k == w.within.Key {
		w.within = storage.Record{}
	}
	start := time.Now()
	n, err := w.update.exec(text(r.write.Value), int64(w.next), k.Resource, k.Name, int64(r.write.Expect))
	if err != nil {
		return err
	}
	r.trace(start, sqlUpdate, n, text(r.write.Value), w.next, k.Resource, k.Name, r.write.Expect)
	if n == 0 {
		return w.refuse(r, k)
	}
	w.note(r, storage.Updated, before)
	return nil
}

// note notes the change that a statement has just made, and takes its revision.
func (w *writer) note(r *request, t storage.ChangeType, before storage.Record) {
	k, revision := r.write.Key, w.next
	w.next++
	r.change = &storage.Change{Revision: revision, Type: t, Key: k, Before: before.Value, BeforeRevision: before.Revision}
	r.record = storage.Record{Key: k, Revision: revision, Value: before.Value}
	if t != storage.Deleted {
		r.change.Value, r.record.Value = r.write.Value, r.write.Value
		r.change.Summary = r.write.Summary
	}
}

// text is a value as the driver binds text. The value is not copied for it: the value of a write must not be changed.
func text(value []byte) string { return unsafe.String(unsafe.SliceData(value), len(value)) }
