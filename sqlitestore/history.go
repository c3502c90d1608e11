package sqlitestore

import (
	"database/sql"
	"errors"
	"slices"
	"time"

	"kubarium/server/storage"
)

// A sample says which revision was the newest at a time of this run, by Options.Elapsed. The history is measured by
// samples, since a clock can be set back or forth, which must not change when a revision was committed.
type sample struct {
	newest storage.Revision
	at     time.Duration
}

// sqlFirstSince looks among the changes from before this run, whose times alone are known.
const sqlFirstSince = `SELECT revision FROM changes WHERE revision > ?1 AND revision <= ?2 AND at >= ?3 ORDER BY revision LIMIT 1`

// windowBegan returns which revision was the newest when the window began. Samples from before it but one are dropped.
func (s *Store) windowBegan() (storage.Revision, error) {
	w, now := &s.writer, s.Elapsed()
	began := -1
	for i, sample := range w.samples {
		if sample.at <= now-s.History {
			began = i
		}
	}
	if began >= 0 {
		w.samples = slices.Delete(w.samples, 0, began)
	}
	w.samples = append(w.samples, sample{w.last, now})
	if began >= 0 {
		return w.samples[0].newest, nil
	}
	return s.windowBeganBefore(now)
}

// windowBeganBefore is windowBegan for a window that began before this run. Changes from before it that claim to come
// from after its start, as when the clock was set back, count as made at its start.
func (s *Store) windowBeganBefore(now time.Duration) (storage.Revision, error) {
	w, start := &s.writer, s.writer.samples[0]
	since := s.opened.Add(now - start.at - s.History)
	first := start.newest + 1
	err := w.firstSince.QueryRow(w.readable, start.newest, since.UnixMilli()).Scan(&first)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return first - 1, err
}
