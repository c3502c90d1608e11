// Release builds Kubarium for all systems and writes archives of it and their checksums:
//
//	dist/kubarium_1.2.3_linux_amd64.tar.gz
//	dist/kubarium_1.2.3_windows_amd64.zip
//	dist/SHA256SUMS
//
// An archive has the binary, README.md and LICENSE. It needs Go and, without -version, git. The same commit gives the
// same bytes, with the same version of Go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const all = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	version := flag.String("version", "", "version of the release; the tag, or else the commit, if nothing is said")
	targets := flag.String("targets", all, "systems and architectures to build for")
	out := flag.String("out", "dist", "folder of the archives; files of the same names are replaced")
	flag.Parse()
	if err := release(*version, strings.Split(*targets, ","), *out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(version string, targets []string, out string) error {
	version, err := named(version)
	if err != nil {
		return err
	}
	written, err := stamp()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var archives []string
	for _, target := range targets {
		name, err := build(version, target, out, written)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		archives = append(archives, name)
	}
	return writeSums(out, archives)
}

// A version becomes part of file names.
var versionForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

// named is the version that was asked for, or git's name of what is checked out.
func named(version string) (string, error) {
	if version == "" {
		text, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
		if err != nil {
			return "", fmt.Errorf("git does not know the version, use -version: %w", err)
		}
		version = strings.TrimSpace(string(text))
	}
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("the version is %q, but can have letters, digits, dots, + and - alone", version)
	}
	return version, nil
}

// stamp is the time that files in archives have: $SOURCE_DATE_EPOCH, or that of the commit, or now.
func stamp() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		committed, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Now(), nil
		}
		text = strings.TrimSpace(string(committed))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// build makes one archive and returns its name.
func build(version, target, out string, written time.Time) (archive string, err error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return "", errors.New("a target is SYSTEM/ARCHITECTURE")
	}
	dir, err := os.MkdirTemp("", "kubarium-release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	name := "kubarium"
	if system == "windows" {
		name += ".exe"
	}
	binary := filepath.Join(dir, name)
	fmt.Println("== build", target)
	if err := compile(binary, version, system, arch); err != nil {
		return "", err
	}
	if system == runtime.GOOS && arch == runtime.GOARCH {
		if err := shows(binary, version); err != nil {
			return "", err
		}
	}
	archive = fmt.Sprintf("kubarium_%s_%s_%s", strings.TrimPrefix(version, "v"), system, arch)
	entries := []entry{{name, binary, 0o755}, {"README.md", "README.md", 0o644}, {"LICENSE", "LICENSE", 0o644}}
	if system == "windows" {
		archive += ".zip"
		return archive, writeFile(filepath.Join(out, archive), func(f *os.File) error { return writeZip(f, entries, written) })
	}
	archive += ".tar.gz"
	return archive, writeFile(filepath.Join(out, archive), func(f *os.File) error { return writeTar(f, entries, written) })
}

// compile builds a static binary without symbols for debuggers; its stack traces keep their lines.
func compile(binary, version, system, arch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "grpcnotrace",
		"-ldflags", "-s -w -X kubarium/app/version.release="+version, "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// shows proves that a binary that can run here shows its version.
func shows(binary, version string) error {
	text, err := exec.Command(binary, "version").Output()
	if err != nil {
		return err
	}
	if first, _, _ := strings.Cut(string(text), "\n"); first != "kubarium "+version {
		return fmt.Errorf("the binary says %q, not version %s", first, version)
	}
	return nil
}
