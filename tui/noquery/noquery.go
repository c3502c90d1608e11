// Package noquery keeps the program from querying the terminal for its background colour when it starts.
//
// Bubble Tea sends this query during its initialization, before any code of the program runs, and waits up to five
// seconds if the terminal does not answer; "kubarium version" and "kubarium serve" would wait as well. It does not send
// it if the environment variable CI is set. So this package sets CI during initialization, and main restores it first.
//
// This depends on the order of initialization in Go: among the packages whose imports are all initialized, the one with
// the first path is next. This package imports only os, and its path sorts before os/exec and os/signal, which Bubble
// Tea imports. Therefore it must never import anything else. The test of package main shows that no query is sent.
package noquery

import "os"

const variable = "CI"

var value, set = os.LookupEnv(variable)

func init() {
	if value == "" {
		_ = os.Setenv(variable, "true")
	}
}

// Restore restores the environment. Call it before anything reads the variable or a child process inherits it.
func Restore() {
	if set {
		_ = os.Setenv(variable, value)
		return
	}
	_ = os.Unsetenv(variable)
}
