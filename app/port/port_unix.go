//go:build unix

// Package port tells what a failed use of a TCP port means. The numbers of the errors differ between systems.
package port

import (
	"errors"
	"syscall"
)

// IsTaken tells that somebody else listens there.
func IsTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// IsClosed tells that nobody listens there.
func IsClosed(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
