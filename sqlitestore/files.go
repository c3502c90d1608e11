package sqlitestore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"

	"kubarium/server/storage"
)

// files are those that the store has open. When one of them is removed or replaced, the store has files without a
// name: what is written there is lost at the end of the process. And SQLite, which opens files by name, would join
// files that do not belong together. So the store checks whether the names still lead to its files: before it
// acknowledges anything, before it opens a connection, and now and then.
type files struct {
	path     string
	database *os.File // the database file; closing it drops the locks of this process
	shm      *os.File // nil, as wal is, where nothing is stampable
	wal      *os.File
	opened   []os.FileInfo // as in fileKinds

	databaseInode, walInode uint64

	mu      sync.Mutex // guards the rest
	stamp   stamp
	spoiled bool // whether another program has written to the database file
}

// A stamp identifies a state of a database file: when it was written, and which part of the write-ahead log had been
// copied into it. In WAL mode, copying is all that SQLite does to that file. Where there is nothing to stamp, it has
// the time of the file when it was opened; no later time is older.
type stamp struct {
	copied  copied
	written time.Time // 1970 and before when nothing is known
}

func (s stamp) known() bool { return s.written.UnixNano() > 0 }

// copied is what the index of the write-ahead log says of copying: the log's two salts, how many of its frames are
// copied, and how many would be had the last attempt ended well ("WAL-Index File Format", WalCkptInfo).
type copied [16]byte

// underway reports that frames are being copied, or were when a process ended.
func (c copied) underway() bool { return string(c[8:12]) != string(c[12:16]) }

func (s stamp) String() string {
	if !s.known() {
		return "none"
	}
	return fmt.Sprintf("%x-%d", s.copied[:], s.written.UnixNano())
}

func parseStamp(text string) (s stamp) {
	raw, at := "", int64(0)
	if n, err := fmt.Sscanf(text, "%32s-%d", &raw, &at); err != nil || n != 2 {
		return s
	}
	if n, err := hex.Decode(s.copied[:], []byte(raw)); err == nil && n == len(s.copied) {
		s.written = time.Unix(0, at)
	}
	return s
}

// readCopied reads the index of a write-ahead log.
func readCopied(shm *os.File) (c copied, err error) {
	var head [136]byte
	if _, err = shm.ReadAt(head[:], 0); err == nil {
		copy(c[:8], head[32:40])
		copy(c[8:12], head[96:100])
		copy(c[12:], head[128:132])
	}
	return c, err
}

// openFiles notes which files the connections have opened. The database must have a connection that has read.
func openFiles(path string) (f *files, err error) {
	f = &files{path: path}
	for _, kind := range fileKinds {
		info, err := os.Lstat(path + kind.suffix)
		if err != nil {
			return nil, err
		}
		os.SameFile(info, info) // Windows looks for the number of a file when it is first compared
		f.opened = append(f.opened, info)
	}
	f.databaseInode, f.walInode = inode(path, f.opened[0]), inode(path+"-wal", f.opened[1])
	if f.database, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return f, err
	}
	if !stampable {
		f.stamp.written = f.opened[0].ModTime()
		return f, nil
	}
	if f.wal, err = os.OpenFile(path+"-wal", os.O_RDWR, 0); err != nil {
		return f, err
	}
	if f.shm, err = os.Open(path + "-shm"); err != nil {
		return f, err
	}
	return f, f.restamp()
}

// close must come after the last connection has ended.
func (f *files) close() error {
	var errs []error
	for _, file := range []*os.File{f.database, f.wal, f.shm} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return join(errs...)
}

// look returns a *storage.Failure unless every name leads to the file that was opened, and only SQLite has written to
// the database file. Looks are made one after the other: one that was overtaken would compare an older state of the
// file with a newer stamp.
func (f *files) look() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var before copied
	if stampable {
		var err error
		if before, err = readCopied(f.shm); err != nil {
			return &storage.Failure{Err: storage.ErrIO, Text: oneLine(fmt.Sprintf("the database cannot be read: %v", err))}
		}
	}
	for i, kind := range fileKinds {
		info, err := os.Lstat(f.path + kind.suffix)
		switch {
		case errors.Is(err, os.ErrNotExist) || isNotDir(err):
			return f.detached(kind.what+" "+f.path+kind.suffix, "removed")
		case err != nil:
			return &storage.Failure{Err: storage.ErrIO, Text: oneLine(fmt.Sprintf("the database cannot be reached: %v", err))}
		case !os.SameFile(info, f.opened[i]):
			return f.detached(kind.what+" "+f.path+kind.suffix, "replaced")
		}
		if i == 0 && !f.sound(before, info) {
			return f.detached(kind.what+" "+f.path, "overwritten")
		}
	}
	return nil
}

func (f *files) detached(what, happened string) error {
	return &storage.Failure{Err: storage.ErrDetached, Text: fmt.Sprintf(
		"%s was %s while Kubarium had it open: nothing is read or written any more, restart Kubarium", what, happened)}
}

// sound reports whether only SQLite has written to the database file; before is what had been copied before the file
// was looked at. SQLite says in the index that it is about to copy, then copies, and then says that it has. The
// caller holds mu.
func (f *files) sound(before copied, info os.FileInfo) bool {
	if f.spoiled {
		return false
	}
	if !stampable {
		return true
	}
	if info.ModTime().Equal(f.stamp.written) {
		if !before.underway() { // a log that starts over has other salts
			f.stamp.copied = before
		}
		return true
	}
	now, err := readCopied(f.shm)
	if err != nil || now.underway() {
		return true // it is for the next look to say
	}
	if now == f.stamp.copied && f.stamp.known() {
		f.spoiled = true
		return false
	}
	return f.restamp() == nil
}

// restamp takes the database file as it is for sound. Its time is read last: what SQLite writes after that is seen.
func (f *files) restamp() error {
	copied, err := readCopied(f.shm)
	if err != nil || copied.underway() {
		return err
	}
	info, err := f.database.Stat()
	if err == nil {
		f.stamp = stamp{copied, info.ModTime()}
	}
	return err
}

// overwritten reports whether another program has written to the database file.
func (f *files) overwritten() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spoiled
}

// stamped is the last stamp.
func (f *files) stamped() stamp {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stamp
}

// open returns a pool of connections to the files, for as long as these have their names. The name of a connection says
// how it is opened; see dsn.
func (f *files) open(name string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(name)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(&connector{c, f}), nil
}

// A connector opens connections to files that have their names.
type connector struct {
	driver.Connector
	files *files
}

// Connect implements driver.Connector. The name of the connection makes it read, so that it has opened every file when
// the second look comes.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.files.look(); err != nil {
		return nil, err
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.files.look(); err != nil {
		return nil, join(err, conn.Close())
	}
	return conn, nil
}

// Beside opens a pool of connections that belong to no part of the store, as another program would: mode is "ro" or
// "rw", and the pragmas are SQLite's, with their values in brackets. Transactions write from their beginning. It
// fails once the files of the store have been removed or replaced. The caller closes it.
func (s *Store) Beside(mode string, pragmas ...string) (*sql.DB, error) {
	pragmas = append(append([]string{"busy_timeout(5000)"}, pragmas...), "data_version")
	return s.files.open(dsn(s.Path, mode, pragmas...) + "&_txlock=immediate")
}

// dsn is the name by which the driver opens the file with the given pragmas.
func dsn(path, mode string, pragmas ...string) string {
	query := url.Values{"mode": {mode}, "_pragma": pragmas}
	u := url.URL{Scheme: "file", Path: uriPath(filepath.ToSlash(path)), RawQuery: query.Encode()}
	return u.String()
}

// uriPath is an absolute path as a URI has it: what precedes its first slash would be the name of a machine, as the
// drive in C:/kubarium.db.
func uriPath(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}

// incremental is how a database gives back what is deleted. It has effect on an empty file alone.
const incremental = "auto_vacuum(INCREMENTAL)"

// busyTimeout has a connection wait so long for the locks of others.
func busyTimeout(d time.Duration) string {
	return fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds())
}
