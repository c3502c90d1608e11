package runs

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"kubarium/app/remedy"
)

// WriteTo hands write the file at a path, or out if there is none. A file is written next to its place and put there
// once it is complete, so that what was there before is kept when something goes wrong, and may be what is being
// read. Anything else than a plain file is written directly.
func WriteTo(path string, out io.Writer, write func(io.Writer) error) (err error) {
	if path == "" {
		return buffered(out, write)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return remedy.Add(err, fileElsewhere)
		}
		return errors.Join(buffered(f, write), f.Close())
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return remedy.Add(err, fileElsewhere)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return remedy.Add(err, fileElsewhere)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return remedy.Add(err, fileElsewhere)
	}
	if err = errors.Join(buffered(f, write), f.Close()); err == nil {
		err = remedy.Add(os.Rename(f.Name(), path), fileElsewhere)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

const fileElsewhere = "name a file that can be written"

func buffered(out io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(out, 1<<16)
	err := write(b)
	if err == nil {
		return b.Flush()
	}
	return errors.Join(err, b.Flush())
}
