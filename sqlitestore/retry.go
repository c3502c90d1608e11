package sqlitestore

import (
	"errors"
	"path/filepath"

	"kubarium/server/storage"
)

// retry tries to write while the store is failing, in the writer's goroutine, also when no request comes.
func (s *Store) retry() {
	f := s.health.failing.Load()
	if f == nil || s.unwritable() != nil || s.Elapsed()-s.health.tried < tryEvery {
		return
	}
	s.health.tried = s.Elapsed()
	err := s.stillAttached()
	if err == nil {
		err = s.writeNothing()
	}
	if err != nil {
		s.report("trying to write", err)
		return
	}
	s.recovered()
}

// writeNothing commits a transaction that writes a page and changes nothing.
func (s *Store) writeNothing() error {
	if errors.Is(s.Healthy(), storage.ErrFull) {
		if err := proveSpace(filepath.Dir(s.Path)); err != nil {
			return s.Healthy()
		}
	}
	w := &s.writer
	if _, err := w.begin.exec(); err != nil {
		return err
	}
	var head storage.Revision
	err := w.unmark.QueryRow().Scan(&head)
	if err == nil {
		_, err = w.commit.exec()
	}
	if err != nil {
		w.rollback()
	}
	return err
}
