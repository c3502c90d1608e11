//go:build !unix

package app

// processSeconds is the CPU time that the operating system gave this process, in seconds: here as the runtime sees it.
func processSeconds() float64 {
	return seconds("/cpu/classes/total:cpu-seconds") - seconds("/cpu/classes/idle:cpu-seconds")
}
