// Kubarium is the Kubernetes API under glass: a complete Kubernetes API server on embedded SQLite, and a terminal UI
// that shows every request at work.
package main

import (
	"os"
	"runtime"

	"kubarium/app"
	"kubarium/app/envtest"
	"kubarium/tui/noquery"
)

// Nobody reads a profile of the heap from the binary, but the stacks that one would be made of are kept for good: 6 MiB after an hour.
func init() { runtime.MemProfileRate = 0 }

func main() {
	noquery.Restore()
	os.Exit(app.Main(envtest.Args(os.Args), os.Stdin, os.Stdout, os.Stderr))
}
