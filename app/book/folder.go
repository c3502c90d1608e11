package book

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A Folder is where a book is written. It has files of a book, or none.
type Folder struct {
	path string
	old  []string // names of the files that are there
}

// Open looks at a folder, which need not be there. The error says that it has something that is not of a book.
func Open(path string) (*Folder, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Folder{path: path}, nil
	}
	if err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		own, err := isPage(name, e)
		if err != nil {
			return nil, err
		}
		if !own {
			return nil, fmt.Errorf("%s is not a page of a book; name an empty folder, or one with a book", name)
		}
		f.old = append(f.old, e.Name())
	}
	return f, nil
}

// isPage reports whether a file is one that Write has written: its head names the generator.
func isPage(name string, e fs.DirEntry) (bool, error) {
	if !e.Type().IsRegular() || filepath.Ext(name) != ".html" {
		return false, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 1024))
	return bytes.Contains(head, []byte(`<meta name="generator" content="`+Generator+`">`)), err
}

// Write writes the pages, each whole or not at all, and removes old ones that are not among them.
func (f *Folder) Write(pages []Page) error {
	if err := os.MkdirAll(f.path, 0o777); err != nil {
		return err
	}
	for _, p := range pages {
		name := filepath.Join(f.path, p.Name)
		if err := os.WriteFile(name+".new", p.HTML, 0o666); err != nil {
			return errors.Join(err, os.Remove(name+".new"))
		}
		if err := os.Rename(name+".new", name); err != nil {
			return err
		}
	}
	for _, name := range f.old {
		if !slices.ContainsFunc(pages, func(p Page) bool { return p.Name == name }) {
			if err := os.Remove(filepath.Join(f.path, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
