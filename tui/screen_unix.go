//go:build unix

package tui

import (
	"os"
	"syscall"
)

// sizeSignal is sent when the size of the terminal has changed.
var sizeSignal os.Signal = syscall.SIGWINCH

// readSequences has nothing to do: terminals read escape sequences.
func readSequences(*os.File) error { return nil }
