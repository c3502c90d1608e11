// Package port explains why the use of a TCP port failed. The numbers of the errors differ between systems.
package port

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsTaken reports whether an error means that another process listens on the port.
func IsTaken(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }

// IsClosed reports whether an error means that no process listens on the port.
func IsClosed(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
