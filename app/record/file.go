package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Extension is how the names of recordings end.
const Extension = ".kubarium"

// segmentsOfFile is how many segments a file has at its limit.
const segmentsOfFile = 4

// A file is a recording on disk: a series of segments. It grows at its end alone; when it has reached its limit, the
// oldest segments go, by way of a new file that takes its place.
type file struct {
	path   string
	limit  int64
	to     *os.File
	size   int64
	begins []int64 // where the segments begin
	base   int64   // after the state of the newest
}

// create makes the file. One that is there already stays as it is.
func create(path string, limit int64) (*file, error) {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already; move it away, or say another name", path)
	}
	if err != nil {
		return nil, err
	}
	return &file{path: path, limit: limit, to: to}, nil
}

// Write implements io.Writer. It writes nothing to a file that is no longer where it was, or that is cut: no reader
// would find it.
func (f *file) Write(b []byte) (int, error) {
	if err := f.there(); err != nil {
		return 0, err
	}
	n, err := f.to.Write(b)
	f.size += int64(n)
	return n, err
}

// there returns an error if the file is not as it was left.
func (f *file) there() error {
	mine, err := f.to.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(f.path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && !os.SameFile(mine, named):
		return fmt.Errorf("%s was removed, or another file took its place", f.path)
	case err != nil:
		return err
	case mine.Size() < f.size:
		return fmt.Errorf("%s was cut from %d bytes to %d", f.path, f.size, mine.Size())
	}
	return nil
}

// segment notes that a segment begins here.
func (f *file) segment() { f.begins = append(f.begins, f.size) }

// based notes that the state of the segment is written: it does not count for when the next one begins.
func (f *file) based() { f.base = f.size }

// full reports whether the segment is long enough for another one to begin.
func (f *file) full() bool { return f.size-f.base >= f.limit/segmentsOfFile }

// trim removes the oldest segments, so that there is room for another one. The newest stays.
func (f *file) trim() error {
	drop := 0
	for drop < len(f.begins)-1 && f.size-f.begins[drop] > f.limit-f.limit/segmentsOfFile {
		drop++
	}
	if drop == 0 {
		return nil
	}
	if err := f.replace(f.begins[drop]); err != nil {
		return err
	}
	gone := f.begins[drop]
	f.begins = slices.Clone(f.begins[drop:])
	for i := range f.begins {
		f.begins[i] -= gone
	}
	f.size, f.base = f.size-gone, f.base-gone
	return nil
}

// replace puts what comes after an offset in the place of the file.
func (f *file) replace(from int64) (err error) {
	was, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer was.Close()
	next, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*~")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, next.Close(), os.Remove(next.Name()))
		}
	}()
	if _, err := was.Seek(from, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(next, was); err != nil {
		return err
	}
	if err := f.to.Close(); err != nil {
		return err
	}
	if err := os.Rename(next.Name(), f.path); err != nil {
		return err
	}
	f.to = next
	return nil
}
