package running

import "os"

// A Process is a process of this machine, which a later one with the same number does not equal.
type Process struct {
	PID   int    `json:"pid"`
	Began string `json:"began,omitempty"` // when it was started, as the system reports it; "" if that is not known
	Place string `json:"place,omitempty"` // the machine since its start, or the container, in which the number is that of the process
}

// self is this process.
func self() Process {
	pid := os.Getpid()
	began, _ := began(pid)
	return Process{PID: pid, Began: began, Place: place()}
}

// runs reports whether the process still runs.
func (p Process) runs() bool {
	began, runs := began(p.PID)
	return runs && began == p.Began
}
