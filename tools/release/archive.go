package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name string // in the archive
	file string // that it is made of
	mode fs.FileMode
}

// writeFile writes a file, whole or not at all.
func writeFile(name string, write func(f *os.File) error) error {
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

func writeTar(w io.Writer, entries []entry, written time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		info, err := os.Stat(e.file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: info.Size(), ModTime: written, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if err := copyFrom(archive, e.file); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
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
		if err := copyFrom(into, e.file); err != nil {
			return err
		}
	}
	return archive.Close()
}

func copyFrom(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// writeSums writes the checksums of archives, as sha256sum --check reads them.
func writeSums(dir string, archives []string) error {
	var text bytes.Buffer
	for _, name := range archives {
		sum := sha256.New()
		if err := copyFrom(sum, filepath.Join(dir, name)); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sum.Sum(nil), name)
	}
	return writeFile(filepath.Join(dir, "SHA256SUMS"), func(f *os.File) error {
		_, err := f.Write(text.Bytes())
		return err
	})
}
