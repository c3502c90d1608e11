// Package noquery keeps the start of the program from asking the terminal for its background colour.
//
// Bubble Tea asks while it is initialized, before any code of a program runs, and waits up to five seconds where the
// terminal does not answer; "kubarium version" and "kubarium serve" would wait as well. It does not ask where the
// environment variable CI is set. So this package sets CI while packages are initialized, and main takes it back first.
//
// That it comes in time rests on how Go orders initialization: of the packages of which all imports are ready, the one
// with the first path is next. This one imports os alone, and its path sorts before os/exec and os/signal, which Bubble
// Tea needs. Therefore it must never import anything else. The test of package main shows that nothing is asked.
package noquery

import "os"

const variable = "CI"

var value, set = os.LookupEnv(variable)

func init() {
	if value == "" {
		_ = os.Setenv(variable, "true")
	}
}

// Restore gives the environment back as it was, before anybody reads it or a child inherits it.
func Restore() {
	if set {
		_ = os.Setenv(variable, value)
		return
	}
	_ = os.Unsetenv(variable)
}
