package memory

import (
	"time"

	"golang.org/x/sys/windows"
)

// ProcessSeconds is the CPU time that the operating system gave this process, in seconds; 0 if that is not known.
func ProcessSeconds() float64 {
	var begun, ended, system, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &begun, &ended, &system, &user) != nil {
		return 0
	}
	return (duration(system) + duration(user)).Seconds()
}

// duration is a time that Windows counts in units of 100 ns, and not since a day in 1601.
func duration(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
