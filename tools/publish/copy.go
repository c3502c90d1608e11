package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// tracked are the files that git tracks below a folder, by their paths from there, with slashes.
func tracked(root string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("git does not know the files of %s: %w", root, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// copy copies files, and renames modules and packages in them.
func (p publication) copy(files []string) error {
	n := names{to: p.module, packages: map[string]bool{}}
	for _, file := range files {
		if path.Ext(file) == ".go" {
			n.packages[path.Dir(file)] = true
		}
	}
	for _, file := range files {
		if err := p.copyFile(n, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (p publication) copyFile(n names, file string) error {
	from, to := filepath.Join(p.root, file), filepath.Join(p.out, file)
	info, err := os.Lstat(from)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("it is not a file (%s)", info.Mode().Type())
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	switch path.Ext(file) {
	case ".go":
		text, err = n.inGo(text)
	case ".mod":
		text, err = n.inMod(file, text)
	case ".md":
		text = []byte(n.inText(string(text)))
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}
