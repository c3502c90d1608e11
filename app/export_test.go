package app

import (
	"io"

	"kubarium/app/home"
	"kubarium/app/running"
)

// Choose picks one of the running servers at a terminal, and returns its address.
func Choose(in io.Reader, out io.Writer) (string, error) {
	s, err := choose(running.List(home.Running()), true, in, out)
	return s.URL, err
}
