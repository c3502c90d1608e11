package pki

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// shared are the files of a folder that all servers of one store must have: who is known to one of them is then known
// to the others.
var shared = []string{
	caName + certExt, caName + keyExt, accountKey,
	frontProxyCA + certExt, frontProxyCA + keyExt, frontProxyClient + certExt, frontProxyClient + keyExt,
}

// NewShared makes the keys and certificates that all servers of one store must have, as the files of a folder would.
func NewShared() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "kubarium-pki-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	ca, err := NewCA()
	if err == nil {
		err = ca.Write(folder)
	}
	if err == nil {
		_, err = NewAccountKey(folder)
	}
	if err == nil {
		_, err = NewFrontProxy(folder)
	}
	if err != nil {
		return nil, err
	}
	return ReadShared(folder)
}

// ReadShared reads those that a folder has.
func ReadShared(folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range shared {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// WriteShared writes them into a folder.
func WriteShared(folder string, files map[string][]byte) error {
	for _, name := range shared {
		if text := files[name]; text != nil {
			if err := WriteFile(filepath.Join(folder, name), text); err != nil {
				return err
			}
		}
	}
	return nil
}
