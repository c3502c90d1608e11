package tui

import (
	"os"
	"time"
)

// readable is asked of no file: the terminal is asked for nothing on Windows.
func readable(*os.File, time.Duration) bool { return false }
