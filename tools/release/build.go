package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Binaries are the programs for one system and architecture, in a folder.
type binaries struct{ system, arch, dir string }

// file is the path of one of them: kubarium, etcd or kubectl.
func (b binaries) file(name string) string { return filepath.Join(b.dir, b.exe(name)) }

// exe is the name of a program's file.
func (b binaries) exe(name string) string {
	if b.system == "windows" {
		return name + ".exe"
	}
	return name
}

// build compiles the programs for a target, SYSTEM/ARCHITECTURE, into a folder.
func (r release) build(target, dir string) (b binaries, err error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return b, errors.New("a target is SYSTEM/ARCHITECTURE")
	}
	b = binaries{system, arch, dir}
	const kubectlVersion = " -X k8s.io/component-base/version."
	major, minor, _ := strings.Cut(strings.TrimPrefix(r.kubernetes, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	for _, program := range []struct{ name, pkg, set string }{
		{"kubarium", ".", " -X kubarium/app/version.release=" + r.version},
		{"etcd", "./app/envtest/etcd", ""},
		{"kubectl", "./tests/e2e/kubectl", kubectlVersion + "gitVersion=" + r.kubernetes + kubectlVersion + "gitMajor=" + major + kubectlVersion + "gitMinor=" + minor},
	} {
		fmt.Println("== build", target, program.name)
		if err := b.compile(program.name, program.pkg, program.set); err != nil {
			return b, fmt.Errorf("%s: %w", program.name, err)
		}
	}
	if system == runtime.GOOS && arch == runtime.GOARCH {
		return b, shows(b.file("kubarium"), r.version)
	}
	return b, nil
}

// compile builds a static binary without symbols for debuggers; its stack traces keep their lines. Nothing of the machine
// is in it: neither paths, nor what git says, nor settings of the user.
func (b binaries) compile(name, pkg, set string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "grpcnotrace", "-ldflags", "-s -w"+set, "-o", b.file(name), pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+b.system, "GOARCH="+b.arch,
		"GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
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
