// Vet type-checks the packages of the working directory, with their tests, for other operating systems, and runs the analyzers
// of go vet on them:
//
//	vet windows/amd64 darwin/arm64
//
// Nothing is compiled: go vet would compile all dependencies for each system, which takes ten minutes of CPU time on a cold
// cache, to read their types. Here they are read from source, without the bodies of functions.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	faults := 0
	for _, target := range os.Args[1:] {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			fmt.Fprintf(os.Stderr, "vet: %s is not SYSTEM/ARCHITECTURE\n", target)
			os.Exit(2)
		}
		found, err := vet(system, arch)
		if err != nil {
			fmt.Fprintf(os.Stderr, "vet: %s: %v\n", target, err)
			os.Exit(1)
		}
		for _, line := range found {
			fmt.Printf("%s: %s\n", target, line)
		}
		faults += len(found)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// vet returns what is wrong with the packages, a line each.
func vet(system, arch string) ([]string, error) {
	l, err := load(system, arch)
	if err != nil {
		return nil, err
	}
	for _, p := range l.own {
		l.check(p)
	}
	if len(l.faults) > 0 {
		return relative(l.faults), nil
	}
	found, err := analyze(l.own)
	return relative(found), err
}

// relative shortens the names of files in the working directory.
func relative(lines []string) []string {
	dir, err := os.Getwd()
	if err != nil {
		return lines
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, dir+string(filepath.Separator), "")
	}
	return lines
}
