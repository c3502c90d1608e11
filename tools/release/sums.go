package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
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

// sign signs the checksums with an SSH key, or removes the signature of an earlier release if there is no key.
func sign(dir, key string) error {
	file := filepath.Join(dir, sums)
	if err := os.Remove(file + ".sig"); err != nil && !errors.Is(err, os.ErrNotExist) { // ssh-keygen would ask
		return err
	}
	if key == "" {
		return nil
	}
	cmd := exec.Command("ssh-keygen", "-Y", "sign", "-f", key, "-n", "file", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr // it may ask for a passphrase
	return cmd.Run()
}
