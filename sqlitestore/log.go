package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"time"

	"kubarium/flow/object"
	"kubarium/server/storage"
)

// sqlMaybeTerminating finds the objects whose values object.Terminating must look into.
const sqlMaybeTerminating = `o.revision IS NOT NULL AND instr(o.value, '"deletionTimestamp"') > 0`

const sqlSelectLog = `SELECT c.revision, c.type, c.resource, c.key, c.at, c.outside, c.before_revision, ifnull(length(CAST(c.value AS BLOB)), 0),
  iif(` + sqlMaybeTerminating + `, o.value, NULL), NULL, NULL
FROM store AS s, changes AS c LEFT JOIN objects AS o ON o.resource = c.resource AND o.key = c.key AND o.revision = c.revision
WHERE c.revision <= ?1 AND (c.revision > s.compacted OR o.revision IS NOT NULL)`

// The changes of one object are found by their index, and those of what is terminating are sorted, so that all that
// is read for nothing is read before the first row: the driver interrupts that when the client goes, and not what
// lies between two rows.
const (
	sqlLog            = sqlSelectLog + ` ORDER BY c.revision DESC LIMIT ?2`
	sqlLogOf          = sqlSelectLog + ` AND c.resource = ?3 AND c.key = ?4 ORDER BY c.revision DESC LIMIT ?2`
	sqlLogTerminating = sqlSelectLog + ` AND ` + sqlMaybeTerminating + `
  AND (?3 = '' OR c.resource = ?3 AND c.key = ?4) ORDER BY +c.revision DESC`
)

const sqlLogOne = `SELECT c.revision, c.type, c.resource, c.key, c.at, c.outside, c.before_revision, ifnull(length(CAST(c.value AS BLOB)), 0), NULL, b.value, c.value
FROM changes AS c LEFT JOIN changes AS b ON b.revision = c.before_revision WHERE c.revision = ?1`

// Log implements storage.Engine. It reads through a connection of its own, which cannot write.
func (s *Store) Log(ctx context.Context, o storage.LogOptions) (out []storage.Logged, err error) {
	db, err := s.Beside("ro", "query_only(1)")
	if err != nil {
		return nil, err
	}
	defer func() { err = join(err, db.Close()) }()
	statement, args := logged(o)
	found, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for (o.Limit == 0 || len(out) < o.Limit) && found.Next() {
		var c storage.Logged
		var typ string
		var maybe sql.RawBytes
		var at int64
		if err := found.Scan(&c.Revision, &typ, &c.Key.Resource, &c.Key.Name, &at, &c.Outside, &c.BeforeRevision, &c.Bytes, &maybe, &c.Before, &c.Value); err != nil {
			return nil, err
		}
		if typ != "" {
			c.Type = storage.ChangeType(typ[0])
		}
		c.At, c.Terminating = time.UnixMilli(at), object.Terminating(maybe)
		if o.Terminating && !c.Terminating {
			continue
		}
		out = append(out, c)
	}
	return out, found.Err()
}

// logged is the statement that reads what is meant.
func logged(o storage.LogOptions) (statement string, args []any) {
	if o.Revision != 0 {
		return sqlLogOne, []any{o.Revision}
	}
	args = []any{cmp.Or(o.Before, math.MaxInt64), cmp.Or(o.Limit, -1), o.Key.Resource, o.Key.Name}
	switch {
	case o.Terminating:
		return sqlLogTerminating, args
	case o.Key.Resource != "":
		return sqlLogOf, args
	}
	return sqlLog, args[:2]
}
