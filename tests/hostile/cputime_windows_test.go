package hostile_test

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime is the processor time that this process has used, on all cores; 0 if the system does not report it.
func cpuTime() time.Duration {
	var begun, ended, system, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &begun, &ended, &system, &user) != nil {
		return 0
	}
	ticks := int64(system.HighDateTime+user.HighDateTime)<<32 + int64(system.LowDateTime) + int64(user.LowDateTime)
	return time.Duration(ticks) * 100 // a tick is 100 ns
}
