package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"kubarium/app/debug"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// StartSnapshot is the snapshot that each start makes, once the bootstrap objects are there.
const StartSnapshot = "start"

// maxSnapshots is how many snapshots there may be in addition to StartSnapshot: each holds what the log has of its
// revision.
const maxSnapshots = 100

// snapshots are the states that a reset can go back to.
type snapshots struct {
	logger  *slog.Logger
	file    *sqlitestore.Store // nil where there are none
	started chan struct{}      // closed when startSnapshot is that of this run

	mu sync.Mutex // is held while one is saved, so that there are never too many
}

// Refusals in addition to the errors of the store.
var (
	errNoSnapshots = debug.Refusal(http.StatusNotImplemented, errors.New("snapshots are of a database file, and the store of this server is etcd; "+
		"use etcdctl snapshot save, and etcdutl snapshot restore"))
	errSnapshotName = debug.Wrong(errors.New("the name of a snapshot is at most 63 lower-case letters, digits and \"-\", " +
		"and begins and ends with a letter or digit"))
	errSnapshotReserved = debug.Wrong(fmt.Errorf("the snapshot %q is made at each start, and stays", StartSnapshot))
	errTooManySnapshots = debug.Refusal(http.StatusConflict, fmt.Errorf("there are %d snapshots already; delete one", maxSnapshots))
)

// checkSnapshotName refuses a name that no snapshot of a user's can have.
func checkSnapshotName(name string) error {
	switch {
	case name == StartSnapshot:
		return errSnapshotReserved
	case len(validation.IsDNS1123Label(name)) > 0:
		return errSnapshotName
	}
	return nil
}

// all returns all snapshots, the oldest first.
func (s *snapshots) all(ctx context.Context) ([]storage.Snapshot, error) {
	if s.file == nil {
		return nil, errNoSnapshots
	}
	return s.file.Snapshots(ctx)
}

// save keeps the present state under a name.
func (s *snapshots) save(ctx context.Context, name string, how storage.SaveMode) (storage.Snapshot, error) {
	if err := checkSnapshotName(name); err != nil {
		return storage.Snapshot{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.all(ctx)
	if err != nil {
		return storage.Snapshot{}, err
	}
	users, taken := 0, false
	for _, one := range all {
		taken = taken || one.Name == name
		if one.Name != StartSnapshot {
			users++
		}
	}
	if !taken && users >= maxSnapshots {
		return storage.Snapshot{}, errTooManySnapshots
	}
	return s.file.SaveSnapshot(ctx, name, how)
}

// delete forgets the snapshot of that name.
func (s *snapshots) delete(ctx context.Context, name string) error {
	if err := checkSnapshotName(name); err != nil {
		return err
	}
	if s.file == nil {
		return errNoSnapshots
	}
	return s.file.DeleteSnapshot(ctx, name)
}

// restore goes back to a snapshot, StartSnapshot if name is "", for which it waits.
func (s *snapshots) restore(ctx context.Context, name string) (storage.Restoration, error) {
	if s.file == nil {
		return storage.Restoration{}, errNoSnapshots
	}
	if name == "" || name == StartSnapshot {
		name = StartSnapshot
		select {
		case <-s.started:
		case <-ctx.Done():
			return storage.Restoration{}, ctx.Err()
		}
	} else if err := checkSnapshotName(name); err != nil {
		return storage.Restoration{}, err
	}
	return s.file.Restore(ctx, name)
}

// named returns the snapshot of that name.
func (s *snapshots) named(ctx context.Context, name string) (storage.Snapshot, error) {
	all, err := s.all(ctx)
	if err != nil {
		return storage.Snapshot{}, err
	}
	for _, one := range all {
		if one.Name == name {
			return one, nil
		}
	}
	return storage.Snapshot{}, &storage.SnapshotError{Err: storage.ErrNotFound, Name: name}
}

// markStart saves StartSnapshot as soon as begun is closed, and tries again until it can be written.
func (s *snapshots) markStart(ctx context.Context, begun <-chan struct{}) {
	select {
	case <-begun:
	case <-ctx.Done():
		return
	}
	for warned := false; ctx.Err() == nil; warned = true {
		_, err := s.file.SaveSnapshot(ctx, StartSnapshot, storage.Replace)
		if err == nil {
			close(s.started)
			return
		}
		if !warned && ctx.Err() == nil {
			s.logger.Warn("the snapshot of the start is not saved; it is tried again", "error", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}
