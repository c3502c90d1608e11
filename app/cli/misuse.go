// Package cli is what all commands share: which errors are misuse, how a command exits, flags that take one of a few
// words, flags that the environment sets, and text that a terminal takes for nothing but text.
//
// It knows no command.
package cli

import (
	"errors"
	"fmt"
)

// An ExitCode ends a command whose own output has said why.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// A wrongUse is a command line that makes no sense.
type wrongUse struct{ error }

func (e wrongUse) Unwrap() error { return e.error }

// Misuse marks an error as one of the command line, which ends with code 2.
func Misuse(err error) error { return wrongUse{err} }

// IsMisuse reports whether an error, or one that it wraps, was marked so.
func IsMisuse(err error) bool {
	var wrong wrongUse
	return errors.As(err, &wrong)
}
