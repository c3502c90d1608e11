package running

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// began returns when a process was started, in steps of 100 ns.
func began(pid int) (when string, runs bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err == windows.ERROR_ACCESS_DENIED
	}
	defer windows.CloseHandle(h)
	var code uint32
	const stillActive = 259 // STILL_ACTIVE of GetExitCodeProcess
	if windows.GetExitCodeProcess(h, &code) == nil && code != stillActive {
		return "", false
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return "", true
	}
	return strconv.FormatInt(created.Nanoseconds()/100, 10), true
}

// place is the machine.
func place() string {
	name, _ := os.Hostname()
	return name
}

// parent is not known: Windows does not report it without a list of all processes.
func parent() string { return "" }

// userName is for nothing here: the folder for temporary files is the user's own.
func userName() string { return "running" }

// private is true: what is below %LocalAppData%, and of what is temporary, can be read by its user and by
// administrators.
func private(fs.FileInfo) bool { return true }
