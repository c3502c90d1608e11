package cli

import (
	"fmt"
	"io"
	"strings"

	"kubarium/cells"
)

// Printf writes text that may have names of files and objects: no terminal takes any of it as a command.
func Printf(w io.Writer, format string, args ...any) {
	fmt.Fprint(w, cells.Inert(fmt.Sprintf(format, args...)))
}

func FirstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
