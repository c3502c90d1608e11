package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"kubarium/server/storage"
)

// The statements of one write. Each states its precondition itself: when it is lost, no row is changed. The revision that
// the trigger gives is the next one: nobody else writes while our transaction lasts. So the statements of a write set it
// already, which saves the trigger a second write of the row. RETURNING would not show it, and asking the log would cost
// a statement more for each write; apply asks once for all of them.
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

// performChange trusts the caller's word on the value that the object has at the expected revision. That the object is at
// that revision is for the statement to say; when it is not, the object is read all the same.
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

// text is a value as the driver binds text. The value is not copied for it: nobody changes the value of a write.
func text(value []byte) string { return unsafe.String(unsafe.SliceData(value), len(value)) }

// listed takes a value of a list as the driver hands it out: text in memory of its own, which nobody writes to. database/sql
// would copy it once more, and the copies of 100,000 values leave holes of some 15 MiB in the heap.
type listed []byte

// Scan implements sql.Scanner.
func (l *listed) Scan(value any) error {
	switch v := value.(type) {
	case string:
		*l = unsafe.Slice(unsafe.StringData(v), len(v))
	case []byte: // which somebody outside has written; the driver's for as long as the row
		*l = bytes.Clone(v)
	default: // a damaged row; the column takes no NULL, and makes text of numbers
		*l = nil
	}
	return nil
}

// prefixEnd is the least key name behind all that begin with prefix. Names are UTF-8, which has no byte 0xFF.
func prefixEnd(prefix string) string { return prefix + "\xff" }

// behind is the greatest name that a list leaves out before its first: After, or, before the prefix, the name that would come right
// before all that begin with it. SQLite goes straight to one bound; with two it would begin at the lower, and look at all between.
func (l *lister) behind() string {
	if l.After >= l.Prefix {
		return l.After
	}
	last := len(l.Prefix) - 1
	return l.Prefix[:last] + string([]byte{l.Prefix[last] - 1}) + "\xff"
}

// The statements of reads. Those at a revision take the newest row of each key in the log that is not above it.
const (
	sqlGetAt = `SELECT s.revision, s.readable, c.revision, c.value FROM store AS s LEFT JOIN (
	SELECT revision, value FROM changes WHERE resource = ? AND key = ? AND revision <= ? ORDER BY revision DESC LIMIT 1) AS c`
	sqlState    = `SELECT revision, readable FROM store`
	sqlList     = `SELECT key, revision, value FROM objects WHERE resource = ? AND key > ? AND key < ? ORDER BY key LIMIT ?`
	sqlCount    = `SELECT count(*) FROM objects WHERE resource = ? AND key > ? AND key < ?`
	sqlVersions = ` FROM changes AS c WHERE resource = ? AND key > ? AND key < ? AND revision <= ? AND type <> 'D'
	AND NOT EXISTS (SELECT 1 FROM changes AS n WHERE n.resource = c.resource AND n.key = c.key AND n.revision > c.revision AND n.revision <= ?)`
	sqlListAt  = `SELECT key, revision, value` + sqlVersions + ` ORDER BY key LIMIT ?`
	sqlCountAt = `SELECT count(*)` + sqlVersions
)

// readStatements are compiled once for the pool; it compiles them again for each connection.
type readStatements struct {
	get, getAt, state, list, count, listAt, countAt, changes *sql.Stmt
}

func (q *readStatements) prepare(ctx context.Context, db *sql.DB) error {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&q.get, sqlCurrent}, {&q.getAt, sqlGetAt}, {&q.state, sqlState}, {&q.list, sqlList}, {&q.count, sqlCount},
		{&q.listAt, sqlListAt}, {&q.countAt, sqlCountAt}, {&q.changes, sqlChanges},
	} {
		var err error
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

// Get implements storage.Store.
func (s *Store) Get(ctx context.Context, k storage.Key, at storage.Revision) (storage.Record, error) {
	if err := ctx.Err(); err != nil {
		return storage.Record{}, err
	}
	if err := s.unreadable(); err != nil {
		return storage.Record{}, err
	}
	t := startTrace(ctx)
	if at != 0 {
		return s.getAt(t, k, at)
	}
	// A read of one row is over before a cancelled context could be noticed, and waiting for that costs more than it.
	r := storage.Record{Key: k}
	start := t.start()
	err := s.reads.get.QueryRow(k.Resource, k.Name).Scan(&r.Value, &r.Revision)
	if errors.Is(err, sql.ErrNoRows) {
		t.add(start, sqlCurrent, 0, k.Resource, k.Name)
		return storage.Record{}, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
	}
	if err != nil {
		return storage.Record{}, s.explain("get "+k.String(), err)
	}
	t.add(start, sqlCurrent, 1, k.Resource, k.Name)
	return r, nil
}

func (s *Store) getAt(t trace, k storage.Key, at storage.Revision) (storage.Record, error) {
	var newest, readable storage.Revision
	var revision sql.NullInt64
	var value []byte
	start := t.start()
	err := s.reads.getAt.QueryRow(k.Resource, k.Name, at).Scan(&newest, &readable, &revision, &value)
	if err != nil {
		return storage.Record{}, s.explain("get "+k.String(), err)
	}
	t.add(start, sqlGetAt, 1, k.Resource, k.Name, at)
	if err := within(at, newest, readable); err != nil {
		return storage.Record{}, err
	}
	if value == nil {
		return storage.Record{}, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
	}
	return storage.Record{Key: k, Revision: storage.Revision(revision.Int64), Value: value}, nil
}

// within refuses a revision outside of what can be read.
func within(at, newest, readable storage.Revision) error {
	if at > newest {
		return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
	}
	if at < readable {
		return &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: readable}
	}
	return nil
}

// List implements storage.Store.
func (s *Store) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	if err := s.unreadable(); err != nil {
		return storage.Page{}, err
	}
	t := startTrace(ctx)
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return storage.Page{}, s.failed(ctx, "list "+o.Resource, err)
	}
	defer tx.Rollback() // it has nothing to commit
	l := lister{Store: s, ctx: ctx, tx: tx, trace: t, ListOptions: o}
	page, err := l.page()
	return page, s.failed(ctx, "list "+o.Resource, err)
}

// A lister reads one page in a transaction, so that its parts are of one revision.
type lister struct {
	*Store
	ctx   context.Context
	tx    *sql.Tx
	trace trace
	storage.ListOptions
}

func (l *lister) page() (storage.Page, error) {
	var newest, readable storage.Revision
	if err := l.tx.Stmt(l.reads.state).QueryRowContext(l.ctx).Scan(&newest, &readable); err != nil {
		return storage.Page{}, err
	}
	if l.At == 0 {
		l.At = newest
	}
	if err := within(l.At, newest, readable); err != nil {
		return storage.Page{}, err
	}
	p := storage.Page{Revision: l.At}
	var err error
	if p.Records, err = l.records(l.At == newest); err != nil {
		return storage.Page{}, err
	}
	if l.Limit <= 0 || len(p.Records) <= l.Limit {
		return p, nil
	}
	p.Records, p.More = p.Records[:l.Limit], true
	if l.Uncounted {
		return p, nil
	}
	p.Remaining, err = l.remaining(p.Records[l.Limit-1].Key.Name, l.At == newest)
	return p, err
}

// records reads one record more than the page holds, which tells whether there are more.
func (l *lister) records(newest bool) ([]storage.Record, error) {
	most := -1
	if l.Limit > 0 {
		most = l.Limit + 1
	}
	stmt, text := l.reads.list, sqlList
	args := []any{l.Resource, l.behind(), prefixEnd(l.Prefix), most}
	if !newest {
		stmt, text = l.reads.listAt, sqlListAt
		args = []any{l.Resource, l.behind(), prefixEnd(l.Prefix), l.At, l.At, most}
	}
	start := l.trace.start()
	records, err := l.scan(l.tx.Stmt(stmt).QueryContext(l.ctx, args...))
	if isDamage(err) {
		_ = l.explain("list "+l.Resource, err) // which notes it
	}
	if newest && (isDamage(err) || errors.Is(err, errRow)) {
		records, err = l.salvage(most)
	}
	l.trace.add(start, text, len(records), args...)
	return records, err
}

// errRow marks a row with a value that its column does not take.
var errRow = errors.New("damaged row")

// scan reads the rows of a list.
func (l *lister) scan(found *sql.Rows, err error) ([]storage.Record, error) {
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var records []storage.Record
	for found.Next() {
		r := storage.Record{Key: storage.Key{Resource: l.Resource}}
		if err := found.Scan(&r.Key.Name, &r.Revision, (*listed)(&r.Value)); err != nil {
			return nil, fmt.Errorf("%w: %w", errRow, err)
		}
		records = append(records, r)
	}
	return records, found.Err()
}

// remaining counts the records behind the last one of the page.
func (l *lister) remaining(last string, newest bool) (n int, err error) {
	stmt, text := l.reads.count, sqlCount
	args := []any{l.Resource, last, prefixEnd(l.Prefix)}
	if !newest {
		stmt, text = l.reads.countAt, sqlCountAt
		args = []any{l.Resource, last, prefixEnd(l.Prefix), l.At, l.At}
	}
	start := l.trace.start()
	err = l.tx.Stmt(stmt).QueryRowContext(l.ctx, args...).Scan(&n)
	l.trace.add(start, text, 1, args...)
	return n, err
}

// failed explains an error of a read; what the contract names and the context's own error pass as they are.
func (s *Store) failed(ctx context.Context, doing string, err error) error {
	var revision *storage.RevisionError
	if err == nil || errors.As(err, &revision) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.explain(doing, err)
}
