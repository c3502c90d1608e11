package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// writeSums writes the checksums of files in a folder, as sha256sum --check reads them.
func writeSums(dir string, names []string) error {
	return writeFile(filepath.Join(dir, sums), func(w io.Writer) error {
		for _, name := range names {
			sum, err := sumOf(filepath.Join(dir, name), sha256.New())
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s  %s\n", sum, name)
		}
		return nil
	})
}

const sums = "SHA256SUMS"

func sumOf(file string, h hash.Hash) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
