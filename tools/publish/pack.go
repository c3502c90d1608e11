package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// pack writes a module of the copy into the tree, in the files of the protocol of Go's module proxies.
func (p publication) pack(path, dir string) (err error) {
	m := module.Version{Path: path, Version: p.version}
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	parsed, err := modfile.Parse("go.mod", mod, nil)
	if err == nil && len(parsed.Replace) > 0 {
		err = errors.New("it has replace lines, which the go command takes from no other module")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := p.license(dir); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": p.version, "Time": time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	to := filepath.Join(p.proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(to, p.version+".zip"))
	if err != nil {
		return err
	}
	if err := errors.Join(zip.CreateFromDir(archive, m, dir), archive.Close()); err != nil {
		return err
	}
	for name, text := range map[string][]byte{p.version + ".mod": mod, p.version + ".info": info} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	list, err := os.OpenFile(filepath.Join(to, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(list, p.version)
	return errors.Join(err, list.Close())
}

// license gives a module the repository's license, as the go command does where it takes one from a repository.
func (p publication) license(dir string) error {
	file := filepath.Join(dir, "LICENSE")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := os.ReadFile(filepath.Join(p.out, "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
