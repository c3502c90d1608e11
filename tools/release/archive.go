package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// An entry is a file of an archive, or a folder if its name ends with a slash. Mode, owner and time of the file on
// disk are not used.
type entry struct {
	name  string // in the archive
	file  string // that it is made of; "" if it is made of text
	mode  fs.FileMode
	text  []byte
	owner int // user and group
}

// size is that of the content in bytes.
func (e entry) size() (int64, error) {
	if e.file == "" {
		return int64(len(e.text)), nil
	}
	info, err := os.Stat(e.file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// copyTo writes the content.
func (e entry) copyTo(w io.Writer) error {
	if e.file == "" {
		_, err := w.Write(e.text)
		return err
	}
	f, err := os.Open(e.file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// writeFile writes a file, whole or not at all.
func writeFile(name string, write func(w io.Writer) error) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// packLevel is gzip's default: the best one makes a binary of 108 MB 0.4 % smaller, in more than twice the time.
var packLevel = gzip.DefaultCompression

// writePackedTar writes a .tar.gz.
func writePackedTar(w io.Writer, entries []entry, written time.Time) error {
	packed, err := gzip.NewWriterLevel(w, packLevel)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(packed, entries, written), packed.Close())
}

func writeTar(w io.Writer, entries []entry, written time.Time) error {
	archive := tar.NewWriter(w)
	for _, e := range entries {
		size, err := e.size()
		if err != nil {
			return err
		}
		header := &tar.Header{Name: e.name, Mode: tarMode(e.mode), Uid: e.owner, Gid: e.owner, Size: size, ModTime: written, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if err := e.copyTo(archive); err != nil {
			return err
		}
	}
	return archive.Close()
}

// tarMode is a mode as tar has it, with the sticky bit.
func tarMode(mode fs.FileMode) int64 {
	if mode&fs.ModeSticky != 0 {
		return int64(mode.Perm()) | 0o1000
	}
	return int64(mode.Perm())
}

func writeZip(w io.Writer, entries []entry, written time.Time) error {
	archive := zip.NewWriter(w)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: written}
		header.SetMode(e.mode)
		into, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if err := e.copyTo(into); err != nil {
			return err
		}
	}
	return archive.Close()
}
