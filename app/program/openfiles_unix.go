//go:build unix

package program

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"syscall"

	"kubarium/app/debug"
)

// errFewFiles is the error of a start in a process that may not open enough files.
var errFewFiles = debug.Refusal(http.StatusServiceUnavailable, errors.New("too few open files are allowed"))

// filesOfProgram is how many files a Program opens: about 190 at rest, most of them by connections that read the
// database, and some for its clients.
const filesOfProgram = 230

// enoughFiles returns an error if the process may not open as many files as a Program needs. Without them a server
// answers nothing, and cannot say why. Go has raised the limit as far as the process may.
func enoughFiles() error {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return nil
	}
	open, _ := os.ReadDir("/dev/fd") // nil where a system does not say
	if need := uint64(len(open) + filesOfProgram); uint64(most.Cur) < need {
		return fmt.Errorf("%w: the process may have %d and needs %d; say ulimit -n 1024", errFewFiles, uint64(most.Cur), need)
	}
	return nil
}
