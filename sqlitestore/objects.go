package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"kubarium/server/storage"
)

// bound is the greatest name that a list leaves out before its first: After, or, before the prefix, the name that
// would come right before all that begin with it. SQLite goes straight to one bound; with two it would begin at the
// lower, and look at all between.
func (l *lister) bound() string {
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

// records reads one record more than the page holds, which reports whether there are more.
func (l *lister) records(newest bool) ([]storage.Record, error) {
	most := -1
	if l.Limit > 0 {
		most = l.Limit + 1
	}
	stmt, text := l.reads.list, sqlList
	args := []any{l.Resource, l.bound(), prefixEnd(l.Prefix), most}
	if !newest {
		stmt, text = l.reads.listAt, sqlListAt
		args = []any{l.Resource, l.bound(), prefixEnd(l.Prefix), l.At, l.At, most}
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

// remaining counts the records after the last one of the page.
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
