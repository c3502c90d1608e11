package envtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Lay puts the programs etcd and kube-apiserver into a folder: the binary, by its name, twice. Another file in its
// place is replaced. kubectl comes too, if there is one next to the binary or in the PATH, and the folder has none of
// its own. It returns the absolute folder, and what it did, a line each.
//
// The names are hard links, which take no room and stay when the binary is moved or built again; tools that pack the
// folder or look at its files find true ones. On another file system it is a copy, and a symbolic link only where
// there is no room for one. kubectl is a symbolic link where these are to be had, since others update it where it is.
func Lay(folder, binary string) (dir string, did []string, err error) {
	if dir, err = filepath.Abs(folder); err != nil {
		return "", nil, err
	}
	if binary, err = filepath.EvalSymlinks(binary); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	for _, name := range []string{Etcd, KubeAPIServer} {
		how, err := place(binary, filepath.Join(dir, name+exe))
		if err != nil {
			return "", nil, fmt.Errorf("put %s into %s: %w", name, dir, err)
		}
		did = append(did, fmt.Sprintf("%s: %s", name, how))
	}
	how, err := placeKubectl(binary, filepath.Join(dir, "kubectl"+exe))
	if err != nil {
		return "", nil, fmt.Errorf("put kubectl into %s: %w", dir, err)
	}
	return dir, append(did, "kubectl: "+how), nil
}

// exe is what the names of programs end in.
var exe = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// place makes a file the same as the binary, and says how. The name leads to one of the two at any moment, so that a
// test that starts now finds it.
func place(binary, file string) (string, error) {
	if isSame(binary, file) {
		return "is up to date", nil
	}
	next := file + ".new"
	if err := os.RemoveAll(next); err != nil {
		return "", err
	}
	how := "hard link"
	err := os.Link(binary, next)
	if err != nil {
		how, err = "copy", copyFile(binary, next)
	}
	if err != nil {
		os.Remove(next)
		how, err = "symbolic link", os.Symlink(binary, next)
	}
	if err != nil {
		return "", err
	}
	return how + " of " + binary, errors.Join(os.Rename(next, file), ignoreMissing(os.Remove(next)))
}

// ignoreMissing is nil for a file that was not there.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// isSame reports whether a file is the binary itself or a copy of it.
func isSame(binary, file string) bool {
	a, errA := os.Stat(binary)
	b, errB := os.Stat(file)
	if errA != nil || errB != nil {
		return false
	}
	if os.SameFile(a, b) {
		return true
	}
	if a.Size() != b.Size() || b.Mode().Perm()&0o100 == 0 && exe == "" {
		return false
	}
	sumA, errA := sum(binary)
	sumB, errB := sum(file)
	return errA == nil && errB == nil && sumA == sumB
}

func sum(file string) (s [sha256.Size]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return s, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return s, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// placeKubectl leaves a kubectl alone that works, and makes a link to one that is found else.
func placeKubectl(binary, file string) (string, error) {
	if _, err := os.Stat(file); err == nil {
		return "is there", nil
	}
	found := filepath.Join(filepath.Dir(binary), "kubectl"+exe)
	if _, err := os.Stat(found); err != nil || found == file {
		if found, err = exec.LookPath("kubectl"); err != nil {
			return "none was found; only tests that run it need one", nil
		}
	}
	found, err := filepath.Abs(found)
	if err != nil {
		return "", err
	}
	if err := ignoreMissing(os.Remove(file)); err != nil { // a link that leads nowhere
		return "", err
	}
	if os.Symlink(found, file) == nil {
		return "symbolic link to " + found, nil
	}
	if err := os.Link(found, file); err == nil {
		return "hard link of " + found, nil
	}
	return "copy of " + found, copyFile(found, file)
}
