// Kubarium is the Kubernetes API under glass: a complete Kubernetes API server on embedded SQLite, and a terminal UI
// that shows every request at work.
package main

import (
	"os"

	"kubarium/app"
	"kubarium/app/envtest"
	"kubarium/tui/noquery"
)

func main() {
	noquery.Restore()
	os.Exit(app.Main(envtest.Args(os.Args), os.Stdin, os.Stdout, os.Stderr))
}
