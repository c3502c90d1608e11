package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"kubarium/server/storage"
)

// A sideFile is next to the database X as X.lock. Its lock makes this process the owner of X; closing it gives the
// lock back, as does the end of the process. Its text is a note for the next start: what the store had acknowledged,
// and in which files. It is not synced: it is for a process that is killed, and what a killed process has written is
// there.
//
// The lock is on a file of its own, so that other programs may still open the database itself. The file stays: removing
// it would let two owners lock two files of one name.
type sideFile struct {
	*os.File
	note note
}

// A note is the text of a side file: the number of the process, and a line each for the rest, in fixed width, so that
// one write replaces it.
type note struct {
	known    bool // false where there was no side file yet, or one of an older version, which has the process alone
	process  int
	state    string // one of the states below
	sync     string // as Options.Sync
	revision storage.Revision
	database uint64 // inode of the database file
	wal      uint64 // inode of the write-ahead log; 0 when the store has left none
	stamp    stamp  // of the database file, when it was last looked at
}

// The states of a store that its note has.
const (
	stateRunning  = "running"  // or killed, if no process has the lock
	stateEnded    = "ended"    // cleanly: everything is in the database file
	stateDetached = "detached" // likewise, but the file may have another name, or none
)

const noteFormat = "%-20d\nstate    %-20s\nsync     %-20s\nrevision %-20d\ndatabase %-20d\nwal      %-20d\nstamp    %-80s\n"

func (n note) String() string {
	return fmt.Sprintf(noteFormat, n.process, n.state, n.sync, n.revision, n.database, n.wal, n.stamp)
}

// parseNote reads the text of a side file. Anything but a note, a number and nothing is an error.
func parseNote(text string) (n note, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return n, nil
	}
	if n.process, err = strconv.Atoi(words[0]); err != nil {
		return n, errors.New("it is not a lock file of Kubarium")
	}
	values := map[string]string{}
	for i := 1; i+1 < len(words); i += 2 {
		values[words[i]] = words[i+1]
	}
	revision, err1 := strconv.ParseInt(values["revision"], 10, 64)
	database, err2 := strconv.ParseUint(values["database"], 10, 64)
	wal, err3 := strconv.ParseUint(values["wal"], 10, 64)
	if errors.Join(err1, err2, err3) != nil {
		return n, nil
	}
	n.known, n.state, n.sync = true, values["state"], values["sync"]
	n.revision, n.database, n.wal, n.stamp = storage.Revision(revision), database, wal, parseStamp(values["stamp"])
	return n, nil
}

// lockFile opens a side file, takes its lock and reads its note. A link or a foreign file is refused and not touched.
func lockFile(path string) (*sideFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|asIs, 0o600)
	if isLink(err) {
		return nil, notRegular(path)
	}
	if err != nil {
		return nil, err
	}
	note, err := lock(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &sideFile{File: f, note: note}, nil
}

// readNote reads the note of a side file, and reports whether it is locked.
func readNote(path string) (n note, inUse bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|asIs, 0)
	if errors.Is(err, os.ErrNotExist) {
		return n, false, nil
	}
	if err != nil {
		return n, false, err
	}
	defer f.Close()
	inUse = errors.Is(tryLock(f, shared), errLocked)
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err == nil {
		n, err = parseNote(string(text))
	}
	return n, inUse, err
}

func lock(f *os.File) (note, error) {
	info, err := f.Stat()
	if err != nil {
		return note{}, err
	}
	if !info.Mode().IsRegular() {
		return note{}, notRegular(f.Name())
	}
	err = tryLock(f, exclusive)
	text, readErr := io.ReadAll(io.LimitReader(f, 4096))
	n, noteErr := parseNote(string(text))
	if errors.Is(err, errLocked) {
		return note{}, fmt.Errorf("%w (process %d)", ErrInUse, n.process)
	}
	if err := join(err, readErr); err != nil {
		return note{}, err
	}
	if noteErr != nil {
		return note{}, fmt.Errorf("%s: %w; remove it if nobody needs it", f.Name(), noteErr)
	}
	return n, nil
}

func notRegular(path string) error {
	return fmt.Errorf("%s is not a regular file; remove it", path)
}

// write replaces the text of the file by the note.
func (f *sideFile) write(n note) error {
	n.known, f.note = true, n
	_, err := f.WriteAt([]byte(n.String()), 0)
	return err
}
