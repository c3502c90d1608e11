package memory

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram lets go of the pages of the program's file that are mapped to be read or run. The start touches most of
// them, the rest of a run only some. The system maps a page again when the program needs it, as a rule from its cache
// of files.
func unmapProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer smaps.Close()
	for _, m := range unchanged(smaps, program) {
		unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// A mapping is a part of the address space, from start to before end.
type mapping struct{ start, end uintptr }

// unchanged returns the mappings of a file that the process may not write to and has no pages of its own in, as a
// debugger's breakpoints or relocations make: those would be lost. smaps is in the form of proc_pid_smaps(5).
func unchanged(smaps io.Reader, file string) (found []mapping) {
	var m mapping
	var ofFile bool
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 3 && fields[0] == "Anonymous:":
			if ofFile && fields[1] == "0" {
				found = append(found, m)
			}
		case len(fields) >= 5 && !strings.HasSuffix(fields[0], ":"):
			m = mappingOf(fields[0])
			ofFile = m.end > m.start && !strings.Contains(fields[1], "w") && strings.HasSuffix(lines.Text(), " "+file)
		}
	}
	return found
}

// mappingOf reads what is written as "start-end", in hexadecimal digits; a mapping of nothing if it is not.
func mappingOf(s string) (m mapping) {
	from, to, _ := strings.Cut(s, "-")
	start, err := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	if err != nil || err2 != nil {
		return mapping{}
	}
	return mapping{uintptr(start), uintptr(end)}
}
