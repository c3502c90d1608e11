package sqlitestore

import (
	"bytes"
	"database/sql"
	"errors"
	"unsafe"

	"kubarium/server/storage"
)

// The statements that read a resource of which SQLite cannot read a page. Keys are in an index each of objects and of
// changes, which are other pages than the rows; the first says nothing of what it cannot read, the second of deletions.
const (
	sqlKeys       = `SELECT key FROM objects INDEXED BY sqlite_autoindex_objects_1 WHERE resource = ? AND key > ? AND key >= ? AND key < ? ORDER BY key`
	sqlKeysLogged = `SELECT key FROM changes INDEXED BY changes_by_key WHERE resource = ? AND key > ? AND key >= ? AND key < ? GROUP BY key ORDER BY key`
	sqlLogged     = `SELECT type, revision FROM changes INDEXED BY changes_by_key WHERE resource = ? AND key = ? ORDER BY revision DESC LIMIT 1`
)

// salvage reads the records of a list one by one, and returns those that cannot be read without a value.
func (l *lister) salvage(most int) ([]storage.Record, error) {
	args := []any{l.Resource, l.After, l.Prefix, prefixEnd(l.Prefix)}
	keys, err := l.keys(sqlKeys, args)
	if isDamage(err) {
		keys, err = l.keys(sqlKeysLogged, args)
	}
	if err != nil {
		return nil, err
	}
	var records []storage.Record
	for _, name := range keys {
		if len(records) == most {
			break
		}
		if r, there := l.salvageOne(storage.Key{Resource: l.Resource, Name: name}); there {
			records = append(records, r)
		}
	}
	return records, l.ctx.Err()
}

func (l *lister) keys(text string, args []any) (keys []string, err error) {
	found, err := l.tx.QueryContext(l.ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		keys = append(keys, name)
	}
	return keys, found.Err()
}

// salvageOne reads one record, and reports whether there is one.
func (l *lister) salvageOne(k storage.Key) (r storage.Record, there bool) {
	r.Key = k
	err := l.tx.Stmt(l.reads.get).QueryRowContext(l.ctx, k.Resource, k.Name).Scan((*listed)(&r.Value), &r.Revision)
	if err == nil {
		return r, true
	}
	var kind string
	logged := l.tx.QueryRowContext(l.ctx, sqlLogged, k.Resource, k.Name).Scan(&kind, &r.Revision)
	if errors.Is(err, sql.ErrNoRows) && (logged != nil || kind == string(storage.Deleted)) {
		return r, false
	}
	r.Value = nil
	return r, true
}

// prefixEnd is the least key name after all that begin with prefix. Names are UTF-8, which has no byte 0xFF.
func prefixEnd(prefix string) string { return prefix + "\xff" }

// listed takes a value of a list as the driver hands it out: text in memory of its own, which is not written to.
// database/sql would copy it once more, and the copies of 100,000 values leave holes of some 15 MiB in the heap.
type listed []byte

// Scan implements sql.Scanner.
func (l *listed) Scan(value any) error {
	switch v := value.(type) {
	case string:
		*l = unsafe.Slice(unsafe.StringData(v), len(v))
	case []byte: // written by another program; valid for as long as the row
		*l = bytes.Clone(v)
	default: // a damaged row; the column takes no NULL, and makes text of numbers
		*l = nil
	}
	return nil
}
