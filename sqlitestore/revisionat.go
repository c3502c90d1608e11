package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"kubarium/server/storage"
)

// sqlRevisionAt looks from the newest change back: what is asked for is rarely far.
const sqlRevisionAt = "SELECT revision FROM changes WHERE at <= ?1 ORDER BY revision DESC LIMIT 1"

// RevisionAt implements storage.Engine.
func (s *Store) RevisionAt(ctx context.Context, t time.Time) (at storage.Revision, err error) {
	if err := s.unreadable(); err != nil {
		return 0, err
	}
	err = s.readers.QueryRowContext(ctx, sqlRevisionAt, t.UnixMilli()).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return at, s.failed(ctx, "find the revision of a time", err)
}
