//go:build unix

package main

import (
	"os"
	"syscall"
)

// run replaces this process, so that signals and the exit code are those of the program.
func run(program string, args []string) error {
	return &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, args, os.Environ())}
}
