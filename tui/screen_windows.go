package tui

import (
	"os"

	"golang.org/x/sys/windows"
)

// sizeSignal is none: changes of the size come with the keys.
var sizeSignal os.Signal

// readSequences lets a console read escape sequences instead of showing them.
func readSequences(out *os.File) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(out.Fd()), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(out.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
}
