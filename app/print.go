package app

import (
	"fmt"
	"io"

	"kubarium/cells"
)

// printf writes text that may have names of files and objects: no terminal takes any of it as a command.
func printf(w io.Writer, format string, args ...any) {
	fmt.Fprint(w, cells.Inert(fmt.Sprintf(format, args...)))
}
